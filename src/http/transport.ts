import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { Problem } from '../contract/problems.ts'
import { problemAnswer } from './errors.ts'

/** Slow clients are closed: all in milliseconds. Checked every `connectionsCheckingInterval`. */
export const TIMEOUTS = {
  requestTimeout: 15_000,
  keepAliveTimeout: 15_000,
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 },
} as const

/** Answers bytes that are no HTTP request with the error shape, and closes the connection. */
export function listenForBadBytes(logger: Logger) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
      socket.destroy()
      return
    }
    const requestId = randomUUID()
    const { status, headers, body } = problemAnswer(new Problem('MALFORMED_REQUEST'), requestId)
    logger.info({ requestId, code: 'MALFORMED_REQUEST', reason: error.code }, 'request')
    const fields = {
      ...headers,
      'x-request-id': requestId,
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status} Bad Request`, ...head, '', body].join('\r\n'))
  }
}
