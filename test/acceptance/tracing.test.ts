import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { freePort } from '../support/ports.ts'
import { eventually } from '../support/process.ts'

const PATIENCE = 60_000
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'

/** The modules of OpenTelemetry that this process has loaded. The library of the metrics loads its API. */
const loaded = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    if (/^@opentelemetry\/(?!api$)/.test(specifier)) loaded.add(specifier)
    return next(specifier, context)
  },
})

type Value = { stringValue?: string; intValue?: number }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Value }[]
  status: { code: number }
}

/** A collector that records what it gets, unless `answer` answers instead. */
async function startCollector(answer?: RequestListener) {
  const bodies: string[] = []
  const fields: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    if (answer !== undefined) return answer(request, response)
    let body = ''
    request.setEncoding('utf8').on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      fields.push({ ...request.headers, url: request.url })
      bodies.push(body)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const spans = (): Span[] =>
    bodies.flatMap(body =>
      (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
        ({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans),
      ),
    )
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, bodies, fields, spans }
}

async function startTraced(endpoint: string, settings: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings })
  after(() => app.close().catch(() => {}))
  return app
}

const attributesOf = ({ attributes }: Span): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  const app = await startApp()
  await newEntry(app.url, (await newActor(app.url)).token)
  expectStatus(await call(app.url, 'GET', '/api/find?q=anything'), 200)
  await app.close()
  assert.deepEqual([...loaded], [])
})

test('a request is one span with method, route and status, and its commit and search are children', async () => {
  const collector = await startCollector()
  const app = await startTraced(`${collector.address}/`, { OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one%20two' })
  assert.ok(loaded.size > 0)
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
  expectProblem(await call(app.url, 'GET', '/api/entries/xylophone'), 404, 'ENTRY_NOT_FOUND')
  expectProblem(await call(app.url, 'GET', '/xylophone/path'), 404, 'ROUTE_NOT_FOUND')
  expectStatus(await call(app.url, 'GET', '/api/find?q=xylophone'), 200)
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'user-agent': 'xylophone' }
  expectStatus(await call(app.url, 'GET', '/api/admin/snapshot', { headers }), 200)
  const admin = await eventually('all spans have arrived', PATIENCE, async () =>
    collector.spans().find(({ name }) => name === 'GET /api/admin/snapshot'),
  )
  assert.equal(attributesOf(admin)['http.response.status_code'], 200)
  const spans = collector.spans()
  const one = (name: string): Span => {
    const found = spans.filter(span => span.name === name)
    assert.equal(found.length, 1, `${name} among ${spans.map(span => span.name)}`)
    return found[0] as Span
  }
  const create = one('POST /api/entries')
  assert.deepEqual(attributesOf(create), {
    'http.request.method': 'POST',
    'http.route': '/api/entries',
    'http.response.status_code': 201,
  })
  assert.equal(create.kind, 2)
  assert.equal(create.parentSpanId, undefined)
  assert.ok(BigInt(create.endTimeUnixNano) > BigInt(create.startTimeUnixNano))
  const commit = one('commit createEntry')
  assert.deepEqual([commit.traceId, commit.parentSpanId], [create.traceId, create.spanId])
  const search = one('search')
  assert.equal(search.parentSpanId, one('GET /api/find').spanId)
  const reads = spans.filter(({ name }) => name === 'GET /api/entries/{slug}')
  assert.deepEqual(reads.map(span => attributesOf(span)['http.response.status_code']).sort(), [200, 404])
  assert.deepEqual(attributesOf(one('GET')), { 'http.request.method': 'GET', 'http.response.status_code': 404 })
  const [fields] = collector.fields
  assert.equal(fields?.url, '/v1/traces')
  assert.equal(fields?.['x-tenant'], 'one two')
  const text = collector.bodies.join('\n')
  assert.match(text, /"service\.name","value":\{"stringValue":"palimpsest"\}/)
  for (const private_ of ['xylophone', token, ADMIN_TOKEN, entry.slug, entry.title, '127.0.0.1'])
    assert.ok(!text.includes(private_), private_)
  await app.close()
})

test('a span continues a well-formed traceparent, and its decision not to record', async () => {
  const collector = await startCollector()
  const app = await startTraced(collector.address)
  const ask = (traceparent: string) => call(app.url, 'GET', '/api/stats', { headers: { traceparent } })
  expectStatus(await ask(`00-${TRACE}-${CALLER}-01`), 200)
  expectStatus(await ask(`00-${TRACE}-${CALLER}-00`), 200)
  expectStatus(await ask(`00-${TRACE}-${CALLER}-01-more`), 200)
  expectStatus(await ask(`01-${TRACE}-${CALLER}-01-${'x'.repeat(600)}`), 200)
  expectStatus(await call(app.url, 'GET', '/api/discovery'), 200)
  await eventually('all spans have arrived', PATIENCE, async () =>
    collector.spans().find(({ name }) => name === 'GET /api/discovery'),
  )
  const spans = collector.spans().filter(({ name }) => name === 'GET /api/stats')
  const parents = spans.map(({ traceId, parentSpanId }) => [traceId === TRACE, parentSpanId])
  assert.deepEqual(parents.sort(), [
    [false, undefined],
    [false, undefined],
    [true, CALLER],
  ])
  await app.close()
})

test('the requests of a tool call are spans inside the span of its message', async () => {
  const collector = await startCollector()
  const app = await startTraced(collector.address)
  const params = { name: 'find', arguments: { query: 'xylophone' } }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const headers = { accept: 'application/json, text/event-stream' }
  expectStatus(await call(app.url, 'POST', '/mcp', { body, headers }), 200)
  const outer = await eventually('the span of the message has arrived', PATIENCE, async () =>
    collector.spans().find(({ name }) => name === 'POST /mcp'),
  )
  const inner = collector.spans().find(({ name }) => name === 'GET /api/find')
  assert.deepEqual([inner?.traceId, inner?.parentSpanId, inner?.kind], [outer.traceId, outer.spanId, 1])
  assert.ok(!collector.bodies.join('').includes('xylophone'))
  await app.close()
})

for (const [state, answer] of [
  ['refuses', (_, response) => response.writeHead(503).end()],
  ['never answers', () => {}],
  ['is not there', undefined],
] as [string, RequestListener | undefined][]) {
  test(`a collector that ${state} delays no request and no stop`, async () => {
    const address =
      answer === undefined ? `http://127.0.0.1:${await freePort()}` : (await startCollector(answer)).address
    const app = await startTraced(address)
    // More spans than may wait.
    const requests = 3_000
    for (let n = 0; n < requests; n += 100)
      await Promise.all(Array.from({ length: 100 }, () => call(app.url, 'GET', '/api/stats')))
    expectStatus(await call(app.url, 'GET', '/api/stats'), 200)
    const lines = () => app.log().match(/the collector of spans does not accept them/g)?.length ?? 0
    await eventually('the fault is logged', PATIENCE, async () => {
      await setTimeout(100)
      return lines() > 0 || undefined
    })
    assert.equal(lines(), 1)
    const began = performance.now()
    await app.close()
    assert.ok(performance.now() - began < 5_000, `${performance.now() - began} ms`)
  })
}
