import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ActorProfile, Entry } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

const app = shareApp()

const profile = async (id: string, query = ''): Promise<ActorProfile> =>
  expectStatus(await call<ActorProfile>(app.url, 'GET', `/api/actors/${id}${query}`), 200)
const post = async <T>(path: string, token: string, body: unknown): Promise<T> =>
  expectStatus(await call<T>(app.url, 'POST', path, { token, body }), 201)
const revise = (entry: Entry, token: string, change: Record<string, unknown> = {}): Promise<Entry> =>
  post(`/api/entries/${entry.slug}/revisions`, token, revisionOf(entry, change))
const verify = (entry: Entry, token: string, result: string): Promise<unknown> =>
  post(`/api/entries/${entry.slug}/verify`, token, {
    revisionId: entry.currentRevisionId,
    result,
    confidence: 1,
    rationale: 'Tried.',
  })
const contradict = (entry: Entry, token: string): Promise<unknown> =>
  post(`/api/entries/${entry.slug}/contradict`, token, { revisionId: entry.currentRevisionId, rationale: 'Wrong.' })

test('a profile has the declared identity and the contributions, newest first, but no reads', async () => {
  const declared = { declaredName: 'Ada', declaredModel: 'a model', declaredProvider: 'a provider' }
  const { actor, token } = await newActor(app.url, { actorType: 'AGENT', ...declared })
  const first = await newEntry(app.url, token, { title: 'First' })
  const second = await newEntry(app.url, token, { title: 'Second' })
  await revise(first, token, { changeType: 'EXPAND' })
  await verify(second, token, 'INCONCLUSIVE')
  await post('/api/relations', token, {
    sourceEntryId: first.id,
    targetEntryId: second.id,
    relationType: 'REUSES',
    rationale: 'r',
  })
  await call(app.url, 'GET', `/api/entries/${first.slug}`, { token })
  const seen = await profile(actor.id)
  assert.equal(seen.id, actor.id)
  assert.equal(seen.actorType, 'AGENT')
  assert.deepEqual(seen.declared, { name: 'Ada', model: 'a model', provider: 'a provider' })
  assert.equal(seen.verificationStatus, 'UNVERIFIED')
  assert.equal(seen.firstSeenAt, actor.observed.firstSeenAt)
  assert.deepEqual(
    seen.items.map(({ action, entryId }) => [action, entryId]),
    [
      ['CONNECT', first.id],
      ['VERIFY', second.id],
      ['EXPAND', first.id],
      ['CREATE', second.id],
      ['CREATE', first.id],
    ],
  )
  assert.equal(seen.nextCursor, null)
  assert.deepEqual(await profile(actor.id.toUpperCase()), seen)
})

test('a profile is read page by page with a cursor, without gaps or repetitions', async () => {
  const { actor, token } = await newActor(app.url)
  let entry = await newEntry(app.url, token)
  for (let count = 0; count < 6; count += 1) entry = await revise(entry, token, { content: `Content ${count}` })
  const whole = await profile(actor.id, '?limit=50')
  assert.equal(whole.items.length, 7)
  const walked = []
  let before: string | null = ''
  while (before !== null) {
    const { items, nextCursor }: ActorProfile = await profile(actor.id, `?limit=3${before && `&before=${before}`}`)
    walked.push(...items)
    before = nextCursor
  }
  assert.deepEqual(walked, whole.items)
  const { headers } = await call(app.url, 'GET', `/api/actors/${actor.id}?limit=3`)
  assert.match(headers.get('link') ?? '', new RegExp(`^</api/actors/${actor.id}\\?limit=3&before=\\d+>; rel="next"$`))
})

test("the outcomes count the judgements and corrections of an actor's revisions by other actors", async () => {
  const { actor, token } = await newActor(app.url)
  const other = (await newActor(app.url)).token
  const third = (await newActor(app.url)).token
  const confirmed = await newEntry(app.url, token)
  await verify(confirmed, other, 'SUPPORTED')
  await verify(confirmed, third, 'SUPPORTED')
  const contradicted = await newEntry(app.url, token)
  await contradict(contradicted, other)
  const unsupported = await newEntry(app.url, token)
  await verify(unsupported, other, 'UNSUPPORTED')
  await revise(unsupported, other, { changeType: 'CORRECT', content: 'Corrected.' })
  const own = await newEntry(app.url, token)
  await verify(own, token, 'SUPPORTED')
  await contradict(own, token)
  await revise(own, token, { changeType: 'CORRECT', content: 'Corrected by its author.' })
  const expanded = await newEntry(app.url, token)
  await revise(expanded, other, { changeType: 'EXPAND', content: 'More.' })
  const { outcomes } = await profile(actor.id)
  assert.deepEqual(outcomes, {
    revisions: 6,
    verifications: 1,
    contradictions: 1,
    relations: 0,
    confirmed: 1,
    contradicted: 2,
    corrected: 1,
    complete: true,
  })
})

test('a replaced judgement, one of the own words and a revision without a change are no outcomes', async () => {
  const { actor, token } = await newActor(app.url)
  const other = (await newActor(app.url)).token
  const changedMind = await newEntry(app.url, token)
  await verify(changedMind, other, 'SUPPORTED')
  await contradict(changedMind, other)
  const same = await newEntry(app.url, token, { content: 'Kept as it is.' })
  await revise(same, other, { title: same.title, summary: same.summary, content: same.content, changeType: 'CORRECT' })
  const content = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ')
  const base = await newEntry(app.url, other, { content })
  const texts = { title: base.title, summary: base.summary, content: `${content} more` }
  await verify(await revise(base, token, texts), other, 'SUPPORTED')
  const { confirmed, contradicted, corrected } = (await profile(actor.id)).outcomes
  assert.deepEqual([confirmed, contradicted, corrected], [0, 1, 0])
})

test('a profile shows nothing that moderation withdrew', async () => {
  const { actor, token } = await newActor(app.url, { declaredName: 'Hidden name' })
  const other = (await newActor(app.url)).token
  const hidden = await newEntry(app.url, token, { title: 'Hidden title' })
  const shown = await newEntry(app.url, token)
  await verify(hidden, other, 'SUPPORTED')
  await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
  const left = await profile(actor.id)
  assert.deepEqual(columnOf(left.items, 'entryId'), [shown.id])
  assert.deepEqual([left.outcomes.revisions, left.outcomes.confirmed], [1, 0])
  assert.doesNotMatch(JSON.stringify(left), /Hidden title/)
  await moderate(app.url, 'ACTOR', actor.id, 'HIDE')
  assert.deepEqual((await profile(actor.id)).declared, { name: null, model: null, provider: null })
  assert.doesNotMatch(JSON.stringify(await profile(actor.id)), /Hidden name/)
  await moderate(app.url, 'ACTOR', actor.id, 'RESTORE', 'QUARANTINE')
  const quarantined = await profile(actor.id)
  assert.deepEqual(quarantined.declared, { name: null, model: null, provider: null })
  assert.deepEqual([quarantined.items, quarantined.outcomes.revisions], [[], 0])
  await moderate(app.url, 'ACTOR', actor.id, 'RESTORE')
  assert.equal((await profile(actor.id)).declared.name, 'Hidden name')
})

test('an unknown actor is 404, a malformed id 400', async () => {
  expectProblem(await call(app.url, 'GET', `/api/actors/${randomUUID()}`), 404, 'ACTOR_NOT_FOUND')
  expectProblem(await call(app.url, 'GET', '/api/actors/none'), 400, 'INVALID_ID')
  const { actor } = await newActor(app.url)
  expectProblem(await call(app.url, 'GET', `/api/actors/${actor.id}?sort=recent`), 400, 'UNKNOWN_PARAMETER')
})
