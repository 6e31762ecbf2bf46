import { connect, type Socket } from 'node:net'

/** What a server answered; the body is decoded only when it is asked for. */
export type Answer = { status: number; text(): string }
export type HttpConnection = {
  /** Sends one whole request as it stands and resolves with its answer; one at a time. Rejects when the connection breaks meanwhile. */
  send(request: string): Promise<Answer>
  close(): void
}

const HEAD_END = '\r\n\r\n'
const NONE = Buffer.alloc(0)

/** The text of a request without a body, or with one of JSON. `fields` are whole header lines, each ended by CR LF. */
export function requestText(method: string, path: string, fields = '', body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${fields}`
  if (body === undefined) return `${head}\r\n`
  const type = /^content-type:/im.test(fields) ? '' : 'content-type: application/json\r\n'
  return `${head}${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/**
 * A connection kept alive to the service at `url` that reads no more of an answer than it must: node:http takes as long for a request
 * as a service does, and would be measured in its place. One that the service closed between two requests is opened again.
 */
export function openHttp(url: string): HttpConnection {
  const { hostname, port } = new URL(url)
  let read: Buffer = NONE
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  const take = (chunk: Buffer): void => {
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk])
    const parsed = parseAnswer(read)
    if (parsed === undefined) return
    read = read.subarray(parsed.end)
    const answered = waiting
    waiting = undefined
    answered?.resolve(parsed.answer)
  }
  const open = (): Socket => {
    const made = connect(Number(port), hostname).setNoDelay(true)
    read = NONE
    const fail = (error: Error): void => {
      if (made !== socket) return
      waiting?.reject(error)
      waiting = undefined
    }
    made.on('error', fail)
    made.on('close', () => fail(new Error('The service closed the connection.')))
    return made.on('data', take)
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

/** The first whole answer of what was read, and where it ends; nothing while some of it is missing. */
export function parseAnswer(read: Buffer): { answer: Answer; end: number } | undefined {
  const headEnd = read.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = read.toString('latin1', 0, headEnd)
  const status = Number(head.slice(9, 12))
  const from = headEnd + HEAD_END.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    const end = from + Number(length)
    return read.length < end ? undefined : { answer: { status, text: () => read.toString('utf8', from, end) }, end }
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { answer: { status, text: () => '' }, end: from }
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const line = read.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(read.toString('latin1', at, line), 16)
    const end = line + 2 + size + 2
    if (read.length < end) return undefined
    if (size === 0) return { answer: { status, text: () => Buffer.concat(chunks).toString() }, end }
    chunks.push(read.subarray(line + 2, end - 2))
    at = end
  }
}
