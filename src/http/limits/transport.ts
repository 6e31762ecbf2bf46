import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../../contract/problem.ts'

/** The fields of every answer that make a browser treat it as data only. */
export const SECURITY_FIELDS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}

const EXPOSED = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Log-Records',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Reason',
  'Repr-Digest',
  'Search-Match',
  'Sequence',
  'WWW-Authenticate',
  'X-Request-Id',
]

/** The fields of every public answer, also without an Origin. */
export const PUBLIC_FIELDS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
  vary: 'Origin',
}

/**
 * Timeouts in milliseconds. Slow clients are closed at most `requestTimeout` and one `connectionsCheckingInterval` after they began.
 * `assertWellFormed` handles a missing Host, because Node answers it with an empty body.
 */
export const TIMEOUTS = {
  requestTimeout: 12_000,
  keepAliveTimeout: 15_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 32_768,
  requireHostHeader: false,
} as const

/** The minimum speed of a client with unread bytes: this many bytes in this many milliseconds. Slower clients are closed. */
const READ_LEAST = 65_536
const READ_WITHIN = 8_000
const READ_INTERVAL = 250
/** The maximum of unread bytes of all clients together. */
const UNREAD_MAX = 128 * 1_024 * 1_024

/**
 * Closes connections whose clients do not read, because unread answers occupy memory. If the unread bytes of all clients exceed
 * `unreadMax`, those that have not read for the longest time are closed.
 */
export function closeSlowReaders(server: Server, unreadMax = UNREAD_MAX): void {
  /** The number of bytes that the client had read at the time `at`; undefined if all bytes are read. */
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
 * Closes connections that were reset before their address was read. The system still returns their bytes, but their requests would have no
 * origin. Node caches an address that was read once.
 */
export function closeUnknownPeers(server: Server): void {
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}

/** A host and a port (RFC 9110, 7.2), the host not empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i

/**
 * Whether a request has a known version, one valid Host (optional in HTTP/1.0), at most one Content-Type, no transfer coding except
 * chunked, the target `*` only with OPTIONS (RFC 9112, 3.2.4), and no expectation except 100-continue (RFC 9110, 10.1.1).
 */
function isWellFormed({ method, url, httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  const { host, expect, 'transfer-encoding': coding } = headers
  if (url?.startsWith('*') && !(url === '*' && method === 'OPTIONS')) return false
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return false
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return false
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return false
  return hasAtMostOne(rawHeaders, 'host') && hasAtMostOne(rawHeaders, 'content-type')
}

/** Whether fields, as alternating names and values, have a name at most once. */
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

/** Handles a request with an unknown expectation like any other, because Node would answer it with an empty 417. */
export function handleExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
