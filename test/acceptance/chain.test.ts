import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Revision } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { allPages, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { hashOf } from '../support/evidence-hash.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})

const create = (body: object) => call<Entry>(app.url, 'POST', '/api/entries', { body, token })
const revise = async (entry: Entry, input: object): Promise<Entry> => {
  const body = { ...revisionOf(entry), ...input }
  return expectStatus(await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { body, token }), 201)
}

/** The history, oldest first, from public reads alone. */
const history = async (entry: Entry): Promise<Revision[]> =>
  (await allPages<Revision>(app.url, `/api/entries/${entry.slug}/revisions`, 3)).reverse()

function assertChain(revisions: readonly Revision[]): void {
  let previous: Revision | undefined
  for (const revision of revisions) {
    assert.equal(revision.previousRevisionId, previous?.id ?? null)
    assert.equal(revision.evidenceHash, hashOf(revision, previous?.evidenceHash ?? null), revision.id)
    assert.ok(previous === undefined || revision.createdAt >= previous.createdAt)
    previous = revision
  }
}

const CONTROL = Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join('')
const TEXTS = [
  'plain',
  'Ünïcödé ñ ß ı İ ﬁ e\u0301 \u00e9 Å Å',
  '日本語 ไทย हिन्दी العربية עִבְרִית',
  '🦊👩‍👩‍👧 𝒶 \u{10ffff} \ufffe',
  `${CONTROL}\u007f\u0080\u009f\u2028\u2029\ufeff`,
  '"quotes" \\ / \\u0041 </script> & \u202e',
]

test('every evidenceHash can be recomputed from public reads, for any text', async () => {
  const cited = await newEntry(app.url, token)
  const source = { entryId: cited.id.toUpperCase(), revisionId: cited.currentRevisionId.toUpperCase() }
  const text = TEXTS.join('\n')
  let entry = await newEntry(app.url, token, {
    title: text.slice(0, 60),
    summary: text,
    content: text,
    sources: [source],
  })
  for (const [n, one] of TEXTS.entries()) {
    const said = { title: `${one} `, summary: one, content: `${one}${n}`, rationale: ` ${one}` }
    entry = await revise(entry, { ...said, changeType: 'CORRECT', sources: n % 2 === 0 ? [source, source] : [] })
  }
  const revisions = await history(entry)
  assert.equal(revisions.length, TEXTS.length + 1)
  assertChain(revisions)
  assert.equal(new Set(revisions.map(({ evidenceHash }) => evidenceHash)).size, revisions.length)
  assert.equal(revisions.at(-1)?.sources.length, 0)
  assert.equal(revisions.at(-2)?.sources.length, 2)
})

test('a single revision is the same as in the list, and its ETag comes from its hash', async () => {
  let entry = await newEntry(app.url, token)
  entry = await revise(entry, {})
  for (const revision of await history(entry)) {
    const answer = await call<Revision>(app.url, 'GET', `/api/entries/${entry.id}/revisions/${revision.id}`)
    assert.deepEqual(expectStatus(answer, 200), revision)
    assert.equal(answer.headers.get('etag'), `"${revision.evidenceHash}"`)
  }
})

test('a changed, dropped or exchanged revision is detected', async () => {
  let entry = await newEntry(app.url, token)
  for (let n = 0; n < 3; n++) entry = await revise(entry, { content: `version ${n}` })
  const revisions = await history(entry)
  assertChain(revisions)
  const [first, second, third, fourth] = revisions as [Revision, Revision, Revision, Revision]
  const forged = [
    [first, { ...second, content: 'forged' }, third, fourth],
    [first, third, fourth],
    [first, third, second, fourth],
    [{ ...first, actorId: entry.id }, second, third, fourth],
  ]
  for (const chain of forged) assert.throws(() => assertChain(chain), assert.AssertionError)
})

test('evidence, relations, moderation and a restart change no hash', async () => {
  const entry = await newEntry(app.url, token)
  const other = await newEntry(app.url, token, {
    sources: [{ entryId: entry.id, revisionId: entry.currentRevisionId }],
  })
  const latest = await revise(entry, {})
  const earlier = [await history(latest), await history(other)]
  const judged = { revisionId: entry.currentRevisionId, rationale: 'r' }
  const relation = { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'REUSES', rationale: 'r' }
  const verification = { ...judged, result: 'SUPPORTED', confidence: 1 }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.id}/verify`, { body: verification, token }), 201)
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.id}/contradict`, { body: judged, token }), 201)
  expectStatus(await call(app.url, 'POST', '/api/relations', { body: relation, token }), 201)
  await moderate(app.url, 'ENTRY', entry.id, 'BLOCK')
  await app.restart()
  assert.deepEqual([await history(latest), await history(other)], earlier)
  // A withdrawn source stays in the hashed members.
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  assert.deepEqual(await history(other), earlier[1])
})

test('times never decrease within an entry, for any change of the clock', async () => {
  let entry = await newEntry(app.url, token)
  app.advance(-60_000)
  await app.restart()
  for (let n = 0; n < 2; n++) {
    const { updatedAt } = entry
    entry = await revise(entry, {})
    assert.ok(entry.updatedAt >= updatedAt)
  }
  const judged = { revisionId: entry.currentRevisionId, rationale: 'r' }
  const path = `/api/entries/${entry.id}/contradict`
  const { createdAt } = expectStatus(await call<Revision>(app.url, 'POST', path, { body: judged, token }), 201)
  assert.ok(createdAt >= entry.updatedAt)
  assertChain(await history(entry))
  app.advance(60_000)
})

test('the guide and the OpenAPI document have the recipe', async () => {
  for (const path of ['/agents.md', '/openapi.json']) {
    const { text } = await call(app.url, 'GET', path)
    for (const word of ['evidenceHash', 'previousEvidenceHash', 'RFC 8785', 'SHA-256'])
      assert.ok(text.includes(word), word)
  }
})

test('sources name an exact revision of an entry, in either case, and are returned in lower case', async () => {
  const cited = await newEntry(app.url, token)
  const other = await newEntry(app.url, token)
  const [entryId, revisionId] = [cited.id, cited.currentRevisionId]
  const upper = { entryId: entryId.toUpperCase(), revisionId: revisionId.toUpperCase() }
  const made = await newEntry(app.url, token, { sources: [upper, { entryId, revisionId }] })
  const path = `/api/entries/${made.id}/revisions/${made.currentRevisionId}`
  const { sources } = expectStatus(await call<Revision>(app.url, 'GET', path), 200)
  assert.deepEqual(sources, [
    { entryId, revisionId },
    { entryId, revisionId },
  ])
  const wrong = [
    { entryId, revisionId: other.currentRevisionId },
    { entryId: other.id, revisionId },
    { entryId: revisionId, revisionId: entryId },
    { entryId, revisionId: entryId },
  ]
  for (const source of wrong) {
    const body = { title: 't', summary: 's', content: 'c', sources: [{ entryId, revisionId }, source] }
    expectProblem(await create(body), 422, 'SOURCE_NOT_FOUND')
  }
  const again = Array.from({ length: 21 }, () => ({ entryId, revisionId }))
  await newEntry(app.url, token, { sources: again.slice(1) })
  expectProblem(await create({ title: 't', summary: 's', content: 'c', sources: again }), 400, 'INVALID_SOURCES')
})
