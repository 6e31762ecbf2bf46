import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../contract/problem.ts'

/** What every answer carries, so that no browser makes more of it than data. */
export const SECURITY_FIELDS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}

/**
 * Slow clients are closed, at most `requestTimeout` and one `connectionsCheckingInterval` after they began: all in milliseconds.
 * A missing Host is left to `assertWellFormed`, because Node answers it with an empty body.
 */
export const TIMEOUTS = {
  requestTimeout: 12_000,
  keepAliveTimeout: 15_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 32_768,
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

/** A host and a port (RFC 9110, 7.2), the host not empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i

/** Whether a request has a known version, one valid Host (none may be in HTTP/1.0), at most one Content-Type, and no coding but chunked (RFC 9112). */
export function isWellFormed({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': coding } = headers
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return false
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return false
  return hasAtMostOne(rawHeaders, 'host') && hasAtMostOne(rawHeaders, 'content-type')
}

/** Whether fields, as names and values in turn, have a name once or not at all. */
function hasAtMostOne(fields: readonly string[], name: string): boolean {
  let count = 0
  for (let at = 0; at < fields.length; at += 2) {
    const one = fields[at] as string
    if (one.length === name.length && one.toLowerCase() === name) count += 1
  }
  return count <= 1
}

/** Refuses a request that is not well-formed. */
export function assertWellFormed(request: IncomingMessage): void {
  if (!isWellFormed(request)) throw new Problem('MALFORMED_REQUEST')
}

/** Passes over expectations other than 100-continue (RFC 9110, 10.1.1), which Node would answer with a bare 417. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
