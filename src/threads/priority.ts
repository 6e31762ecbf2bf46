import { setPriority } from 'node:os'

/** Nice values of the background threads (nice(2)). With fewer cores than threads, requests go first, then commits, the public log and the index. */
export const NICE = { writer: 5, log: 10, index: 10 } as const

/** Sets the nice value of the calling thread. Only Linux has one for each thread. If it may not be set, it stays unchanged. */
export function setNice(niceness: number): void {
  try {
    if (process.platform === 'linux') setPriority(0, niceness)
  } catch {}
}
