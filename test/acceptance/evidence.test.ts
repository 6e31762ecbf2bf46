import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor, Contradiction, Entry, Evidence, Verification } from '../../src/contract/resources.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { shareApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let token: string
let actor: Actor
const app = shareApp({}, async () => {
  ;({ token, actor } = await newActor(app.url, { declaredName: 'Judge', declaredProvider: 'P' }))
})

const post = <T>(path: string, body: object): Promise<Answer<T>> => call<T>(app.url, 'POST', path, { body, token })
const tryVerify = (entry: Entry, input: object = {}, address = entry.slug) =>
  post<Verification>(`/api/entries/${address}/verify`, {
    revisionId: entry.currentRevisionId,
    result: 'SUPPORTED',
    confidence: 0.5,
    rationale: 'Tried it.',
    ...input,
  })
const tryContradict = (entry: Entry, input: object = {}, address = entry.slug) =>
  post<Contradiction>(`/api/entries/${address}/contradict`, {
    revisionId: entry.currentRevisionId,
    rationale: 'It fails.',
    ...input,
  })
const verify = async (entry: Entry, input: object = {}) => expectStatus(await tryVerify(entry, input), 201)
const contradict = async (entry: Entry, input: object = {}) => expectStatus(await tryContradict(entry, input), 201)
const evidence = async (entry: Entry, query = ''): Promise<Evidence> =>
  expectStatus(await call<Evidence>(app.url, 'GET', `/api/entries/${entry.slug}/evidence${query}`), 200)

/** The rationales of a page, as the one stream they are cut from: both kinds, newest first. */
const stream = ({ verifications, contradictions }: Evidence): string[] =>
  [...verifications, ...contradictions].sort((a, b) => (a.id < b.id ? 1 : -1)).map(({ rationale }) => rationale)

/** An entry with `count` pieces of evidence, every third a contradiction; the rationales are their numbers, from 1. */
async function judged(count: number): Promise<Entry> {
  const entry = await newEntry(app.url, token)
  for (let n = 1; n <= count; n++) await (n % 3 === 0 ? contradict : verify)(entry, { rationale: String(n) })
  return entry
}
const countDown = (from: number, to: number): string[] => Array.from({ length: from - to + 1 }, (_, n) => `${from - n}`)

test('a verification is answered with every member and its author, and is listed in the evidence', async () => {
  const entry = await newEntry(app.url, token)
  for (const result of ['SUPPORTED', 'UNSUPPORTED', 'INCONCLUSIVE']) {
    for (const confidence of [0, 1, 0.123456789012345]) {
      const {
        id,
        createdAt,
        actor: author,
        ...rest
      } = await verify(entry, { result, confidence, rationale: ' ü\n🦊 ' })
      assert.match(id, UUID_V7)
      assert.match(createdAt, TIME)
      assert.deepEqual(author, { id: actor.id, declared: actor.declared, verificationStatus: 'UNVERIFIED' })
      const expected = { entryId: entry.id, revisionId: entry.currentRevisionId, actorId: actor.id }
      assert.deepEqual(rest, { ...expected, result, confidence, rationale: ' ü\n🦊 ', ...TRUST })
      const listed = await evidence(entry, '?limit=1')
      assert.deepEqual(listed.verifications, [{ id, createdAt, actor: author, ...rest }])
      assert.deepEqual(listed.contradictions, [])
    }
  }
})

test('a contradiction is answered with every member and its author, and is listed in the evidence', async () => {
  const [entry, source] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  for (const [sent, kept] of [
    [{}, null],
    [{ sourceEntryId: source.id.toUpperCase() }, source.id],
    [{ sourceEntryId: entry.id }, entry.id],
  ] as const) {
    const { id, createdAt, actor: author, ...rest } = await contradict(entry, sent)
    assert.match(id, UUID_V7)
    assert.match(createdAt, TIME)
    assert.deepEqual(author, { id: actor.id, declared: actor.declared, verificationStatus: 'UNVERIFIED' })
    const expected = { entryId: entry.id, revisionId: entry.currentRevisionId, actorId: actor.id }
    assert.deepEqual(rest, { ...expected, rationale: 'It fails.', sourceEntryId: kept, ...TRUST })
    assert.deepEqual((await evidence(entry, '?limit=1')).contradictions, [{ id, createdAt, actor: author, ...rest }])
  }
})

test('evidence belongs to the exact revision that it names, in either case, also an earlier one', async () => {
  const entry = await newEntry(app.url, token)
  const body = revisionOf(entry)
  const revised = expectStatus(await post<Entry>(`/api/entries/${entry.slug}/revisions`, body), 201)
  await verify(entry, { rationale: 'of the first' })
  await verify(revised, { revisionId: revised.currentRevisionId.toUpperCase(), rationale: 'of the second' })
  expectStatus(await tryContradict(entry, {}, entry.id.toUpperCase()), 201)
  const { verifications, contradictions } = await evidence(entry)
  assert.deepEqual(
    verifications.map(({ revisionId, rationale }) => [revisionId, rationale]),
    [
      [revised.currentRevisionId, 'of the second'],
      [entry.currentRevisionId, 'of the first'],
    ],
  )
  assert.equal(contradictions[0]?.revisionId, entry.currentRevisionId)
  const now = expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
  assert.deepEqual({ ...now, standing: revised.standing }, revised)
})

test('pages are one stream of both kinds, newest first; the limit counts both', async () => {
  const entry = await judged(25)
  const first = await evidence(entry)
  assert.deepEqual(stream(first), countDown(25, 6))
  assert.deepEqual(stream(await evidence(entry, `?before=${first.nextCursor}`)), countDown(5, 1))
  for (const limit of [1, 2, 3, 7, 24, 25, 26]) {
    const seen: string[] = []
    let query = `?limit=${limit}`
    for (let pages = 1; ; pages++) {
      const page = await evidence(entry, query)
      const rationales = stream(page)
      seen.push(...rationales)
      if (page.nextCursor === null) {
        assert.equal(pages, Math.ceil(25 / limit))
        break
      }
      assert.equal(rationales.length, limit)
      query = `?limit=${limit}&before=${page.nextCursor}`
    }
    assert.deepEqual(seen, countDown(25, 1), `limit ${limit}`)
  }
})

test('withdrawn evidence is skipped without moving the other rows', async () => {
  const entry = await newEntry(app.url, token)
  const troll = await newActor(app.url)
  for (let n = 1; n <= 6; n++) {
    await verify(entry, { rationale: String(n) })
    const body = { revisionId: entry.currentRevisionId, rationale: 'noise' }
    const path = `/api/entries/${entry.id}/contradict`
    expectStatus(await call(app.url, 'POST', path, { body, token: troll.token }), 201)
  }
  const first = await evidence(entry, '?limit=4')
  assert.deepEqual(stream(first), ['noise', '6', 'noise', '5'])
  await moderate(app.url, 'ACTOR', troll.actor.id, 'QUARANTINE')
  assert.deepEqual(stream(await evidence(entry, `?limit=3&before=${first.nextCursor}`)), ['4', '3', '2'])
  assert.deepEqual(stream(await evidence(entry)), countDown(6, 1))
  await moderate(app.url, 'ACTOR', troll.actor.id, 'RESTORE')
  assert.equal(stream(await evidence(entry)).length, 12)
})

test('faults of a judgement are reported in order: entry, lock, revision, source', async () => {
  const [entry, other] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const foreign = { revisionId: other.currentRevisionId }
  const missing = { sourceEntryId: entry.currentRevisionId }
  for (const judge of [tryVerify, tryContradict]) {
    expectProblem(await judge(entry, foreign, 'no-such-entry'), 404, 'ENTRY_NOT_FOUND')
    expectProblem(await judge(entry, foreign), 404, 'REVISION_NOT_FOUND')
    expectProblem(await judge(entry, { revisionId: entry.id }), 404, 'REVISION_NOT_FOUND')
  }
  expectProblem(await tryContradict(entry, { ...foreign, ...missing }), 404, 'REVISION_NOT_FOUND')
  expectProblem(await tryContradict(entry, missing), 422, 'SOURCE_NOT_FOUND')
  await moderate(app.url, 'ENTRY', other.id, 'BLOCK')
  for (const judge of [tryVerify, tryContradict]) {
    expectProblem(await judge(other, { revisionId: entry.id }), 403, 'ENTRY_LOCKED')
  }
  assert.deepEqual(await evidence(entry), { verifications: [], contradictions: [], nextCursor: null })
  assert.deepEqual(await evidence(other), { verifications: [], contradictions: [], nextCursor: null })
})
