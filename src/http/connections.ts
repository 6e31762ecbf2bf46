import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { problemAnswer } from './errors.ts'

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

/** The maximum number of waiting requests of one connection. At the maximum the connection is not read. */
const WAITING_MAX = 8
/**
 * The minimum number of bytes that are parsed at once, if so many have arrived. A piece ends at the next end of a header section, so it
 * contains at most 20 requests of 26 bytes.
 */
const MIN_PIECE_BYTES = 512
/** The start of a request whose answer has no body. */
const HEAD = 'HEAD '
const HEADER_END = Buffer.from('\r\n\r\n')
/** The time after which a connection that sent invalid bytes is destroyed, even if its client neither reads nor closes. */
const INVALID_CLOSE_TIMEOUT_MS = 2_000

/** An error of `clientError`. The first `bytesParsed` bytes of `rawPacket` were valid. */
type ParseError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number }
type Handle = (request: IncomingMessage, response: ServerResponse) => void
type Waiting = { request: IncomingMessage; response: ServerResponse }
/** Node's parser of a connection. While Node waits for the client to read, `_paused` is set and nothing may be parsed. */
type Parse = (bytes: Buffer) => void
type HttpSocket = Socket & { _paused?: boolean }
type Connection = {
  socket: HttpSocket
  /** The latest request. */
  last?: IncomingMessage
  /** The response in progress. */
  current?: ServerResponse | undefined
  waiting: Waiting[]
  /** Whether unparsed bytes were put back into the socket. */
  hasUnparsedBytes: boolean
  /** The first characters of the request whose header section is incomplete. */
  begun: string
  /** Whether the client sent invalid bytes. Further bytes are not parsed. */
  isEnding: boolean
  /** Called when no request waits and no response is in progress. */
  onIdle?: () => void
}

/**
 * The state of each connection. Pipelined requests are handled one after another, as fast as the client reads their answers. A client that
 * does not read therefore occupies the memory of one answer, and each turn of the event loop handles at most one request of each
 * connection. Further requests are neither parsed nor read, so that their number increases neither the work of a turn nor the memory.
 */
export class Connections {
  readonly #logger: Logger
  readonly #connections = new WeakMap<Socket, Connection>()
  /** The connections that have sent nothing. */
  readonly #unused = new Set<Socket>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Calls `handle` with the requests of each connection, in order. */
  inOrder(handle: Handle): Handle {
    return (request, response) => {
      const connection = this.#of(request.socket)
      connection.last = request
      if (connection.current === undefined && connection.waiting.length === 0)
        run(connection, handle, request, response)
      else connection.waiting.push({ request, response })
    }
  }

  /** Parses the bytes of the connections of `server` in pieces of a few requests. */
  readInPieces(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const connection = this.#of(socket)
      const [parse] = socket.listeners('data') as Parse[]
      if (parse === undefined) throw new Error('Node does not parse what this socket reads.')
      this.#unused.add(socket)
      const forget = (): void => void this.#unused.delete(socket)
      socket.once('data', forget).once('close', forget)
      // Without another `data` listener, Node's parser reads from the socket directly. With one, Node parses only the bytes that its own
      // `data` listener receives. `parse` is that listener; it is removed, and called with one piece at a time.
      socket.on('data', (bytes: Buffer) => parseInPieces(connection, bytes, parse))
      socket.removeListener('data', parse)
    })
  }

  /** Closes the connections that have sent nothing. Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#unused) socket.destroy()
  }

  /**
   * Handles Node's `clientError` event. After the answers to earlier requests, answers invalid bytes with the error shape, without a body
   * if they begin with HEAD, and ends the connection. A connection that has sent nothing is closed without an answer. Its client would take the answer for the answer to its
   * first request.
   */
  handleClientError(error: ParseError, socket: Socket): void {
    const connection = this.#of(socket)
    if (error.code === 'ECONNRESET' || !socket.writable || this.#unused.has(socket)) socket.destroy()
    else if (!connection.isEnding) {
      const { last } = connection
      const isBodyIncomplete = last?.complete === false
      const start = isBodyIncomplete
        ? `${last?.method} `
        : startAfter(connection.begun, error.rawPacket?.subarray(0, error.bytesParsed))
      endOnIdle(connection, () => endWithProblem(socket, error.code, start === HEAD, this.#logger))
    }
  }

  #of(socket: Socket): Connection {
    const known = this.#connections.get(socket) ?? newConnection(socket)
    this.#connections.set(socket, known)
    return known
  }
}

const newConnection = (socket: Socket): Connection => ({
  socket,
  waiting: [],
  hasUnparsedBytes: false,
  begun: '',
  isEnding: false,
})

function run(connection: Connection, handle: Handle, request: IncomingMessage, response: ServerResponse): void {
  connection.current = response
  response.once('close', () => {
    connection.current = undefined
    if (connection.socket.destroyed) connection.waiting = []
    else if (connection.waiting.length > 0) setImmediate(runNext, connection, handle)
    else connection.onIdle?.()
  })
  handle(request, response)
}

function runNext(connection: Connection, handle: Handle): void {
  const first = connection.waiting.shift()
  if (first === undefined) connection.onIdle?.()
  else run(connection, handle, first.request, first.response)
  readOn(connection)
}

function parseInPieces(connection: Connection, bytes: Buffer, parse: Parse): void {
  const { socket, waiting } = connection
  for (let from = 0; from < bytes.length && !socket.destroyed && !connection.isEnding; ) {
    if (waiting.length >= WAITING_MAX || socket._paused === true) {
      connection.hasUnparsedBytes = true
      socket.pause()
      socket.unshift(bytes.subarray(from))
      return
    }
    const end = bytes.length - from <= MIN_PIECE_BYTES ? -1 : bytes.indexOf(HEADER_END, from + MIN_PIECE_BYTES)
    const to = end === -1 ? bytes.length : end + HEADER_END.length
    const piece = to - from === bytes.length ? bytes : bytes.subarray(from, to)
    parse(piece)
    connection.begun = startAfter(connection.begun, piece)
    from = to
  }
}

/**
 * The first characters of the request that is in progress after `piece`, if its header section is incomplete. `begun` is the same before
 * the piece. The start of a request decides whether its answer may have a body, and Node does not tell the method of an invalid request.
 */
function startAfter(begun: string, piece: Buffer | undefined): string {
  if (piece === undefined) return begun
  const end = piece.lastIndexOf(HEADER_END)
  if (end >= 0) return piece.toString('latin1', end + HEADER_END.length, end + HEADER_END.length + HEAD.length)
  return begun.length === HEAD.length ? begun : begun + piece.toString('latin1', 0, HEAD.length - begun.length)
}

/** Continues to parse when fewer requests wait. If Node itself waits for the client to read, Node continues. */
function readOn(connection: Connection): void {
  const { socket, waiting } = connection
  if (!connection.hasUnparsedBytes || waiting.length >= WAITING_MAX || socket._paused === true) return
  connection.hasUnparsedBytes = false
  socket.resume()
}

/**
 * Ends a connection that sent invalid bytes, in the body of its last request or after it. `answer` sends the error and ends the connection.
 * It is called when all earlier requests are answered, or at once if the bytes are in the body of the request in progress.
 */
function endOnIdle(connection: Connection, answer: () => void): void {
  const { socket, last, current, waiting } = connection
  connection.isEnding = true
  const isBodyIncomplete = last?.complete === false
  const isUnanswered = current?.headersSent === false
  // A request with an incomplete body is not handled.
  if (isBodyIncomplete && waiting.at(-1)?.request === last) waiting.pop()
  // If the request already has an answer, the client would take a second one for the answer to a later request.
  else if (isBodyIncomplete && !isUnanswered) connection.onIdle = () => socket.destroy()
  else if (isBodyIncomplete) answer()
  connection.onIdle ??= answer
  if (current === undefined && waiting.length === 0) connection.onIdle()
}

function endWithProblem(socket: Socket, reason: string | undefined, isHead: boolean, logger: Logger): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const { status, headers, body } = problemAnswer(new Problem('MALFORMED_REQUEST'), requestId)
  logger.info({ requestId, code: 'MALFORMED_REQUEST', reason }, 'request')
  const fields = {
    ...headers,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} Bad Request`, ...head, '', isHead ? '' : body].join('\r\n'))
  // If the connection were destroyed at once, a client that still sends bytes would lose the answer.
  const timer = setTimeout(() => socket.destroy(), INVALID_CLOSE_TIMEOUT_MS)
  socket.once('close', () => clearTimeout(timer))
}
