import { connect } from 'node:net'

/** The number of requests in a packet, and the number of such packets in progress on one connection. */
const BATCH = 32
const STATUS = /HTTP\/1\.1 (\d{3})/g
const HEAD = 'HTTP/1.1 200'.length

/** Sends pipelined GET requests as fast as they are answered. Returns the number of answers of each status. */
export async function sendMany(
  url: string,
  count: number,
  requestOf: (n: number) => { path: string; headers: Record<string, string> },
  connections = 4,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  let next = 0
  const batch = (): { text: string; size: number } => {
    let text = ''
    let size = 0
    for (; size < BATCH && next < count; size++, next++) {
      const { path, headers } = requestOf(next)
      const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      text += `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('')}\r\n`
    }
    return { text, size }
  }
  const { port } = new URL(url)
  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      let waiting = 0
      let rest = ''
      const more = (): void => {
        const { text, size } = batch()
        waiting = size
        if (size === 0) socket.destroy()
        else socket.write(text)
      }
      socket.setEncoding('latin1')
      socket.on('connect', more)
      socket.on('data', (chunk: string) => {
        const text = rest + chunk
        let seen = 0
        for (const found of text.matchAll(STATUS)) {
          statuses.set(Number(found[1]), (statuses.get(Number(found[1])) ?? 0) + 1)
          waiting--
          seen = found.index + HEAD
        }
        rest = text.slice(Math.max(seen, text.length - HEAD + 1))
        if (waiting === 0) more()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, drive))
  return statuses
}
