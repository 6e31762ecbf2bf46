import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The outcome of a request: its status, or undefined if no answer arrived in time, and the time in milliseconds. */
export type Ending = { status: number | undefined; retryAfter: boolean; after: number; at: number }

const TICK = 10
/**
 * Number of connections that are opened in advance and reused, like those of a proxy. A request without a free connection counts as
 * unanswered.
 */
const CONNECTIONS = 1_500

/**
 * Sends a request `rate` times per second for `milliseconds`, independent of the answers, like many independent clients. Each request waits
 * for `patience` milliseconds.
 */
export async function sendAtRate(
  url: string,
  requestOf: (n: number) => string,
  { rate, milliseconds, patience }: { rate: number; milliseconds: number; patience: number },
): Promise<Ending[]> {
  const { port } = new URL(url)
  const endings: Ending[] = []
  const idle: Socket[] = []
  let sent = 0
  for (let n = 0; n < CONNECTIONS; n++) idle.push(await connected(Number(port)))
  const send = (text: string): void => {
    const at = performance.now()
    let socket = idle.pop()
    // A connection that was closed while idle is opened again.
    if (socket?.writable === false || socket?.destroyed) socket = connect(Number(port), '127.0.0.1')
    const end = (status: number | undefined, retryAfter = false): void => {
      endings.push({ status, retryAfter, after: performance.now() - at, at })
    }
    if (socket === undefined) {
      end(undefined)
      return
    }
    let answer = ''
    const leave = (): void => {
      clearTimeout(late)
      socket.removeAllListeners()
      socket.on('error', () => {})
      socket.destroy()
    }
    const late = setTimeout(() => {
      leave()
      end(undefined)
    }, patience)
    socket.once('error', () => {
      leave()
      end(undefined)
    })
    socket.once('close', () => {
      leave()
      end(undefined)
    })
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (!isWhole(answer)) return
      end(Number(answer.slice(9, 12)), /^retry-after: /im.test(answer))
      if (/^connection: close/im.test(answer)) return leave()
      clearTimeout(late)
      socket.removeAllListeners()
      socket.once('error', leave)
      socket.once('close', leave)
      idle.push(socket)
    })
    socket.write(text)
  }
  const began = performance.now()
  for (let now = began; now - began < milliseconds; now = performance.now()) {
    for (; sent < ((now - began) * rate) / 1_000; sent++) send(requestOf(sent))
    await pause(TICK)
  }
  while (endings.length < sent) await pause(TICK)
  for (const socket of idle) socket.destroy()
  return endings
}

const connected = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.removeListener('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })

/** Whether an answer with a Content-Length is complete. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return false
  const length = Number(/^content-length: (\d+)/im.exec(answer.slice(0, head))?.[1] ?? 0)
  return answer.length >= head + 4 + length
}
