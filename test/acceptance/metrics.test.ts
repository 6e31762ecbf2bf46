import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { VERSION } from '../../src/contract/version.ts'
import { startApp, useApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { ENGINE } from '../support/engine.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

let token: string
let entry: Entry
const app = useApp({ METRICS_PORT: '0' }, async () => {
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
})

/** The samples of the text format, by name with labels. */
async function scrape(base = app.url): Promise<Map<string, number>> {
  const answer = await call(base, 'GET', '/metrics', { headers: AS_ADMIN })
  expectStatus(answer, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const samples = new Map<string, number>()
  for (const line of answer.text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', value] = /^([a-zA-Z_:][\w:]*(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? []
    assert.ok(name !== '' && !samples.has(name), line)
    samples.set(name, Number(value))
  }
  return samples
}

test('requests are counted by operation and status, refusals by code', async () => {
  const ask = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
    expectProblem(await call(app.url, 'GET', '/api/entries/nothing'), 404, 'ENTRY_NOT_FOUND')
    expectProblem(await call(app.url, 'GET', '/nothing-here'), 404, 'ROUTE_NOT_FOUND')
    await newEntry(app.url, token)
  }
  const before = await scrape()
  await ask()
  const after = await scrape()
  const rise = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  assert.equal(rise('palimpsest_requests_total{operation="readEntry",status="200"}'), 3)
  assert.equal(rise('palimpsest_requests_total{operation="readEntry",status="404"}'), 1)
  assert.equal(rise('palimpsest_requests_total{operation="none",status="404"}'), 1)
  assert.equal(rise('palimpsest_requests_total{operation="createEntry",status="201"}'), 1)
  assert.equal(rise('palimpsest_request_seconds_count{operation="readEntry"}'), 4)
  assert.equal(rise('palimpsest_request_seconds_bucket{operation="readEntry",le="+Inf"}'), 4)
  assert.ok(rise('palimpsest_request_seconds_sum{operation="readEntry"}') > 0)
  assert.equal(rise('palimpsest_problems_total{code="ENTRY_NOT_FOUND"}'), 1)
  assert.ok(rise('palimpsest_commits_total') >= 1)
  assert.ok(rise('palimpsest_committed_writes_total') >= 1)
  assert.equal(rise('palimpsest_public_records{kind="entries"}'), 1)
})

test('the buckets of a histogram are cumulative, and the state of the store is exposed', async () => {
  await call(app.url, 'POST', '/api/reports', { body: { targetType: 'ENTRY', targetId: entry.id, reason: 'SPAM' } })
  const samples = await scrape()
  const classes = [...samples].filter(([name]) => /_bucket\{operation="createEntry"/.test(name)).map(([, n]) => n)
  assert.ok(classes.length > 10)
  assert.deepEqual(
    classes,
    classes.toSorted((a, b) => a - b),
  )
  assert.equal(classes.at(-1), samples.get('palimpsest_request_seconds_count{operation="createEntry"}'))
  assert.equal(samples.get('palimpsest_ready'), 1)
  assert.equal(samples.get('palimpsest_open_reports'), 1)
  assert.equal(samples.get(`palimpsest_build_info{version="${VERSION}",node="${process.versions.node}"}`), 1)
  assert.ok((samples.get('palimpsest_disk_free_bytes') ?? 0) > 0)
  assert.ok((samples.get('palimpsest_oldest_report_seconds') ?? 0) > 0)
  assert.equal(samples.has('palimpsest_database_sessions'), ENGINE === 'postgres')
  for (const name of [
    'open_streams',
    'writes_waiting',
    'oldest_write_seconds',
    'searches_waiting',
    'search_index_lag_records',
    'records',
  ]) {
    assert.ok((samples.get(`palimpsest_${name}`) ?? -1) >= 0, name)
  }
  const parts = [...samples].filter(([name]) => name.startsWith('palimpsest_store_bytes{'))
  assert.ok(parts.length > 0 && parts.every(([, bytes]) => bytes > 0), JSON.stringify(parts))
  for (const name of ['process_resident_memory_bytes', 'palimpsest_event_loop_lag_seconds_count'])
    assert.ok(samples.has(name))
})

test('labels are only names of our tables and known codes, for any request', async () => {
  await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      call(app.url, n % 2 === 0 ? 'GET' : 'PUT', `/api/entries/${'x'.repeat(n)}%22%0a/${n}?a="${n}`, {
        headers: { 'user-agent': `agent-${n}` },
      }),
    ),
  )
  const known = new Set([...Object.keys(OPERATIONS), 'metrics', 'none'])
  for (const name of (await scrape()).keys()) {
    const [, operation] = /operation="([^"]*)"/.exec(name) ?? []
    assert.ok(operation === undefined || known.has(operation), name)
    assert.doesNotMatch(name, /agent-|xxxx/)
  }
})

test('metrics need the admin token, and web pages cannot read them', async () => {
  expectProblem(await call(app.url, 'GET', '/metrics'), 401, 'ADMIN_TOKEN_REQUIRED')
  expectProblem(
    await call(app.url, 'GET', '/metrics', { headers: { authorization: 'Bearer x' } }),
    401,
    'ADMIN_TOKEN_INVALID',
  )
  expectProblem(await call(app.url, 'GET', '/metrics', { token }), 401, 'ADMIN_TOKEN_REQUIRED')
  expectProblem(await call(app.url, 'POST', '/metrics', { headers: AS_ADMIN }), 404, 'ROUTE_NOT_FOUND')
  const answer = await call(app.url, 'GET', '/metrics', { headers: { ...AS_ADMIN, origin: 'https://web.example' } })
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
  assert.match(answer.headers.get('ratelimit') ?? '', /"read-origin"/)
})

test('the trace id of a request is in its log line, only if its field is well-formed', async () => {
  const lineOf = (requestId: string | null) =>
    app
      .log()
      .split('\n')
      .map(line => (line === '' ? {} : JSON.parse(line)) as { requestId?: string; traceId?: string; msg?: string })
      .find(line => line.requestId === requestId && line.msg === 'request')
  const ask = async (traceparent: string, path: string) => {
    const answer = await call(app.url, 'GET', path, { headers: { traceparent } })
    return lineOf(answer.headers.get('x-request-id'))
  }
  const trace = '0af7651916cd43dd8448eb211c80319c'
  for (const path of [
    `/api/entries/${entry.slug}`,
    `/api/entries/${entry.slug}`,
    '/api/entries/nothing',
    '/api/stats',
  ]) {
    assert.equal((await ask(`00-${trace}-b7ad6b7169203331-01`, path))?.traceId, trace, path)
    const line = await ask(`00-${trace}-b7ad6b7169203331-01-x`, path)
    assert.ok(line !== undefined && !('traceId' in line), path)
  }
})

test('METRICS_PORT serves the same metrics without a token, and nothing else', async () => {
  const base = (app.metricsUrl ?? '').replace(/\/metrics$/, '')
  assert.match(base, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.notEqual(base, app.url)
  const answer = await call(base, 'GET', '/metrics?x=1')
  expectStatus(answer, 200)
  assert.match(answer.text, /^palimpsest_ready 1$/m)
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/api/entries'],
    ['POST', '/metrics'],
    ['GET', '/metrics/'],
  ]) {
    assert.equal((await call(base, method ?? '', path ?? '')).status, 404, `${method} ${path}`)
  }
})

test('requests that a limit refuses are counted by the policy of the limit, from 0', async () => {
  const at = Date.now()
  const limited = await startApp({ WRITE_LIMIT_PER_MINUTE: '2' }, { now: () => at })
  const refused = async (policy: string) =>
    (await scrape(limited.url)).get(`palimpsest_limits_refused_total{policy="${policy}"}`)
  for (const policy of ['read-origin', 'read-network', 'read-token', 'write-origin', 'write-network', 'write-token'])
    assert.equal(await refused(policy), 0, policy)
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push((await call(limited.url, 'POST', '/api/actors', { body: {} })).status)
  assert.deepEqual(statuses, [201, 201, 429, 429, 429])
  assert.equal(await refused('write-origin'), 3)
  assert.equal(await refused('read-origin'), 0)
  await limited.close()
})

test('the size of the signed log is exposed, and its lag ends', async () => {
  const state = async () => {
    const samples = await scrape()
    return [
      samples.get('palimpsest_log_records'),
      samples.get('palimpsest_log_lag_records'),
      samples.get('palimpsest_records'),
    ]
  }
  await newEntry(app.url, token)
  await eventually('the log has all records', 60_000, async () => {
    const [signed = 0, lag, records] = await state()
    return lag === 0 && signed > 0 && signed === records ? true : undefined
  })
})

test('the working time of each thread is exposed, and does not grow while the thread waits', async () => {
  const name = (thread: string) => `palimpsest_thread_active_seconds_total{thread="${thread}"}`
  const threads = ['main', 'follower', 'search', ...(ENGINE === 'embedded' ? ['writer'] : [])]
  expectStatus(await call(app.url, 'GET', '/api/find?q=anything'), 200)
  await eventually('every thread has worked and waits', 60_000, async () => {
    const began = performance.now()
    const before = await scrape()
    for (const thread of threads) if (!((before.get(name(thread)) ?? 0) > 0)) return undefined
    await setTimeout(1_000)
    const after = await scrape()
    const seconds = (performance.now() - began) / 1_000
    const shares = threads.map(thread => ((after.get(name(thread)) ?? 0) - (before.get(name(thread)) ?? 0)) / seconds)
    return shares.every(share => share >= 0 && share < 0.5) ? true : undefined
  })
  await newEntry(app.url, token)
})

test('an open stream is counted until it ends', async () => {
  const before = (await scrape()).get('palimpsest_open_streams') ?? 0
  const ending = new AbortController()
  const answer = await fetch(`${app.url}/api/activity/stream`, { signal: ending.signal })
  assert.equal((await scrape()).get('palimpsest_open_streams'), before + 1)
  ending.abort()
  await answer.body?.cancel().catch(() => {})
  await eventually('the stream has ended', 60_000, async () =>
    (await scrape()).get('palimpsest_open_streams') === before ? true : undefined,
  )
})

test('the status lists what the service knows of itself, for administrators only', async () => {
  expectProblem(await call(app.url, 'GET', '/admin/status'), 401, 'ADMIN_TOKEN_REQUIRED')
  type Status = { findings: { mark: string; what: string; finding: string }[] }
  const answer = await call<Status>(app.url, 'GET', '/admin/status', { headers: AS_ADMIN })
  const { findings } = expectStatus(answer, 200)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('access-control-allow-origin'), null)
  const found = new Map(findings.map(({ what, mark }) => [what, mark]))
  for (const what of [
    'version',
    'ready',
    'sizes',
    'search index',
    'public log',
    'reports',
    'free space',
    'proxy',
    'limits hit',
  ])
    assert.ok(found.has(what), what)
  assert.equal(found.get('ready'), 'ok')
  const browser = await fetch(`${app.url}/admin/status`, { headers: { accept: 'text/html' }, redirect: 'manual' })
  assert.deepEqual([browser.status, browser.headers.get('location')], [303, '/admin#status'])
})
