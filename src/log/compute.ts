import type { LogQuestion } from '../operations/log/append-log.ts'
import { startThread, type Thread, YOUNG_MB } from '../threads/thread.ts'

/** Asks the thread that computes the log. */
export type AskLog = (question: LogQuestion) => Promise<unknown>

/** A thread that computes the log. The first question starts it, also after it died. */
export type LogThread = { ask: AskLog; close(): Promise<void> }

const PENDING_MAX = 8

export function createLogThread(file: URL, data: object): LogThread {
  let started: Promise<Thread> | undefined
  let closed = false
  const start = (): Promise<Thread> => {
    const starting = startThread(file, data, {
      ...{ pendingMax: PENDING_MAX, batched: false, together: 1, youngMb: YOUNG_MB },
      onDeath() {
        started = undefined
      },
    })
    starting.catch(() => {
      started = undefined
    })
    return starting
  }
  return {
    async ask(question) {
      if (closed) throw new Error('The thread of the log is closed.')
      started ??= start()
      return (await started).ask(id => ({ id, question }))
    },
    async close() {
      closed = true
      await (await started?.catch(() => undefined))?.close()
    },
  }
}

/** Keeps each checkpoint in the file of this node, once; resolves when it is there. */
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
