import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const PATIENCE = 30_000
/** Milliseconds between two checks of the output. */
const LOOK = 2
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
  /** Ends the process, and kills the whole process tree if it has not ended after 30 seconds. */
  stop(): Promise<void>
}

/** Starts a program on the cores of servers. It ends with this process. */
export function startServer(command: string[], options: SpawnOptions, cores = CORES.server): Server {
  const [program = '', ...args] = [...pinned(cores), ...command]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  const pid = child.pid ?? 0
  running.add(child)
  let said = ''
  const hear = (chunk: unknown): void => {
    said = `${said}${chunk}`.slice(-100_000)
  }
  const ended = once(child, 'exit')
    .catch(hear)
    .finally(() => running.delete(child))
  if (options.stdio === undefined) child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  return {
    pid,
    child,
    said: () => said,
    async until(pattern) {
      for (const began = performance.now(); performance.now() - began < PATIENCE; await setTimeout(LOOK)) {
        const found = pattern.exec(said)
        if (found !== null) return found
        if (!running.has(child)) throw new Error(`It ended: ${said}`)
      }
      throw new Error(`Nothing like ${pattern}: ${said}`)
    },
    async stop() {
      child.kill()
      child.kill('SIGCONT')
      const late = AbortSignal.timeout(PATIENCE)
      late.onabort = () => signalTree(pid, 'SIGKILL')
      await ended
      late.onabort = null
    },
  }
}

/** The ids of a process and of all its descendants. */
function treeOf(pid: number): number[] {
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
