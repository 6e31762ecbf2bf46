import { connect } from 'node:net'

const ANSWER = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\ncontent-length: (\d+)\r\n[\s\S]*?\r\n\r\n/i

/** Sends GET requests on each connection, one after another. Returns the number of answers of each status. */
export async function sendMany(
  url: string,
  count: number,
  requestOf: (n: number) => { path: string; headers: Record<string, string> },
  connections = 4,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const { port } = new URL(url)
  let sent = 0
  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      let received = ''
      const sendNext = (): void => {
        if (sent === count) {
          socket.destroy()
          return
        }
        const { path, headers } = requestOf(sent++)
        const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('')}\r\n`)
      }
      socket.setEncoding('latin1')
      socket.on('connect', sendNext)
      socket.on('data', (chunk: string) => {
        received += chunk
        const [head, status, length] = ANSWER.exec(received) ?? []
        if (head === undefined || received.length < head.length + Number(length)) return
        statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1)
        received = ''
        sendNext()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, drive))
  return statuses
}
