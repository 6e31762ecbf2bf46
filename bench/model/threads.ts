import { readdirSync, readFileSync } from 'node:fs'
import { treeOf } from '../processes.ts'

/** The threads of the service, by the prefix of the name that the system shows. PostgreSQL and Varnish by their process. */
const NAMES: Record<string, string> = {
  MainThread: 'main',
  'writer-thread': 'writer',
  'index-thread': 'index',
  'log-thread': 'log',
  'search-thread': 'search',
  V8Worker: 'helpers',
  postgres: 'postgres',
}

/** Processor time of each kind of thread, in microseconds. */
export type ThreadTimes = Record<string, number>

/** Processor time so far of the threads of these processes and of their descendants. Excludes threads that have ended. */
export function threadTimes(pids: readonly number[]): ThreadTimes {
  const times: ThreadTimes = {}
  for (const pid of pids.flatMap(treeOf)) {
    for (const [name, time] of threadsOf(pid)) times[name] = (times[name] ?? 0) + time
  }
  return times
}

function threadsOf(pid: number): [string, number][] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(thread => {
      const shown = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim()
      const nanoseconds = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
      const known = Object.entries(NAMES).find(([begin]) => shown.startsWith(begin))
      return [known?.[1] ?? 'other', nanoseconds / 1_000]
    })
  } catch {
    // The process or one of its threads has ended.
    return []
  }
}

export const difference = (after: ThreadTimes, before: ThreadTimes): ThreadTimes =>
  Object.fromEntries(Object.entries(after).map(([name, time]) => [name, time - (before[name] ?? 0)]))

export const totalOf = (times: ThreadTimes): number => Object.values(times).reduce((sum, time) => sum + time, 0)

/** Ticks of a core, or of all cores, since the start of the system (proc_stat(5)): idle ticks, and all ticks. */
export function coreTicks(core: string | undefined): { idle: number; all: number } {
  const line = readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .find(one => one.startsWith(`cpu${core ?? ''} `))
  const fields = (line ?? '').split(/\s+/).slice(1, 9).map(Number)
  return { idle: (fields[3] ?? 0) + (fields[4] ?? 0), all: fields.reduce((sum, one) => sum + one, 0) }
}
