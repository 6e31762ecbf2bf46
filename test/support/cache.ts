import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './at-end.ts'

export type Purge = { tags: string[]; headers: Record<string, string | string[] | undefined> }
export type PurgedCache = {
  url: string
  /** All requests so far, including refused ones. */
  purges: Purge[]
  /** The status of the answers. */
  status: number
  /** The maximum number of concurrent requests. */
  most: number
  close(): void
}

/** Starts an HTTP server that replaces a cache. It records each purge and answers after 20 ms. */
export async function startPurgedCache(): Promise<PurgedCache> {
  let open = 0
  const server = createServer(async (request, response) => {
    cache.most = Math.max(cache.most, ++open)
    let body = ''
    for await (const piece of request) body += piece
    cache.purges.push({ ...(JSON.parse(body) as { tags: string[] }), headers: request.headers })
    setTimeout(() => {
      open -= 1
      response.writeHead(cache.status).end()
    }, 20)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cache: PurgedCache = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/purge`,
    ...{ purges: [], status: 204, most: 0 },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  atEnd(async () => cache.close())
  return cache
}
