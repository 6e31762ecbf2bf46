import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { call } from '../support/client.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { percentile } from '../support/times.ts'
import { hammer } from './hammer.ts'
import { timesOfHealth } from './health-times.ts'

const CONNECTIONS = 64
const MILLISECONDS = 3_000
/** The address of the flood. */
const HAMMERS = '127.0.0.2'
/** The longest time of /health in milliseconds; on a busy machine this many times the undisturbed time. */
const PROMPT = 100
const SLOWER = 4
/** Ticks of processor time in a second. */
const TICKS = 100

const directory = makeDirectory()
let server: ServerProcess
let undisturbed = 0
before(async () => {
  server = await startServer(directory.path, { env: { READ_LIMIT_PER_MINUTE: '120', WRITE_LIMIT_PER_MINUTE: '10' } })
  // The first message to /mcp loads the modules of the protocol.
  await call(server.url, 'POST', '/mcp', { body: {} })
  undisturbed = Math.max(...(await timesOfHealth(server.url, 1_000)))
})
after(async () => {
  await server.stop()
  directory.remove()
})

/** Seconds of processor time that the service has taken so far. */
function processorSeconds(): number {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

const asked = (path: string, fields = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`
function message(method: string, params: object = {}): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const fields = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n'
  return `POST /mcp HTTP/1.1\r\nHost: x\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`
}
const HTML = 'Accept: text/html\r\n'
const STYLE = /\/assets\/[\w-]+\/style\.css/

/** All uncharged requests, and all refused ones. */
async function requests(): Promise<Record<string, string>> {
  const home = (await call(server.url, 'GET', '/publish')).text
  const style = STYLE.exec(home)?.[0] ?? ''
  const etag = (await call(server.url, 'GET', '/openapi.json')).headers.get('etag')
  return {
    'a refused read': asked('/api/entries?limit=50'),
    'a refused page': asked('/search', HTML),
    '/health': asked('/health'),
    '/ready': asked('/ready'),
    '/openapi.json': asked('/openapi.json'),
    '/openapi.json unchanged': asked('/openapi.json', `If-None-Match: ${etag}\r\n`),
    '/agents.md': asked('/agents.md'),
    '/llms.txt': asked('/llms.txt'),
    '/.well-known/api-catalog': asked('/.well-known/api-catalog'),
    '/.well-known/security.txt': asked('/.well-known/security.txt'),
    '/robots.txt': asked('/robots.txt'),
    '/agents': asked('/agents', HTML),
    '/agents as JSON': asked('/agents', 'Accept: application/json\r\n'),
    '/docs/api': asked('/docs/api', HTML),
    '/docs/errors': asked('/docs/errors', HTML),
    '/docs/errors/{code}': asked('/docs/errors/RATE_LIMITED', HTML),
    '/publish': asked('/publish', HTML),
    '/actor': asked('/actor', HTML),
    '/admin': asked('/admin', HTML),
    '/entries': asked('/entries', HTML),
    'a style sheet': asked(style),
    'a style sheet of an older version': asked(style.replace(/[\w-]+\/style/, 'older/style')),
    'no path': asked('/nowhere'),
    'no page': asked('/nowhere', HTML),
    'no Host': 'GET /health HTTP/1.1\r\n\r\n',
    OPTIONS: 'OPTIONS /api/entries HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /mcp': asked('/mcp'),
    'POST /mcp: initialize': message('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }),
    'POST /mcp: tools/list': message('tools/list'),
    'POST /mcp: no tool': message('tools/call', { name: 'none', arguments: {} }),
    'POST /mcp: no JSON': message('x').replace('{"jsonrpc"', '["jsonrpc"'),
  }
}

/** Some that are sent many at once on each connection. */
const PIPELINED: Record<string, string> = {
  'no path': asked('/nowhere'),
  '/openapi.json': asked('/openapi.json'),
  'a refused read': asked('/api/entries?limit=50'),
}
const AT_ONCE = [50, 1_000, 10_000]

async function kinds(): Promise<{ name: string; request: string; pipelined: number }[]> {
  const single = Object.entries(await requests()).map(([name, request]) => ({ name, request, pipelined: 1 }))
  const several = AT_ONCE.flatMap(pipelined =>
    Object.entries(PIPELINED).map(([name, request]) => ({ name: `${name}, ${pipelined} at once`, request, pipelined })),
  )
  return [...single, ...several]
}

test('/health answers at once while one address floods uncharged paths', async context => {
  const late: string[] = []
  for (const { name, request, pipelined } of await kinds()) {
    const used = processorSeconds()
    const how = { connections: CONNECTIONS, from: HAMMERS, milliseconds: MILLISECONDS }
    const order = { url: server.url, request, pipelined, ...how }
    const [{ answered, statuses }, times] = await Promise.all([hammer(order), timesOfHealth(server.url, MILLISECONDS)])
    const each = (1e6 * (processorSeconds() - used)) / answered
    const longest = Math.max(...times)
    context.diagnostic(
      `${name}: ${Math.round(each)} µs of processor time, ${JSON.stringify(statuses)}; /health p50 ${percentile(times, 50).toFixed(1)} ms, longest ${longest.toFixed(1)} ms`,
    )
    if (longest > Math.max(PROMPT, SLOWER * undisturbed)) late.push(`${name}: ${Math.round(longest)} ms`)
  }
  assert.deepEqual(late, [])
})
