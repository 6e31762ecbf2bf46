import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { Problem } from '../contract/problems.ts'
import { problemAnswer } from './errors.ts'

/** What every answer carries, so that no browser makes more of it than data. */
export const SECURITY_FIELDS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}

/**
 * Slow clients are closed, at most `requestTimeout` and one `connectionsCheckingInterval` after they began: all in milliseconds.
 * A missing Host is left to `assertHost`, because Node answers it with an empty body.
 */
export const TIMEOUTS = {
  requestTimeout: 12_000,
  keepAliveTimeout: 15_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
} as const

/** A client that reads less than so many bytes in so many milliseconds, while more lies ready for it, is closed. */
const READ_LEAST = 65_536
const READ_WITHIN = 8_000
const READ_INTERVAL = 250
/** What lies ready for all clients together may take so many bytes. */
const UNREAD_MAX = 128 * 1_024 * 1_024

/**
 * Closes connections whose clients do not read: what they were sent would lie in memory for as long as they like. Where more than
 * `unreadMax` bytes lie ready for all of them, those are closed that have not read for the longest.
 */
export function closeSlowReaders(server: Server, unreadMax = UNREAD_MAX): void {
  /** How much a connection had taken, and when: since then something has been lying ready for it. */
  const marks = new Map<Socket, { taken: number; at: number } | undefined>()
  server.on('connection', (socket: Socket) => {
    marks.set(socket, undefined)
    socket.once('close', () => marks.delete(socket))
  })
  const closeLongest = (unread: number): void => {
    const waiting = [...marks].flatMap(([socket, mark]) => (mark === undefined ? [] : [{ socket, since: mark.at }]))
    let left = unread
    for (const { socket } of waiting.sort((a, b) => a.since - b.since)) {
      if (left <= unreadMax) return
      left -= socket.writableLength
      socket.destroy()
    }
  }
  const timer = setInterval(() => {
    const at = performance.now()
    let unread = 0
    for (const [socket, mark] of marks) {
      unread += socket.writableLength
      const taken = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0) marks.set(socket, undefined)
      else if (mark === undefined) marks.set(socket, { taken, at })
      else if (at - mark.at < READ_WITHIN) continue
      else if (taken - mark.taken < READ_LEAST) socket.destroy()
      else marks.set(socket, { taken, at })
    }
    if (unread > unreadMax) closeLongest(unread)
  }, READ_INTERVAL)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/**
 * Closes connections that were reset before it was known who they are from: the system still gives what was sent by them, and it would count as
 * nobody's. Node keeps an address that was asked for once.
 */
export function closeUnknownPeers(server: Server): void {
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}

/** Refuses an HTTP/1.1 request that names no host (RFC 9112, 3.2). */
export function assertHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.0' && headers.host === undefined) throw new Problem('MALFORMED_REQUEST')
}

/** Passes over expectations other than 100-continue (RFC 9110, 10.1.1), which Node would answer with a bare 417. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

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
