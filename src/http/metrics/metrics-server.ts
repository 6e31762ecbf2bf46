import type { Server } from 'node:http'
import { createServer } from '../node-http.ts'
import type { Metrics } from './metrics.ts'

/** The maximum number of connections. A scraper needs one. */
const CONNECTIONS_MAX = 16

/** A server that answers only GET /metrics, for a port that only the operator can reach. The caller makes it listen. */
export function createMetricsServer(metrics: Metrics): Server {
  const server = createServer(
    { requestTimeout: 5_000, headersTimeout: 5_000, keepAliveTimeout: 90_000 },
    (request, response) => {
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
        response
          .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
          .end('This port has only GET /metrics.\n')
        return
      }
      metrics.expose().then(
        ({ type, body }) => response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
        () => response.writeHead(503).end(),
      )
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return server
}
