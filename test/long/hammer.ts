import { fork } from 'node:child_process'
import { connect } from 'node:net'

/** The load of one process. Each of its connections, all from one address, repeats the same request after each answer. */
export type Hammering = {
  url: string
  request: string
  /** Number of requests in one pipelined packet. */
  pipelined: number
  connections: number
  from: string
  milliseconds: number
}
export type Hammered = { answered: number; statuses: Record<string, number> }

/** Sends the load from another process, so that the caller can measure at the same time. */
export function hammer(order: Hammering): Promise<Hammered> {
  const child = fork(import.meta.filename, [JSON.stringify(order)])
  return new Promise((resolve, reject) => {
    child.once('message', message => resolve(message as Hammered))
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`The process that hammers ended with ${code}.`)))
  })
}

const CHUNK = Buffer.alloc(131_072)

function send({ url, request, pipelined, connections, from, milliseconds }: Hammering): void {
  const { port } = new URL(url)
  const until = performance.now() + milliseconds
  const hammered: Hammered = { answered: 0, statuses: {} }
  let open = connections
  const text = request.repeat(pipelined)
  const drive = (): void => {
    let head = ''
    let left = -1
    let unanswered = pipelined
    const take = (size: number): boolean => {
      let at = 0
      while (at < size) {
        if (left < 0) {
          head += CHUNK.toString('latin1', at, size)
          const end = head.indexOf('\r\n\r\n')
          if (end < 0) return true
          const before = head.length - (size - at)
          left = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0)
          if (/^HTTP\/1.1 (?:304|204)/.test(head)) left = 0
          const status = head.slice(9, 12)
          hammered.statuses[status] = (hammered.statuses[status] ?? 0) + 1
          at += end + 4 - before
          head = ''
        }
        const taken = Math.min(left, size - at)
        left -= taken
        at += taken
        if (left > 0) return true
        left = -1
        hammered.answered += 1
        if (--unanswered > 0) continue
        unanswered = pipelined
        if (performance.now() < until) socket.write(text)
        else socket.destroy()
      }
      return true
    }
    const socket = connect({
      host: '127.0.0.1',
      port: Number(port),
      localAddress: from,
      noDelay: true,
      onread: { buffer: CHUNK, callback: take },
    })
    socket.write(text)
    socket.on('error', () => {})
    socket.on('close', () => {
      if (performance.now() < until) drive()
      else if (--open === 0) process.send?.(hammered, () => process.exit())
    })
  }
  for (let n = 0; n < connections; n++) drive()
}

const [order] = process.argv.slice(2)
if (process.argv[1] === import.meta.filename && order !== undefined) send(JSON.parse(order) as Hammering)
