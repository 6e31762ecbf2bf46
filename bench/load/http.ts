import { connect, type Socket } from 'node:net'

/** The answer of a server. `text` decodes the body, and must be called before the next request is sent. */
export type Answer = { status: number; text(): string }
type HttpConnection = {
  /**
   * Sends one complete request unchanged and resolves with its answer. Only one request may be in progress. Rejects if the connection
   * breaks.
   */
  send(request: string): Promise<Answer>
  close(): void
}

const HEAD_END = '\r\n\r\n'
/** The buffer of reads, shared by all connections: each read is copied before the next. */
const CHUNK = Buffer.alloc(131_072)

/** A request without a body or with a JSON body. `fields` are whole header lines, each ended by CR LF. */
export function requestText(method: string, path: string, fields = '', body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${fields}`
  if (body === undefined) return `${head}\r\n`
  const type = /^content-type:/im.test(fields) ? '' : 'content-type: application/json\r\n'
  return `${head}${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/**
 * A persistent connection to the service at `url` that parses as little of an answer as possible. A request takes node:http as long as it
 * takes a service, so node:http would dominate the measurement. Reopens a connection that the service closed between two requests.
 */
export function openHttp(url: string): HttpConnection {
  const { hostname, port } = new URL(url)
  let read = Buffer.alloc(CHUNK.length)
  let filled = 0
  /** Minimum number of bytes that must have been read before the answer is parsed again. */
  let due = 0
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  const take = (size: number): boolean => {
    if (filled + size > read.length) read = Buffer.concat([read], 2 * (filled + size))
    CHUNK.copy(read, filled, 0, size)
    filled += size
    if (filled < due) return true
    const parsed = parseAnswer(read.subarray(0, filled))
    due = parsed.end
    if (parsed.answer === undefined) return true
    const answered = waiting
    waiting = undefined
    if (filled === parsed.end) answered?.resolve(parsed.answer)
    else answered?.reject(new Error('The service answered more than was asked.'))
    filled = 0
    due = 0
    return true
  }
  const open = (): Socket => {
    const onread = { buffer: CHUNK, callback: take }
    const made = connect({ host: hostname, port: Number(port), onread, noDelay: true })
    filled = 0
    due = 0
    const fail = (error: Error): void => {
      if (made !== socket) return
      waiting?.reject(error)
      waiting = undefined
    }
    made.on('error', fail)
    made.on('close', () => fail(new Error('The service closed the connection.')))
    return made
  }
  let socket = open()
  return {
    send: request =>
      new Promise((resolve, reject) => {
        if (socket.destroyed || socket.readableEnded) socket = open()
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

type Parsed = { answer?: Answer; end: number }

/** Parses the bytes read so far. Returns the answer and its end, or the minimum number of bytes needed if the answer is incomplete. */
export function parseAnswer(read: Buffer): Parsed {
  const missing = (end = read.length + 1): Parsed => ({ end })
  const headEnd = read.indexOf(HEAD_END)
  if (headEnd === -1) return missing()
  const head = read.toString('latin1', 0, headEnd)
  const status = Number(head.slice(9, 12))
  const from = headEnd + HEAD_END.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    const end = from + Number(length)
    return read.length < end ? missing(end) : { answer: { status, text: () => read.toString('utf8', from, end) }, end }
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { answer: { status, text: () => '' }, end: from }
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const line = read.indexOf('\r\n', at)
    if (line === -1) return missing()
    const size = Number.parseInt(read.toString('latin1', at, line), 16)
    const end = line + 2 + size + 2
    if (read.length < end) return missing(end)
    if (size === 0) return { answer: { status, text: () => Buffer.concat(chunks).toString() }, end }
    chunks.push(read.subarray(line + 2, end - 2))
    at = end
  }
}
