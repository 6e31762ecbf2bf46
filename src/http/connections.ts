import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import inject, { type InjectOptions } from 'light-my-request'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import type { Dispatcher } from './dispatcher.ts'
import { type Arrival, createServer, problemAnswer } from './exchange.ts'

/**
 * Timeouts in milliseconds. Slow clients are closed at most `requestTimeout` and one `connectionsCheckingInterval` after they began.
 * `Dispatcher` handles a missing Host, because Node answers it with an empty body.
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
  const closeLongest = (unread: number): void => {
    const waiting = [...marks].flatMap(([socket, mark]) => (mark === undefined ? [] : [{ socket, since: mark.at }]))
    let left = unread
    for (const { socket } of waiting.sort((a, b) => a.since - b.since)) {
      if (left <= unreadMax) return
      left -= socket.writableLength
      socket.destroy()
    }
  }
  const look = (): void => {
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
    if (marks.size > 0) timer.refresh()
  }
  /** Runs only while there are connections. */
  const timer = setTimeout(look, READ_INTERVAL).unref()
  server.on('connection', (socket: Socket) => {
    if (marks.size === 0) timer.refresh()
    marks.set(socket, undefined)
    socket.once('close', () => marks.delete(socket))
  })
  server.once('close', () => clearTimeout(timer))
}

/**
 * Closes connections that were reset before their address was read. The system still returns their bytes, but their requests would have no
 * origin. Node caches an address that was read once.
 */
function closeUnknownPeers(server: Server): void {
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}

/** Handles a request with an unknown expectation like any other, because Node would answer it with an empty 417. */
function handleExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** The maximum number of bytes that are parsed at once: about 50 of the shortest requests. */
const PIECE_BYTES = 1_024
const HEADER_END = Buffer.from('\r\n\r\n')
/** The time after which a connection that sent invalid bytes is destroyed, even if its client neither reads nor closes. */
const INVALID_CLOSE_TIMEOUT_MS = 2_000

/** An error of `clientError`. The first `bytesParsed` bytes of `rawPacket` were valid. */
type ParseError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number }
type Handle = (request: IncomingMessage, response: ServerResponse) => void
type Connection = {
  /** The latest request that was handled, and its response. */
  request?: IncomingMessage
  response?: ServerResponse
  /** Whether the connection ends after the response. Further requests are ignored, and no further bytes are parsed. */
  isEnding: boolean
  /** The listener that reads the bytes that have arrived. */
  read: () => void
}

/**
 * The open connections. A connection has at most one request in progress. If another one arrives before it is answered, the connection ends
 * after the answer, and the other request is ignored. A client that does not read therefore occupies the memory of one answer.
 */
export class Connections {
  readonly #logger: Logger
  readonly #connections = new Map<Socket, Connection>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The server calls this for each connection. */
  readonly add = (socket: Socket): void => {
    /**
     * Reads the bytes that have arrived, except bytes after pipelined requests and while the body of a request waits for its reader.
     * Because `readable` has a listener, Node parses the bytes of each call of `read`. The first call also takes the end of the stream.
     */
    const read = (): void => {
      let bytes: unknown
      do {
        const { request, isEnding } = connection
        if (isEnding || socket.destroyed) return
        if (request !== undefined && request.readableLength >= request.readableHighWaterMark) return
        bytes = socket.read(socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined)
      } while (bytes !== null && socket.readableLength > 0)
    }
    const connection: Connection = { isEnding: false, read }
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#connections.delete(socket))
    // Node resumes the socket when the body of a request is read.
    socket.on('readable', read).on('resume', read)
  }

  /** Calls `handle` with each request that arrives after the answer to the previous request of its connection. */
  oneByOne(handle: Handle): Handle {
    return (request, response) => {
      const { socket } = request
      const connection = this.#connections.get(socket)
      if (connection === undefined || socket.destroyed) return
      if (connection.response?.writableFinished === false) endAfterAnswer(connection, socket)
      if (connection.isEnding) return
      connection.request = request
      connection.response = response
      handle(request, response)
    }
  }

  /** Closes the connections that have sent nothing. Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy()
  }

  /**
   * Handles Node's `clientError` event. Answers invalid bytes with the error shape, without a body if they begin with HEAD, and ends the
   * connection. Bytes that follow a request whose answer is in progress get no answer. A connection that has sent nothing is closed without
   * an answer. Its client would take the answer for the answer to its first request.
   */
  handleClientError(error: ParseError, socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || error.code === 'ECONNRESET' || socket.bytesRead === 0) socket.destroy()
    else if (!connection.isEnding) {
      const { request, response } = connection
      const isInBody = request?.complete === false
      const mayAnswer = isInBody ? response?.headersSent === false : response?.writableFinished !== false
      if (mayAnswer) {
        connection.isEnding = true
        const isHead = isInBody ? request.method === 'HEAD' : beginsWithHead(error)
        endWithProblem(socket, error.code, isHead, this.#logger)
        // If its bytes were not read, a client that still sends bytes would lose the answer.
        socket.off('readable', connection.read).resume()
      } else endAfterAnswer(connection, socket)
    }
  }
}

/** Ends a connection after its answer. */
function endAfterAnswer(connection: Connection, socket: Socket): void {
  const { response, isEnding } = connection
  if (isEnding || response === undefined) return
  connection.isEnding = true
  if (!response.headersSent) response.setHeader('connection', 'close')
  if (response.writableFinished) socket.destroySoon()
  else response.once('close', () => socket.destroySoon())
}

/** Whether the invalid request of a packet begins with HEAD, because Node does not tell the method of an invalid request. */
function beginsWithHead({ rawPacket, bytesParsed }: ParseError): boolean {
  const parsed = rawPacket?.subarray(0, bytesParsed)
  if (parsed === undefined) return false
  const end = parsed.lastIndexOf(HEADER_END)
  const start = end === -1 ? 0 : end + HEADER_END.length
  return parsed.toString('latin1', start, start + 5) === 'HEAD '
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

/** How long a stop waits for requests in progress. */
const DRAIN_TIMEOUT_MS = 8_000
/** The interval at which a stop closes connections that became idle, because their clients do not know about the stop. */
const IDLE_INTERVAL_MS = 50
/** How long a stop waits for the first bytes of a connection. */
const UNUSED_TIMEOUT_MS = 1_000

export type InjectedRequest = Pick<InjectOptions, 'method' | 'url' | 'headers' | 'remoteAddress' | 'payload'>
export type InjectedAnswer = { statusCode: number; headers: Record<string, unknown>; body: string }

export type HttpServer = {
  server: Server
  /** Resolves when connections are accepted, and rejects if the address cannot be listened on. */
  listen(at: { host: string; port: number }): Promise<void>
  /** Accepts the connections of other processes of this user at a Unix socket or a named pipe. Their requests have no limits. */
  listenLocally(path: string): Promise<void>
  /** Answers a request within the process, like one of a connection. Throws NOT_READY after `close`. */
  inject(request: InjectedRequest, arrival?: Arrival): Promise<InjectedAnswer>
  /** Accepts no new connections, and waits a bounded time for the requests in progress. */
  close(): Promise<void>
}

/**
 * Creates the HTTP server of node:http, with the limits of connections. `dispatch` answers the requests of each connection one by one.
 * `answer` answers requests within the process. Those belong to a request that was accepted, so they are not shed.
 */
export function createHttpServer(
  { noteConnection, dispatch, answer }: Pick<Dispatcher, 'noteConnection' | 'dispatch' | 'answer'>,
  logger: Logger,
): HttpServer {
  const connections = new Connections(logger)
  const server = createServer({ ...TIMEOUTS }, connections.oneByOne(dispatch))
  server.on('clientError', (error, socket) => connections.handleClientError(error, socket as Socket))
  server.on('connection', connections.add)
  server.on('connection', noteConnection)
  handleExpectations(server)
  closeUnknownPeers(server)
  closeSlowReaders(server)
  const local = new LocalServer((request, response) => answer(request, response, { channel: 'local socket' }))
  let closed = false
  return {
    server,
    async listen({ host, port }) {
      // The name `localhost` can have several addresses, of which Node would choose one.
      server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
      await once(server, 'listening')
    },
    listenLocally: path => local.listen(path),
    async inject(request, arrival = { channel: 'process' }) {
      if (closed) throw new Problem('NOT_READY', { retryAfter: 1, reason: 'stopping' })
      return inject(
        withVisibleFields((asked, response) => answer(asked, response, arrival)),
        request,
      )
    },
    async close() {
      closed = true
      await Promise.all([local.close(), server.listening ? closeServer(server, connections) : undefined])
    },
  }
}

async function closeServer(server: Server, connections: Connections): Promise<void> {
  const ended = new Promise(resolve => server.close(resolve))
  const drained = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
  const unused = setTimeout(() => connections.closeUnused(), UNUSED_TIMEOUT_MS)
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_INTERVAL_MS)
  await ended
  clearTimeout(drained)
  clearTimeout(unused)
  clearInterval(idle)
}

/** The peers are processes of the same user, so a connection may be idle for as long as this process runs. */
const LOCAL_TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 } as const

/** Answers the requests of other processes of this user, in parallel and without shedding. */
class LocalServer {
  readonly #server: Server
  #inProgress = 0
  #onIdle = (): void => {}

  constructor(answer: RequestListener) {
    this.#server = createServer({ ...LOCAL_TIMEOUTS }, (request, response) => {
      this.#inProgress += 1
      response.once('close', () => {
        this.#inProgress -= 1
        if (this.#inProgress === 0) this.#onIdle()
      })
      answer(request, response)
    })
  }

  async listen(path: string): Promise<void> {
    this.#server.listen({ path })
    await once(this.#server, 'listening')
  }

  /** Accepts no new connections, and closes the others after the answers in progress. Removes the socket. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    const ended = new Promise(resolve => this.#server.close(resolve))
    this.#onIdle = () => this.#server.closeIdleConnections()
    if (this.#inProgress === 0) this.#onIdle()
    const drained = setTimeout(() => this.#server.closeAllConnections(), DRAIN_TIMEOUT_MS)
    await ended
    clearTimeout(drained)
  }
}

/** Sets the fields individually, because an injected response returns only fields that were set individually. */
const withVisibleFields =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    const writeHead = response.writeHead.bind(response)
    response.writeHead = (status: number, pairs: unknown) => {
      const fields = pairs as string[]
      for (let at = 0; at < fields.length; at += 2) response.setHeader(fields[at] as string, fields[at + 1] as string)
      return writeHead(status)
    }
    answer(request, response)
  }
