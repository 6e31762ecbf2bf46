import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import inject, { type InjectOptions } from 'light-my-request'
import type { Logger } from 'pino'
import { Problem } from '../contract/problem.ts'
import type { Decision } from '../memory/limits/rules.ts'
import { Connections, closeSlowReaders, closeUnknownPeers, handleExpectations, TIMEOUTS } from './connections.ts'
import type { Dispatcher } from './dispatcher.ts'
import { createServer } from './exchange.ts'

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
  /** Answers a request within the process, like one of a connection. `paid` pays for it if it is a read. Throws NOT_READY after `close`. */
  inject(request: InjectedRequest, paid?: Decision): Promise<InjectedAnswer>
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
  let closed = false
  return {
    server,
    async listen({ host, port }) {
      // The name `localhost` can have several addresses, of which Node would choose one.
      server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
      await once(server, 'listening')
    },
    async inject(request, paid) {
      if (closed) throw new Problem('NOT_READY', { retryAfter: 1, reason: 'stopping' })
      return inject(
        withVisibleFields((asked, response) => answer(asked, response, paid)),
        request,
      )
    },
    async close() {
      closed = true
      if (!server.listening) return
      const ended = new Promise(resolve => server.close(resolve))
      const drained = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
      const unused = setTimeout(() => connections.closeUnused(), UNUSED_TIMEOUT_MS)
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_INTERVAL_MS)
      await ended
      clearTimeout(drained)
      clearTimeout(unused)
      clearInterval(idle)
    },
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
