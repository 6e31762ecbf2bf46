import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * A call of a traced process that changes files or sends an answer. `begun` and `ended` are the lines of the trace where the call began and
 * ended.
 */
export type Call = { name: string; begun: number; ended: number; path: string; failed: boolean } & (
  | { name: 'write'; bytes: Buffer; at: number | undefined; socket: boolean }
  | { name: 'truncate'; length: number }
  | { name: 'sync' }
  | { name: 'create'; emptied: boolean }
  | { name: 'unlink' | 'mkdir' }
  | { name: 'rename' | 'link'; to: string }
)

const CALLS =
  'openat,pwrite64,write,writev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,link,linkat'

/** The command that runs another command and traces it and its threads into a file for `readTrace`. */
export const traceInto = (file: string): string[] => [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-y', '-xx', '-s', '4000000', '-e', `trace=${CALLS}`],
  ...['-e', 'signal=none', '-o', file],
]

const plain = (hex: string): string => bytesOf(hex).toString('utf8')
const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex')

const OF_FILE = /^(\w+)\(\d+<([^>]*)>(?:, (.*))?\)\s+= (-?\d+)/s
const OF_PATH = /^(\w+)\((.*)\)\s+= (-?\d+)/s
const STRING = /"((?:\\x[0-9a-f]{2})*)"/g
const WRITES = new Set(['write', 'pwrite64', 'writev'])
const NAMES: Record<string, 'unlink' | 'mkdir'> = {
  unlink: 'unlink',
  unlinkat: 'unlink',
  mkdir: 'mkdir',
  mkdirat: 'mkdir',
}

/** The calls of a trace that concern files under `root` or sockets, in the order in which they began. */
export async function readTrace(file: string, root: string): Promise<Call[]> {
  const calls: Call[] = []
  const begun = new Map<string, { line: number; text: string }>()
  const take = (text: string, from: number, to: number): void => {
    const call = callOf(text, root)
    if (call !== undefined) calls.push({ ...call, begun: from, ended: to } as Call)
  }
  let line = 0
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    const [, thread = '', said = ''] = /^(\d+) +(.*)$/s.exec(text) ?? []
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(said)
    if (said.endsWith(' <unfinished ...>')) {
      begun.set(thread, { line, text: said.slice(0, -' <unfinished ...>'.length) })
    } else if (resumed !== null) {
      const first = begun.get(thread)
      begun.delete(thread)
      if (first !== undefined) take(first.text + resumed[1], first.line, line)
    } else take(said, line, line)
  }
  // A call in progress at the end of the process may have been done completely or in part.
  for (const { line: from, text } of begun.values()) take(`${text}) = 0`, from, Number.POSITIVE_INFINITY)
  return calls.sort((a, b) => a.begun - b.begun)
}

function callOf(text: string, root: string): Omit<Call, 'begun' | 'ended'> | undefined {
  const name = text.slice(0, text.indexOf('('))
  if (name === 'openat') return creationOf(text, root)
  if (WRITES.has(name) || name === 'ftruncate' || name.endsWith('sync')) return fileCallOf(text, root)
  const [, , list = '', result] = OF_PATH.exec(text) ?? []
  const [path = '', to = ''] = [...list.matchAll(STRING)].map(([, hex = '']) => plain(hex))
  if (!path.startsWith(root)) return undefined
  const base = { path, failed: result === '-1' }
  const single = NAMES[name]
  if (single !== undefined) return { ...base, name: single }
  if (name.startsWith('rename')) return { ...base, name: 'rename', to } as Omit<Call, 'begun' | 'ended'>
  if (name.startsWith('link')) return { ...base, name: 'link', to } as Omit<Call, 'begun' | 'ended'>
  return undefined
}

function creationOf(text: string, root: string): Omit<Call, 'begun' | 'ended'> | undefined {
  if (!text.includes('O_CREAT')) return undefined
  const path = plain([...text.matchAll(STRING)][0]?.[1] ?? '')
  if (!path.startsWith(root)) return undefined
  const base = { path, failed: / = -1 /.test(text) }
  return { ...base, name: 'create', emptied: text.includes('O_TRUNC') } as Omit<Call, 'begun' | 'ended'>
}

function fileCallOf(text: string, root: string): Omit<Call, 'begun' | 'ended'> | undefined {
  const [, name = '', hexPath = '', rest = '', result] = OF_FILE.exec(text) ?? []
  const path = plain(hexPath)
  const socket = /^(socket|TCP)/.test(path)
  if (!socket && !path.startsWith(root)) return undefined
  const base = { path, failed: result === '-1' }
  if (name === 'ftruncate') return { ...base, name: 'truncate', length: Number(rest) } as Omit<Call, 'begun' | 'ended'>
  if (!WRITES.has(name)) return { ...base, name: 'sync' }
  const parts = [...rest.matchAll(STRING)].map(([, hex = '']) => bytesOf(hex))
  const at = name === 'pwrite64' ? Number(/, (\d+)$/.exec(rest)?.[1]) : undefined
  return { ...base, name: 'write', bytes: Buffer.concat(parts), at, socket } as Omit<Call, 'begun' | 'ended'>
}
