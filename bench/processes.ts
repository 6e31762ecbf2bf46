import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const PATIENCE = 30_000
const TICKS = 100

/** The cores of servers and loads. Each gets one core if there are two cores and taskset; otherwise the system assigns them. */
export const CORES: { server: string | undefined; load: string | undefined } =
  availableParallelism() > 1 && hasTaskset() ? { server: '0', load: '1' } : { server: undefined, load: undefined }

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The prefix of a command that binds it to these cores. */
export const pinned = (cores: string | undefined): string[] => (cores === undefined ? [] : ['taskset', '-c', cores])

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) signalTree(child.pid ?? 0, 'SIGKILL')
})
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))

export type Server = {
  pid: number
  child: ChildProcess
  /** The output so far, of both streams. */
  said(): string
  /** Resolves with the first match in the output. Rejects if the process ends first, or prints no match within 30 seconds. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal to the whole process tree, and kills it if it does not end. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a program on the cores of servers. It ends with this process. */
export function startServer(command: string[], options: SpawnOptions, cores = CORES.server): Server {
  const [program = '', ...args] = [...pinned(cores), ...command]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  running.add(child)
  let said = ''
  const ended = new Promise<void>(resolve => {
    child.once('error', error => {
      said += error.message
      resolve()
    })
    child.once('exit', () => resolve())
  }).then(() => running.delete(child))
  const hear = (chunk: Buffer): void => {
    said = `${said}${chunk}`.slice(-100_000)
  }
  if (options.stdio === undefined) child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  return {
    pid: child.pid ?? 0,
    child,
    said: () => said,
    until: pattern => within(pattern, () => said, child, ended),
    async stop(signal = 'SIGTERM') {
      const timer = setTimeout(() => signalTree(child.pid ?? 0, 'SIGKILL'), PATIENCE)
      child.kill(signal)
      child.kill('SIGCONT')
      await ended
      clearTimeout(timer)
    },
  }
}

function within(
  pattern: RegExp,
  said: () => string,
  child: ChildProcess,
  ended: Promise<unknown>,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new Error(`Nothing like ${pattern}: ${said()}`))), PATIENCE)
    const look = (): void => {
      const found = pattern.exec(said())
      if (found !== null) settle(() => resolve(found))
    }
    const settle = (end: () => void): void => {
      clearTimeout(timer)
      child.stdout?.off('data', look)
      child.stderr?.off('data', look)
      end()
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    ended.then(() => settle(() => reject(new Error(`It ended: ${said()}`))))
    look()
  })
}

/** The ids of a process and of all its descendants. */
export function treeOf(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statOf(Number(name))[1])
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
  }
  const under = (one: number): number[] => [one, ...(parents.get(one) ?? []).flatMap(under)]
  return under(pid)
}

/** The fields of a process in /proc after its name: state, parent, …; empty once it has ended. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

export function signalTree(pid: number, signal: NodeJS.Signals): void {
  for (const one of pid === 0 ? [] : treeOf(pid)) {
    try {
      process.kill(one, signal)
    } catch {}
  }
}

/** Processor time of a process tree so far, in seconds. */
export const cpuSeconds = (pid: number): number =>
  treeOf(pid).reduce((sum, one) => {
    const fields = statOf(one)
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS
  }, 0)

/** Memory of a process tree in bytes. A shared page counts once. */
export const memoryOf = (pid: number): number =>
  treeOf(pid).reduce((sum, one) => {
    try {
      return sum + 1_024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return sum
    }
  }, 0)

/** Bytes of the files under a directory. */
export function bytesUnder(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(file => file.isFile())
    .reduce((sum, file) => sum + (statSync(join(file.parentPath, file.name), { throwIfNoEntry: false })?.size ?? 0), 0)
}
