import { connect, type Socket } from 'node:net'

export type Answer = { status: number; body: string }
export type RawClient = {
  /** Sends one request and resolves with its answer; one at a time. */
  send(method: 'GET' | 'POST', path: string, body?: string, token?: string): Promise<Answer>
  close(): void
}

/**
 * A connection kept alive that sends one request after the other to the service at `url` and reads no more of an answer than it must:
 * node:http takes as long for a request as the service does, and would be measured in its place. Answers need a Content-Length.
 * A connection that the service closed while nothing was under way is opened again.
 */
export function openRawClient(url: string): RawClient {
  const { hostname, port } = new URL(url)
  let read: Buffer = Buffer.alloc(0)
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined
  const take = (chunk: Buffer): void => {
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk])
    const end = read.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = read.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (read.length < end + 4 + length) return
    const body = read.toString('utf8', end + 4, end + 4 + length)
    read = read.subarray(end + 4 + length)
    const answered = waiting
    waiting = undefined
    answered?.resolve({ status: Number(head.slice(9, 12)), body })
  }
  const open = (): Socket => {
    const made = connect(Number(port), hostname).setNoDelay(true)
    const fail = (error: Error): void => waiting?.reject(error)
    made.on('error', fail)
    made.on('close', () => fail(new Error('The service closed the connection.')))
    return made.on('data', take)
  }
  let socket = open()
  return {
    send: (method, path, body, token) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed || socket.readableEnded) socket = open()
        waiting = { resolve, reject }
        const actor = token === undefined ? '' : `x-actor-token: ${token}\r\n`
        const type =
          body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
        socket.write(`${method} ${path} HTTP/1.1\r\nhost: palimpsest\r\n${actor}${type}\r\n${body ?? ''}`)
      }),
    close: () => socket.destroy(),
  }
}
