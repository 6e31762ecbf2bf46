import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

/** What a loading process is told: to send `count` requests, for `seconds` at most, over so many connections spread over `urls`. */
export type Order = {
  kind: 'create' | 'read'
  urls: string[]
  connections: number
  seconds: number
  count: number
  seed: number
}
/** What came of it; times in milliseconds. Everything was answered 200 or 201. */
export type Loaded = { count: number; perSecond: number; p50: number; p99: number }
export type Loader = {
  run(order: Order, progress?: (count: number) => void): Promise<Loaded>
  close(): void
}

/** Starts a process of its own that loads services; what it created it can read afterwards. */
export function startLoader(): Loader {
  const child: ChildProcess = fork(join(import.meta.dirname, 'load.ts'))
  return {
    run: (order, progress) =>
      new Promise((resolve, reject) => {
        const hear = (message: { loaded?: Loaded; error?: string; progress?: number }): void => {
          if (message.progress !== undefined) {
            progress?.(message.progress)
            return
          }
          child.off('message', hear)
          if (message.loaded !== undefined) resolve(message.loaded)
          else reject(new Error(message.error))
        }
        child.on('message', hear)
        child.send(order)
      }),
    close: () => child.kill(),
  }
}
