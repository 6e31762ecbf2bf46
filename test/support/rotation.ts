import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One address on loopback for several nodes. Each request goes to the next node. */
export type Rotation = {
  url: string
  /** Number of requests that each node received. */
  handed: readonly number[]
  close(): Promise<void>
}

export async function startRotation(urls: readonly string[]): Promise<Rotation> {
  const handed = urls.map(() => 0)
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const node = turn++ % urls.length
    handed[node] = (handed[node] ?? 0) + 1
    const { method, headers, url: path } = incoming
    const { hostname, port } = new URL(urls[node] ?? '')
    const onward = request({ agent, hostname, port, method, headers, path }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.on('error', () => outgoing.destroy())
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handed,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
        agent.destroy()
      }),
  }
}
