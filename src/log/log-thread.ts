import type { MessagePort } from 'node:worker_threads'
import type { Awaitable } from '../database/database.ts'
import type { LogQuestion } from '../operations/log/append-log.ts'
import { replyOfError } from '../threads/protocol.ts'

/** Answers the questions of a port, one after another, until the message `close`. */
export function serveLogQuestions(
  port: MessagePort | null,
  answer: (question: LogQuestion) => Promise<unknown>,
  close: () => Awaitable<void>,
): void {
  if (port === null) throw new Error('The log is computed in a worker thread only.')
  let last: Promise<void> = Promise.resolve()
  port.on('message', (message: { id: number; question: LogQuestion } | 'close') => {
    last = last.then(async () => {
      if (message === 'close') {
        await close()
        return port.close()
      }
      const { id, question } = message
      port.postMessage([
        await answer(question).then(
          result => ({ id, result }),
          error => replyOfError(id, error),
        ),
      ])
    })
  })
  port.postMessage('ready')
}
