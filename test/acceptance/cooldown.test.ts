import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

const COOLDOWN = 30
const WRITES = 40

/** The clock advances only by a test, so that no cooldown ends in between. */
const at = Date.now()

let app: TestApp
before(async () => {
  app = await startApp(
    {
      COOLDOWN_SECONDS: String(COOLDOWN),
      WRITE_LIMIT_PER_MINUTE: String(WRITES),
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
    { now: () => at },
  )
})
after(() => app.close())

let made = 0
/** An actor with a network of its own. */
async function writer() {
  const headers = { 'x-forwarded-for': `203.0.113.${++made}` }
  const post = (path: string, body: unknown, token?: string) =>
    call(app.url, 'POST', path, { body, headers, ...(token === undefined ? {} : { token }) })
  const issued = expectStatus(await post('/api/actors', {}), 201) as unknown as { token: string }
  return { headers, post: (path: string, body: unknown) => post(path, body, issued.token), anonymous: post }
}
const entryBody = () => ({ title: `Cooling ${++made}`, content: 'c', summary: 's' })
const created = (answer: Answer): Entry => expectStatus(answer, 201) as unknown as Entry
const remaining = (answer: Answer, policy: string): number =>
  Number(new RegExp(`"${policy}";r=(\\d+)`).exec(answer.headers.get('ratelimit') ?? '')?.[1])

function assertCooling(answer: Answer): number {
  expectProblem(answer, 429, 'COOLDOWN')
  const text = answer.headers.get('retry-after') ?? ''
  assert.match(text, /^[1-9]\d*$/)
  assert.ok(Number(text) <= COOLDOWN)
  return Number(text)
}

test('a second write of one kind waits, and waiting Retry-After suffices', async () => {
  const { post } = await writer()
  created(await post('/api/entries', entryBody()))
  app.advance(10_000)
  const wait = assertCooling(await post('/api/entries', entryBody()))
  assert.equal(wait, COOLDOWN - 10)
  app.advance(wait * 1_000 - 1)
  assert.equal(assertCooling(await post('/api/entries', entryBody())), 1)
  app.advance(1)
  created(await post('/api/entries', entryBody()))
})

test('create, expand, correct, synthesize, verify, contradict and relate have separate cooldowns', async () => {
  const { post } = await writer()
  const other = created(await (await writer()).post('/api/entries', entryBody()))
  let entry = created(await post('/api/entries', entryBody()))
  const at = `/api/entries/${entry.slug}`
  for (const changeType of ['EXPAND', 'CORRECT', 'SYNTHESIZE']) {
    entry = created(await post(`${at}/revisions`, revisionOf(entry, { changeType })))
  }
  const { currentRevisionId: revisionId } = entry
  const verification = { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' }
  expectStatus(await post(`${at}/verify`, verification), 201)
  expectStatus(await post(`${at}/contradict`, { revisionId, rationale: 'r' }), 201)
  const relation = (relationType: string) => ({
    sourceEntryId: entry.id,
    targetEntryId: other.id,
    relationType,
    rationale: 'r',
  })
  expectStatus(await post('/api/relations', relation('CONNECT')), 201)
  // All relations are one action, of any type; so is every kind of write.
  for (const type of ['CONNECT', 'REUSES', 'SYNTHESIZES', 'CONTRADICTS']) {
    assertCooling(await post('/api/relations', relation(type)))
  }
  for (const changeType of ['EXPAND', 'CORRECT', 'SYNTHESIZE']) {
    assertCooling(await post(`${at}/revisions`, revisionOf(entry, { changeType })))
  }
  assertCooling(await post(`${at}/verify`, verification))
  // The cooldown is checked before the entry.
  assertCooling(await post('/api/entries/no-such-entry/verify', verification))
  assertCooling(await post(`${at}/contradict`, { revisionId, rationale: 'r' }))
})

test('the RateLimit fields have an item for the cooldown while one runs, on granted and refused writes', async () => {
  const { post, anonymous } = await writer()
  const cooldown = (answer: Answer): string | undefined =>
    /"cooldown";r=0;t=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]
  assert.equal(cooldown(await post('/api/entries', {})), undefined)
  const first = await post('/api/entries', entryBody())
  const entry = created(first)
  assert.equal(cooldown(first), String(COOLDOWN))
  assert.match(first.headers.get('ratelimit-policy') ?? '', new RegExp(`, "cooldown";q=1;w=${COOLDOWN}$`))
  app.advance(10_000)
  const again = await post('/api/entries', entryBody())
  assert.equal(assertCooling(again), COOLDOWN - 10)
  assert.equal(cooldown(again), String(COOLDOWN - 10))
  assert.equal(cooldown(await post('/api/entries', {})), String(COOLDOWN - 10))
  const contradict = { revisionId: entry.currentRevisionId, rationale: 'r' }
  assert.equal(cooldown(await post('/api/entries/none/contradict', contradict)), undefined)
  assert.equal(cooldown(await anonymous('/api/actors', {})), String(COOLDOWN - 10))
  app.advance((COOLDOWN - 10) * 1_000)
  assert.equal(cooldown(await post('/api/entries', {})), undefined)
})

test('of 20 simultaneous creates by one token exactly one is committed', async () => {
  const { post } = await writer()
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/api/entries', entryBody())))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers) if (answer.status !== 201) assertCooling(answer)
})

test('only a success begins the cooldown', async () => {
  const { post } = await writer()
  const target = created(await (await writer()).post('/api/entries', entryBody()))
  const missing = { entryId: target.id, revisionId: target.id }
  expectProblem(await post('/api/entries', { ...entryBody(), sources: [missing] }), 422, 'SOURCE_NOT_FOUND')
  expectProblem(await post('/api/entries', {}), 400, 'MISSING_MEMBER')
  created(await post('/api/entries', entryBody()))
  const at = `/api/entries/${target.slug}`
  const revision = revisionOf(target)
  expectProblem(await post(`${at}/revisions`, { ...revision, previousRevisionId: target.id }), 409, 'STALE_REVISION')
  expectProblem(await post('/api/entries/none/revisions', revision), 404, 'ENTRY_NOT_FOUND')
  created(await post(`${at}/revisions`, revision))
  const relation = { sourceEntryId: target.id, targetEntryId: target.id, relationType: 'CONNECT', rationale: 'r' }
  expectProblem(await post('/api/relations', relation), 422, 'SELF_RELATION')
})

test('a request refused by the cooldown is not charged and does not prolong it', async () => {
  const { post } = await writer()
  const first = await post('/api/entries', entryBody())
  created(first)
  for (let n = 0; n < 2 * WRITES; n++) {
    const answer = await post('/api/entries', entryBody())
    assertCooling(answer)
    for (const policy of ['write-token', 'write-origin'])
      assert.equal(remaining(answer, policy), remaining(first, policy))
  }
  app.advance(COOLDOWN * 1_000)
  created(await post('/api/entries', entryBody()))
})

test('the cooldown of a token applies at every origin; new actors of one origin share one', async () => {
  const [one, two] = [await writer(), await writer()]
  created(await one.post('/api/entries', entryBody()))
  created(await two.post('/api/entries', entryBody()))
  assertCooling(await one.anonymous('/api/actors', {}))
  assertCooling(await two.anonymous('/api/actors', { declaredName: 'Another' }))
  app.advance(COOLDOWN * 1_000)
  const together = await Promise.all(Array.from({ length: 10 }, () => one.anonymous('/api/actors', {})))
  assert.equal(together.filter(({ status }) => status === 201).length, 1)
  const second = await one.anonymous('/api/actors', {})
  assertCooling(second)
  assert.ok(remaining(second, 'write-origin') > 0)
})

test('a write that the limit refuses names the wait of the cooldown if that is longer', async () => {
  const { post } = await writer()
  for (let n = 2; n < WRITES; n++) expectStatus(await post('/api/entries', {}), 400)
  app.advance(55_000)
  created(await post('/api/entries', entryBody()))
  const refused = await post('/api/entries', entryBody())
  expectProblem(refused, 429, 'RATE_LIMITED')
  const wait = Number(refused.headers.get('retry-after'))
  app.advance(wait * 1_000)
  created(await post('/api/entries', entryBody()))
})

test('a cooldown of 0 switches it off', async () => {
  await using free = await startApp({ COOLDOWN_SECONDS: '0' })
  const { token } = await newActor(free.url)
  await newActor(free.url)
  for (let n = 0; n < 5; n++) await newEntry(free.url, token)
})

test('a restart does not end a cooldown', async () => {
  const { post, anonymous } = await writer()
  created(await post('/api/entries', entryBody()))
  await app.restart()
  assertCooling(await post('/api/entries', entryBody()))
  assertCooling(await anonymous('/api/actors', {}))
})

test('a clock that is set back delays no write for longer than a cooldown', async () => {
  const { post } = await writer()
  created(await post('/api/entries', entryBody()))
  app.advance(-3_600_000)
  created(await post('/api/entries', entryBody()))
  const wait = assertCooling(await post('/api/entries', entryBody()))
  app.advance(wait * 1_000)
  created(await post('/api/entries', entryBody()))
})
