import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { pinned } from '../processes.ts'
import type { Loaded, Order } from './order.ts'

type Message = { loaded?: Loaded; error?: string; progress?: number }

/** Loads targets from separate processes, one for each concurrent order, on the given cores (syntax of taskset) or on any core. */
export class Loader {
  readonly #cores: string | undefined
  readonly #idle: ChildProcess[] = []
  readonly #all: ChildProcess[] = []

  constructor(cores: string | undefined) {
    this.#cores = cores
  }

  /** Rejects with the reason at the first unexpected answer. `progress` gets the number of answers, each time after 1,000 of them. */
  run(order: Order, progress?: (count: number) => void): Promise<Loaded> {
    const child = this.#idle.pop() ?? this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<Loaded>()
    const end = (): void => reject(new Error('The loading process ended.'))
    const hear = ({ loaded, error, progress: count }: Message): void => {
      if (count !== undefined) progress?.(count)
      else if (loaded === undefined) reject(new Error(error))
      else resolve(loaded)
    }
    child.on('message', hear).once('exit', end).send(order)
    return promise.finally(() => {
      child.off('message', hear).off('exit', end)
      if (child.connected) this.#idle.push(child)
    })
  }

  #start(): ChildProcess {
    const [execPath = '', ...execArgv] = [...pinned(this.#cores), process.execPath]
    const child = fork(join(import.meta.dirname, 'main.ts'), { execPath, execArgv })
    this.#all.push(child)
    return child
  }

  close(): void {
    for (const child of this.#all) child.kill()
  }
}
