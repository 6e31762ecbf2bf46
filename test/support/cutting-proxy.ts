import { connect, createServer, type Socket } from 'node:net'

/** The moment to cut a connection: during a statement, during a statement with a secret, or before the answer to a COMMIT arrives. */
export type Cut = 'statement' | 'secret' | 'commit'

/** A proxy on loopback in front of a PostgreSQL server. It cuts connections on request. */
export type CuttingProxy = {
  port: number
  /** Cuts the next connection that reaches this moment. Resolves after the cut. */
  cut(when: Cut): Promise<void>
  /** Starts to count data chunks in both directions. Cuts the connection of the `nth` chunk instead of forwarding it. */
  cutAt(nth: number): void
  /** Forwards no data of any connection in either direction until `thaw`, which delivers the data sent since. */
  freeze(): void
  thaw(): void
  /** The number of data chunks in both directions since `cutAt`. */
  counted(): number
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const COMMITTED = Buffer.from('COMMIT\0')
const SECRET = Buffer.from('INSERT INTO secret ')

export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let waiting: { when: Cut; done: () => void } | undefined
  const take = (when: Cut): boolean => {
    if (waiting?.when !== when) return false
    const { done } = waiting
    waiting = undefined
    done()
    return true
  }
  let passed = 0
  let nth = 0
  const isNth = (): boolean => ++passed === nth
  let frozen = false
  const server = createServer(client => {
    const upstream = connect(serverPort, '127.0.0.1')
    const cutBoth = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      if (frozen) socket.pause()
      sockets.add(socket)
      socket.on('error', cutBoth)
      socket.on('close', () => {
        sockets.delete(socket)
        cutBoth()
      })
    }
    client.on('data', bytes => {
      if (isNth() || (bytes.length > LONG && take('statement')) || (bytes.includes(SECRET) && take('secret'))) cutBoth()
      else upstream.write(bytes)
    })
    // The server has committed, but its answer does not arrive.
    upstream.on('data', bytes => {
      if (isNth() || (bytes.includes(COMMITTED) && take('commit'))) cutBoth()
      else client.write(bytes)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const proxy: CuttingProxy = {
    port: (server.address() as { port: number }).port,
    cut: when =>
      new Promise(done => {
        waiting = { when, done }
      }),
    cutAt(wanted) {
      passed = 0
      nth = wanted
    },
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    counted: () => passed,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  }
  return proxy
}

/** Minimum size in bytes of a batch of statements with rows. All other messages of a session are shorter. */
const LONG = 600
