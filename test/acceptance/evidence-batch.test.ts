import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, Evidence, EvidenceResults, Stats } from '../../src/contract/resources.ts'
import { shareApp, startApp } from '../support/app.ts'
import { type Answer, call, columnOf, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

const WRITES = 30
const COOLDOWN = 20
const at = Date.now()

let token: string
let entries: Entry[]
const app = shareApp({}, async () => {
  token = (await newActor(app.url)).token
  entries = []
  for (let made = 0; made < 4; made += 1) entries.push(await newEntry(app.url, token))
})

const rationale = 'Tried it.'
const verify = ({ slug, currentRevisionId: revisionId }: Entry, more: object = {}) => ({
  ...{ entry: slug, revisionId, kind: 'VERIFY', result: 'SUPPORTED', confidence: 0.9, rationale },
  ...more,
})
const contradict = ({ id, currentRevisionId: revisionId }: Entry, more: object = {}) => ({
  ...{ entry: id, revisionId, kind: 'CONTRADICT', rationale },
  ...more,
})
const send = (items: unknown, own: { url?: string; token?: string; headers?: Record<string, string> } = {}) =>
  call<EvidenceResults>(own.url ?? app.url, 'POST', '/api/evidence', {
    token: own.token ?? token,
    body: { items },
    ...(own.headers === undefined ? {} : { headers: own.headers }),
  })
const results = (answer: Answer<EvidenceResults>) => expectStatus(answer, 200).items
const evidenceOf = async ({ id }: Entry): Promise<Evidence> =>
  expectStatus(await call<Evidence>(app.url, 'GET', `/api/entries/${id}/evidence`), 200)
const stats = async (): Promise<Stats> => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)

test('verifications and contradictions of several entries are recorded by one request, each with its own result', async () => {
  const [a, b, c] = entries as [Entry, Entry, Entry, Entry]
  const earlier = await stats()
  const items = results(
    await send([verify(a), contradict(b, { sourceEntryId: a.id }), verify(c, { result: 'UNSUPPORTED' })]),
  )
  assert.deepEqual(columnOf(items, 'status'), [201, 201, 201])
  const [first, second] = items
  assert.equal(first?.verification?.entryId, a.id)
  assert.equal(first?.verification?.rationale, rationale)
  assert.equal(first?.verification?.actor?.id, first?.verification?.actorId)
  assert.equal(second?.contradiction?.sourceEntryId, a.id)
  assert.equal((await evidenceOf(a)).verifications[0]?.id, first?.verification?.id)
  assert.equal((await evidenceOf(b)).contradictions[0]?.id, second?.contradiction?.id)
  const later = await stats()
  assert.deepEqual([later.verifications - earlier.verifications, later.contradictions - earlier.contradictions], [2, 1])
  const { items: feed } = expectStatus(await call<{ items: Activity[] }>(app.url, 'GET', '/api/activity?limit=10'), 200)
  assert.deepEqual(
    feed
      .filter(({ action }) => action !== 'READ')
      .slice(0, 3)
      .map(({ action, entryId }) => [action, entryId]),
    [
      ['VERIFY', c.id],
      ['CONTRADICT', b.id],
      ['VERIFY', a.id],
    ],
  )
})

test('two judgements of one entry in one request are two pieces of evidence, in order', async () => {
  const entry = await newEntry(app.url, token)
  const items = results(await send([verify(entry), contradict(entry), verify(entry, { confidence: 0.1 })]))
  const { verifications, contradictions } = await evidenceOf(entry)
  assert.deepEqual(
    [verifications.map(({ id }) => id), contradictions.map(({ id }) => id)],
    [[items[2]?.verification?.id, items[0]?.verification?.id], [items[1]?.contradiction?.id]],
  )
})

test('a refused item has its problem, and the others are recorded', async () => {
  const [, , , entry] = entries as [Entry, Entry, Entry, Entry]
  const [hidden, locked] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
  await moderate(app.url, 'ENTRY', locked.id, 'BLOCK')
  const nil = '00000000-0000-0000-0000-000000000000'
  const { result, ...without } = verify(entry)
  const items = results(
    await send([
      verify(entry, { entry: 'no-such-entry' }),
      verify(entry, { revisionId: nil }),
      verify(hidden),
      verify(locked),
      contradict(entry, { sourceEntryId: nil }),
      without,
      verify(entry, { sourceEntryId: nil }),
      contradict(entry, { result: 'SUPPORTED' }),
      verify(entry, { rationale: `The token is ${token}.` }),
      verify(entry),
    ]),
  )
  assert.deepEqual(
    items.map(({ status, error }) => [status, error?.code, error?.member]),
    [
      [404, 'ENTRY_NOT_FOUND', undefined],
      [404, 'REVISION_NOT_FOUND', undefined],
      [410, 'ENTRY_WITHDRAWN', undefined],
      [403, 'ENTRY_LOCKED', undefined],
      [422, 'SOURCE_NOT_FOUND', undefined],
      [400, 'MISSING_MEMBER', 'items.5.result'],
      [400, 'UNKNOWN_MEMBER', 'items.6.sourceEntryId'],
      [400, 'UNKNOWN_MEMBER', 'items.7.result'],
      [422, 'SECRET_IN_TEXT', 'items.8.rationale'],
      [201, undefined, undefined],
    ],
  )
  const { verifications, contradictions } = await evidenceOf(entry)
  assert.deepEqual([verifications.length, contradictions.length], [1, 0])
})

test('a malformed body is refused as a whole, and the member is named', async () => {
  const [entry] = entries as [Entry, Entry, Entry, Entry]
  const earlier = await stats()
  const cases = [
    ['INVALID_ITEMS', 'items', []],
    ['INVALID_ITEMS', 'items', Array(11).fill(verify(entry))],
    ['INVALID_CONFIDENCE', 'items.1.confidence', [verify(entry), verify(entry, { confidence: 2 })]],
    ['INVALID_KIND', 'items.0.kind', [verify(entry, { kind: 'LIKE' })]],
    ['MISSING_MEMBER', 'items.0.kind', [verify(entry, { kind: undefined })]],
    ['UNKNOWN_MEMBER', 'items.1.text', [verify(entry), verify(entry, { text: 'x' })]],
  ] as const
  for (const [code, member, items] of cases) {
    const { headers } = expectProblem(await send(items), 400, code)
    assert.match(headers.get('link') ?? '', new RegExp(`member="${member}"`))
  }
  expectProblem(
    await call(app.url, 'POST', '/api/evidence', { body: { items: [verify(entry)] } }),
    401,
    'ACTOR_TOKEN_REQUIRED',
  )
  assert.deepEqual(await stats(), earlier)
})

test('the same request with the same key is done once and gets the same answer', async () => {
  const entry = await newEntry(app.url, token)
  const items = [verify(entry), contradict(entry), verify(entry, { entry: 'no-such-entry' })]
  const headers = { 'idempotency-key': 'evidence-batch-1' }
  const first = results(await send(items, { headers }))
  const replay = await send(items, { headers })
  assert.equal(replay.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(results(replay), first)
  expectProblem(await send(items.slice(0, 2), { headers }), 422, 'IDEMPOTENCY_KEY_REUSED')
  const { verifications, contradictions } = await evidenceOf(entry)
  assert.deepEqual([verifications.length, contradictions.length], [1, 1])
})

const remaining = (answer: Answer, policy: string): number =>
  Number(new RegExp(`"${policy}";r=(\\d+)`).exec(answer.headers.get('ratelimit') ?? '')?.[1])

test('every item is charged as a write; if the limit does not admit all items, none is charged', async () => {
  await using own = await startApp({ WRITE_LIMIT_PER_MINUTE: String(WRITES) }, { now: () => at })
  const { token: mine } = await newActor(own.url)
  const entry = await newEntry(own.url, mine)
  // With the field, which the service does not trust, all requests come from one address.
  const headers = { 'x-forwarded-for': '127.0.0.1' }
  const batch = (length: number) => send(Array(length).fill(verify(entry)), { url: own.url, token: mine, headers })
  const first = await batch(10)
  expectStatus(first, 200)
  assert.equal(remaining(first, 'write-token'), WRITES - 1 - 10)
  assert.equal(remaining(first, 'write-origin'), WRITES - 2 - 10)
  expectStatus(await batch(10), 200)
  const refused = await batch(9)
  expectProblem(refused, 429, 'RATE_LIMITED')
  assert.equal(remaining(refused, 'write-origin'), WRITES - 2 - 20)
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 60, `${wait}`)
  expectStatus(await batch(8), 200)
  expectProblem(await batch(1), 429, 'RATE_LIMITED')
  own.advance(wait * 1_000)
  expectStatus(await batch(9), 200)
})

test('more items than the limit of a minute are refused without Retry-After', async () => {
  await using own = await startApp({ WRITE_LIMIT_PER_MINUTE: '4' })
  const { token: mine } = await newActor(own.url)
  const entry = await newEntry(own.url, mine)
  expectProblem(await send(Array(5).fill(verify(entry)), { url: own.url, token: mine }), 400, 'INVALID_ITEMS')
})

test('a request begins one cooldown of each recorded kind, and a request refused by a cooldown is not charged', async () => {
  await using own = await startApp(
    { COOLDOWN_SECONDS: String(COOLDOWN), WRITE_LIMIT_PER_MINUTE: '1000' },
    { now: () => at },
  )
  const { token: mine } = await newActor(own.url)
  const entry = await newEntry(own.url, mine)
  const batch = (...items: object[]) => send(items, { url: own.url, token: mine })
  const cooldown = (answer: Answer) => /"cooldown";r=0;t=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
  const nothing = await batch(verify(entry, { entry: 'none' }))
  assert.deepEqual([results(nothing)[0]?.status, cooldown(nothing)], [404, undefined])
  const first = await batch(verify(entry), verify(entry), verify(entry))
  assert.deepEqual(columnOf(results(first), 'status'), [201, 201, 201])
  assert.equal(cooldown(first), String(COOLDOWN))
  expectStatus(await batch(contradict(entry)), 200)
  own.advance(5_000)
  const refused = await batch(verify(entry), contradict(entry))
  expectProblem(refused, 429, 'COOLDOWN')
  assert.equal(refused.headers.get('retry-after'), String(COOLDOWN - 5))
  assert.equal(remaining(refused, 'write-token'), 1_000 - 1 - 1 - 3 - 1)
  own.advance((COOLDOWN - 5) * 1_000)
  assert.deepEqual(columnOf(results(await batch(verify(entry), contradict(entry))), 'status'), [201, 201])
})
