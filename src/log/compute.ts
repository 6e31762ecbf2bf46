import type { LogQuestion } from '../operations/log/append-log.ts'
import { startThread, type Thread, YOUNG_MB } from '../threads/thread.ts'

/** Sends a question to the thread that computes the log. Resolves with the answer. */
export type AskLog = (question: LogQuestion) => Promise<unknown>

const PENDING_MAX = 8

/** A thread that computes the log. A question starts the thread if it is not running. */
export class LogThread {
  readonly #file: URL
  readonly #data: object
  #started: Promise<Thread> | undefined
  #isClosed = false

  constructor(file: URL, data: object) {
    this.#file = file
    this.#data = data
  }

  async ask(question: LogQuestion): Promise<unknown> {
    if (this.#isClosed) throw new Error('The thread of the log is closed.')
    this.#started ??= this.#start()
    return (await this.#started).ask(id => ({ id, question }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#started?.catch(() => undefined))?.close()
  }

  #start(): Promise<Thread> {
    const onDeath = (): void => {
      this.#started = undefined
    }
    const starting = startThread(this.#file, this.#data, {
      ...{ pendingMax: PENDING_MAX, batched: false, together: 1, youngMb: YOUNG_MB },
      onDeath,
    })
    starting.catch(onDeath)
    return starting
  }
}

/** Returns a function that stores a checkpoint in the file of this node, once for each note. It resolves when the checkpoint is stored. */
export function createMemory(ask: AskLog): (note: string) => Promise<void> {
  let last: { note: string; kept: Promise<unknown> } | undefined
  return async note => {
    if (last?.note !== note) {
      const keeping = { note, kept: ask({ ask: 'keep', note }) }
      last = keeping
      keeping.kept.catch(() => {
        if (last === keeping) last = undefined
      })
    }
    await last.kept
  }
}
