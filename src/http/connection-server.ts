import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import inject, { type InjectOptions } from 'light-my-request'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import { Connections, closeSlowReaders, closeUnknownPeers, handleExpectations, TIMEOUTS } from './connections.ts'
import type { Dispatcher } from './dispatcher.ts'
import { type Arrival, createServer } from './exchange.ts'

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
