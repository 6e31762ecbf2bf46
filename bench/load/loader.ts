import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { pinned } from '../processes.ts'
import type { Loaded, Order } from './order.ts'

export type Loader = {
  /** Runs one order at a time. Rejects with the reason at the first unexpected answer. */
  run(order: Order, progress?: (count: number) => void): Promise<Loaded>
  close(): void
}

/** Starts a separate process that loads targets, on the cores in the syntax of taskset, or on any core. */
export function startLoader(cores: string | undefined): Loader {
  const [execPath, ...execArgv] = [...pinned(cores), process.execPath]
  const child: ChildProcess = fork(join(import.meta.dirname, 'main.ts'), { execPath: String(execPath), execArgv })
  return {
    run: (order, progress) =>
      new Promise((resolve, reject) => {
        const ended = (): void => done(() => reject(new Error('The loading process ended.')))
        const hear = (message: { loaded?: Loaded; error?: string; progress?: number }): void => {
          if (message.progress !== undefined) progress?.(message.progress)
          else if (message.loaded === undefined) done(() => reject(new Error(message.error)))
          else done(() => resolve(message.loaded as Loaded))
        }
        const done = (settle: () => void): void => {
          child.off('message', hear)
          child.off('exit', ended)
          settle()
        }
        child.on('message', hear)
        child.once('exit', ended)
        child.send(order)
      }),
    close: () => {
      child.kill()
    },
  }
}
