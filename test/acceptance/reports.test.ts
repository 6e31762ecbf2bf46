import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AdminReport,
  Entry,
  ModerationCounts,
  ReportOutcome,
  ReportReceipt,
} from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { AS_ADMIN, moderate, snapshot } from '../support/moderation.ts'

const COOLDOWN = 30
let token: string
let entry: Entry
const app = useApp({ COOLDOWN_SECONDS: String(COOLDOWN), TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
})

let networks = 0
const fresh = (): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${++networks}` })
const report = (targetType: string, targetId: string, more: object = {}, headers = fresh(), by?: string) =>
  call<ReportReceipt>(app.url, 'POST', '/api/reports', {
    body: { targetType, targetId, reason: 'SPAM', ...more },
    headers,
    ...(by === undefined ? {} : { token: by }),
  })
const list = async (query = '') =>
  expectStatus(
    await call<{ items: AdminReport[]; nextCursor: string | null }>(app.url, 'GET', `/api/admin/reports${query}`, {
      headers: AS_ADMIN,
    }),
    200,
  )
const resolve = (id: string, body: object) =>
  call<AdminReport>(app.url, 'POST', `/api/admin/reports/${id}`, { body, headers: AS_ADMIN })
const published = async (): Promise<Entry> => {
  app.advance((COOLDOWN + 1) * 1_000)
  return newEntry(app.url, token)
}

test('an entry, a revision and a piece of evidence are reported, and administrators see reporter and target', async () => {
  const verification = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' }
  const { id: evidence } = expectStatus(
    await call<{ id: string }>(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { token, body: verification }),
    201,
  )
  const { actor, token: own } = expectStatus(
    await call<{ actor: { id: string }; token: string }>(app.url, 'POST', '/api/actors', {
      body: {},
      headers: fresh(),
    }),
    201,
  )
  const targets = { ENTRY: entry.id, REVISION: entry.currentRevisionId, EVIDENCE: evidence }
  for (const [targetType, targetId] of Object.entries(targets)) {
    const made = expectStatus(await report(targetType, targetId.toUpperCase(), { details: 'Look.' }, fresh(), own), 201)
    const { id, createdAt, secret, ...rest } = made
    assert.deepEqual(rest, { targetType, targetId, reason: 'SPAM', details: 'Look.' })
    const [newest] = (await list()).items
    assert.match(newest?.originId ?? '', /^[\w-]{20,}$/)
    assert.deepEqual(newest, {
      ...{ id, createdAt, ...rest },
      ...{ entryId: entry.id, slug: entry.slug, title: entry.title, status: 'ACTIVE', actorId: actor.id },
      ...{ originId: newest?.originId, resolution: null, note: null, resolvedAt: null },
    })
  }
  assert.equal(((await snapshot(app.url)) as unknown as { reports: AdminReport[] }).reports[0]?.targetId, evidence)
})

test('a missing or withdrawn target is not reported', async () => {
  for (const type of ['ENTRY', 'REVISION', 'EVIDENCE']) {
    expectProblem((await report(type, '00000000-0000-0000-0000-000000000000')) as never, 404, 'TARGET_NOT_FOUND')
  }
  expectProblem((await report('REVISION', entry.id)) as never, 404, 'TARGET_NOT_FOUND')
  const hidden = await published()
  const contradiction = { revisionId: hidden.currentRevisionId, rationale: 'No.' }
  const { id: evidence } = expectStatus(
    await call<{ id: string }>(app.url, 'POST', `/api/entries/${hidden.slug}/contradict`, {
      token,
      body: contradiction,
    }),
    201,
  )
  await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
  expectProblem((await report('EVIDENCE', evidence)) as never, 410, 'ENTRY_WITHDRAWN')
  expectProblem((await report('ENTRY', hidden.id)) as never, 410, 'ENTRY_WITHDRAWN')
  expectProblem((await report('REVISION', hidden.currentRevisionId)) as never, 410, 'ENTRY_WITHDRAWN')
})

test('reports of one network have their own cooldown, and a second one of the same target replaces the first', async () => {
  const target = await published()
  const headers = fresh()
  const first = expectStatus(await report('ENTRY', target.id, { details: 'One.' }, headers), 201)
  const cooling = await report('ENTRY', target.id, {}, headers)
  expectProblem(cooling as never, 429, 'COOLDOWN')
  assert.ok(Number(cooling.headers.get('retry-after')) <= COOLDOWN)
  expectStatus(await call(app.url, 'POST', '/api/actors', { body: {}, headers }), 201)
  app.advance((COOLDOWN + 1) * 1_000)
  const second = expectStatus(await report('ENTRY', target.id, { reason: 'ABUSE', details: 'Two.' }, headers), 201)
  assert.equal(second.id, first.id)
  const open = (await list('?limit=50')).items.filter(({ targetId }) => targetId === target.id)
  assert.deepEqual(
    open.map(({ reason, details }) => `${reason} ${details}`),
    ['ABUSE Two.'],
  )
})

test('one target has at most twenty open reports; once they are closed it can be reported again', async () => {
  const target = await published()
  for (let n = 0; n < 20; n++) expectStatus(await report('ENTRY', target.id), 201)
  expectProblem((await report('ENTRY', target.id)) as never, 422, 'ALREADY_REPORTED')
  const open = (await list('?limit=50')).items.filter(({ targetId }) => targetId === target.id)
  assert.equal(open.length, 20)
  const { id = '' } = open[0] ?? {}
  const closed = expectStatus(await resolve(id.toUpperCase(), { resolution: 'DISMISSED', note: 'Harmless.' }), 200)
  assert.deepEqual(closed, { ...open[0], resolution: 'DISMISSED', note: 'Harmless.', resolvedAt: closed.resolvedAt })
  assert.deepEqual(expectStatus(await resolve(id, { resolution: 'ACTED' }), 200), closed, 'a closed report stays')
  expectStatus(await report('ENTRY', target.id), 201)
})

test('reports are listed page by page, the open ones or all', async () => {
  const walk = async (state: string): Promise<AdminReport[]> => {
    const found: AdminReport[] = []
    for (let before: string | null = ''; before !== null; ) {
      const page = await list(`?limit=3&state=${state}${before && `&before=${before}`}`)
      found.push(...page.items)
      before = page.nextCursor
    }
    return found
  }
  const target = await published()
  const made = [await report('ENTRY', target.id), await report('ENTRY', target.id)].map(
    one => expectStatus(one, 201).id,
  )
  await resolve(made[0] ?? '', { resolution: 'ACTED' })
  const [open, all] = [await walk('open'), await walk('all')]
  assert.deepEqual(
    open,
    all.filter(({ resolution }) => resolution === null),
  )
  assert.deepEqual(columnOf(all.slice(0, 2), 'id'), made.toReversed())
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
})

test('a blocked network may not report, and nothing of a report is public', async () => {
  const target = await published()
  const headers = fresh()
  expectStatus(await report('ENTRY', target.id, { details: 'Xylographicsecret' }, headers), 201)
  const { originId = '' } = (await list()).items[0] ?? {}
  await moderate(app.url, 'ORIGIN', originId ?? '', 'BLOCK')
  expectProblem((await report('REVISION', target.currentRevisionId, {}, headers)) as never, 403, 'ORIGIN_BLOCKED')
  for (const path of ['', '/evidence', '/timeline']) {
    const { text } = await call(app.url, 'GET', `/api/entries/${target.slug}${path}`)
    assert.doesNotMatch(text, /secret|report/i)
  }
  assert.doesNotMatch((await call(app.url, 'GET', '/api/activity?limit=50')).text, /secret|report/i)
  for (const headersOf of [{}, { authorization: 'Bearer wrong' }]) {
    assert.equal((await call(app.url, 'GET', '/api/admin/reports', { headers: headersOf })).status, 401)
  }
  assert.ok(!app.log().includes('Xylographicsecret') && !app.log().includes(ADMIN_TOKEN))
})

test('a reporter reads the outcome and the later acts by the secret, and others are refused', async () => {
  const target = await published()
  const { id, secret } = expectStatus(await report('ENTRY', target.id), 201)
  const outcome = (by: string, of = id) =>
    call<ReportOutcome>(app.url, 'POST', `/api/reports/${of}`, { body: { secret: by } })
  const open = expectStatus(await outcome(secret), 200)
  assert.deepEqual([open.id, open.resolution, open.resolvedAt, open.decisions], [id, null, null, []])
  await moderate(app.url, 'ENTRY', target.id, 'HIDE')
  expectStatus(await resolve(id, { resolution: 'ACTED', note: 'For administrators.' }), 200)
  const closed = expectStatus(await outcome(secret), 200)
  assert.equal(closed.resolution, 'ACTED')
  assert.deepEqual(
    closed.decisions.map(({ action, reason, undoneAt }) => [action, reason, undoneAt]),
    [['HIDE', 'Tested: HIDE.', null]],
  )
  assert.ok(!JSON.stringify(closed).includes('For administrators.'))
  const other = expectStatus(await report('ENTRY', (await published()).id), 201)
  expectProblem((await outcome(other.secret)) as never, 404, 'REPORT_NOT_FOUND')
  expectProblem((await outcome(secret, other.id)) as never, 404, 'REPORT_NOT_FOUND')
})

test('the counts of a year have each act, report and outcome once', async () => {
  const counts = async (query = ''): Promise<Record<string, number>> => {
    const { items } = expectStatus(await call<ModerationCounts>(app.url, 'GET', `/api/moderation${query}`), 200)
    return Object.fromEntries(items.map(({ event, ground, count }) => [`${event} ${ground}`, count]))
  }
  const before = await counts()
  const target = await published()
  const headers = fresh()
  const { id } = expectStatus(await report('ENTRY', target.id, { reason: 'ABUSE' }, headers), 201)
  app.advance((COOLDOWN + 1) * 1_000)
  expectStatus(await report('ENTRY', target.id, { reason: 'ILLEGAL' }, headers), 201)
  for (let round = 0; round < 2; round++) {
    await moderate(app.url, 'ENTRY', target.id, 'BLOCK')
    expectStatus(await resolve(id, { resolution: 'DISMISSED' }), 200)
  }
  const after = await counts()
  assert.equal(after['REPORTED ABUSE'] ?? 0, before['REPORTED ABUSE'] ?? 0)
  for (const event of ['BLOCK OTHER', 'REPORTED ILLEGAL', 'REPORT_DISMISSED ILLEGAL'])
    assert.equal((after[event] ?? 0) - (before[event] ?? 0), 1, event)
  assert.deepEqual(await counts('?year=2001'), {})
  const page = await call(app.url, 'GET', '/moderation?year=2001', { headers: { accept: 'text/html' } })
  assert.match(page.text, /<h1>Moderation in 2001<\/h1>/)
  expectProblem((await call(app.url, 'GET', '/api/moderation?year=1999')) as never, 400, 'INVALID_YEAR')
})
