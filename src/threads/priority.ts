import { setPriority } from 'node:os'

/** How nice the threads are that work behind the one that answers (nice(2)): where cores are fewer than threads, requests go first, then commits, then the public log, then the index. */
export const NICE = { writer: 5, log: 10, index: 15 } as const

/** Makes the thread that calls this so nice. Only Linux gives each thread a priority of its own; where it may not be set it stays as it is. */
export function beNice(niceness: number): void {
  try {
    if (process.platform === 'linux') setPriority(0, niceness)
  } catch {}
}
