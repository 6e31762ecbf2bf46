import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { LIMITS } from '../contract/limits.ts'
import { Problem } from '../contract/problems.ts'
import { problemAnswer } from './errors.ts'

/** Requests of one connection that may wait for the answer before them, and the bytes of their bodies; past either the connection ends. */
const WAITING_MAX = 64
const WAITING_BYTES_MAX = 8 * LIMITS.bodyBytes
/** Milliseconds after which a connection whose bytes were refused is destroyed, even if its client neither reads nor closes. */
const LINGER = 2_000

type Handle = (request: IncomingMessage, response: ServerResponse) => void
type Waiting = { request: IncomingMessage; response: ServerResponse; bytes: number }
type Connection = {
  socket: Socket
  /** The request that came last. */
  last?: IncomingMessage
  /** The response that is under way. */
  current?: ServerResponse | undefined
  waiting: Waiting[]
  isRefused: boolean
  /** Called once no request waits and no response is under way. */
  afterwards?: () => void
}

/**
 * What each connection has under way. Pipelined requests are handled one after another, as their answers are read: the answers to a client
 * that does not read take the memory of one, and each turn of the event loop has at most one request of each connection.
 */
export function createConnections(logger: Logger) {
  const connections = new WeakMap<Socket, Connection>()
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket) ?? { socket, waiting: [], isRefused: false }
    connections.set(socket, known)
    return known
  }
  return {
    /** Gives `handle` the requests of each connection in their order. */
    inOrder(handle: Handle): Handle {
      const { run } = createOrder(handle)
      return (request, response) => {
        const connection = connectionOf(request.socket)
        connection.last = request
        if (connection.current === undefined && connection.waiting.length === 0) run(connection, request, response)
        else wait(connection, request, response)
      }
    },
    /** Answers bytes that are no HTTP request with the error shape, once the requests before them are answered, and ends the connection. */
    refuse(error: Error & { code?: string }, socket: Socket): void {
      const connection = connectionOf(socket)
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else if (!connection.isRefused) refuse(connection, () => endWithProblem(socket, error.code, logger))
    },
  }
}

function createOrder(handle: Handle) {
  const run = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.current = response
    response.once('close', () => {
      connection.current = undefined
      if (connection.socket.destroyed) connection.waiting = []
      else if (connection.waiting.length > 0) setImmediate(next, connection)
      else connection.afterwards?.()
    })
    handle(request, response)
  }
  const next = (connection: Connection): void => {
    const first = connection.waiting.shift()
    if (first === undefined) connection.afterwards?.()
    else run(connection, first.request, first.response)
  }
  return { run }
}

function wait({ socket, waiting }: Connection, request: IncomingMessage, response: ServerResponse): void {
  waiting.push({ request, response, bytes: announcedBytes(request) })
  const bytes = waiting.reduce((sum, one) => sum + one.bytes, 0)
  if (waiting.length > WAITING_MAX || bytes > WAITING_BYTES_MAX) {
    waiting.length = 0
    socket.destroy()
  }
}

function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return LIMITS.bodyBytes
  return Number(headers['content-length'] ?? 0)
}

/** Ends a connection in which something is no HTTP: the body of its last request, or what follows that request. */
function refuse(connection: Connection, answer: () => void): void {
  const { socket, last, current, waiting } = connection
  connection.isRefused = true
  const isWithin = last?.complete === false
  const isUnanswered = current?.headersSent === false
  // A request without the rest of its body is not handled.
  if (isWithin && waiting.at(-1)?.request === last) waiting.pop()
  // Where its answer is there already, a second one would be that to a later request.
  else if (isWithin && !isUnanswered) connection.afterwards = () => socket.destroy()
  else if (isWithin) answer()
  connection.afterwards ??= answer
  if (current === undefined && waiting.length === 0) connection.afterwards()
}

function endWithProblem(socket: Socket, reason: string | undefined, logger: Logger): void {
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
  socket.end([`HTTP/1.1 ${status} Bad Request`, ...head, '', body].join('\r\n'))
  // Destroyed at once, bytes that the client goes on to send would take the answer from it.
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}
