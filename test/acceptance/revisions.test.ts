import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Revision } from '../../src/contract/resources.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

let token: string
let authorId: string
const app = useApp({}, async () => {
  const { actor, token: issued } = await newActor(app.url)
  token = issued
  authorId = actor.id
})

type Page = { items: Revision[]; nextCursor: string | null }
const pathOf = (entry: Entry): string => `/api/entries/${entry.slug}/revisions`
const tryRevise = (entry: Entry, input: object = {}, by = token) =>
  call<Entry>(app.url, 'POST', pathOf(entry), { body: { ...revisionOf(entry), ...input }, token: by })
const revise = async (entry: Entry, input: object = {}): Promise<Entry> =>
  expectStatus(await tryRevise(entry, input), 201)
const page = async (entry: Entry, query = ''): Promise<Page> =>
  expectStatus(await call<Page>(app.url, 'GET', `${pathOf(entry)}${query}`), 200)
const read = async (entry: Entry): Promise<Entry> =>
  expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.id}`), 200)

/** An entry with `count` revisions; the contents are their numbers, from 1. */
async function grown(count: number): Promise<Entry> {
  let entry = await newEntry(app.url, token, { content: '1' })
  for (let n = 2; n <= count; n++) entry = await revise(entry, { content: String(n) })
  return entry
}

test('the first revision is a CREATE with all texts of the entry', async () => {
  const entry = await newEntry(app.url, token, { title: 'T', summary: 'S', content: 'C' })
  const { items, nextCursor } = await page(entry)
  assert.equal(nextCursor, null)
  const [first, ...others] = items
  assert.deepEqual(others, [])
  const { evidenceHash, ...rest } = first as Revision
  assert.match(evidenceHash, /^[0-9a-f]{64}$/)
  assert.deepEqual(rest, {
    id: entry.currentRevisionId,
    entryId: entry.id,
    previousRevisionId: null,
    actorId: authorId,
    title: 'T',
    summary: 'S',
    content: 'C',
    changeType: 'CREATE',
    rationale: 'Initial revision',
    createdAt: entry.createdAt,
    sources: [],
    ...TRUST,
  })
})

test('a revision replaces the texts of the entry; creator, creation, slug and tags stay', async () => {
  const entry = await newEntry(app.url, token, { tags: ['kept'] })
  const { actor: second, token: secondToken } = await newActor(app.url)
  for (const changeType of ['EXPAND', 'CORRECT', 'SYNTHESIZE']) {
    const base = await read(entry)
    app.advance(1_000)
    const said = { title: `T ${changeType}`, summary: `S ${changeType}`, content: `C ${changeType}` }
    const answer = await tryRevise(base, { ...said, changeType, rationale: `Why ${changeType}` }, secondToken)
    const revised = expectStatus(answer, 201)
    assert.deepEqual(revised, {
      ...base,
      ...said,
      currentRevisionId: revised.currentRevisionId,
      updatedAt: revised.updatedAt,
      revisionCount: base.revisionCount + 1,
      revisedBy: revised.revisedBy,
    })
    assert.ok(revised.updatedAt > base.updatedAt)
    assert.deepEqual([revised.actor.id, revised.revisedBy?.id], [authorId, second.id])
    assert.deepEqual(await read(entry), revised)
    const readAgain = await call(app.url, 'GET', `/api/entries/${entry.slug}`)
    assert.equal(answer.headers.get('etag'), readAgain.headers.get('etag'))
    assert.equal(answer.headers.get('location'), `/api/entries/${entry.slug}`)
    const [newest] = (await page(entry)).items
    const { evidenceHash: _, ...rest } = newest as Revision
    assert.deepEqual(rest, {
      id: revised.currentRevisionId,
      entryId: entry.id,
      previousRevisionId: base.currentRevisionId,
      actorId: second.id,
      ...said,
      changeType,
      rationale: `Why ${changeType}`,
      createdAt: revised.updatedAt,
      sources: [],
      ...TRUST,
    })
  }
})

test('a revision on a base that is no longer the latest is 409 and names the latest', async () => {
  const entry = await newEntry(app.url, token)
  const latest = await revise(entry)
  const stale = [entry.currentRevisionId, entry.id, '00000000-0000-0000-0000-000000000000']
  for (const previousRevisionId of stale) {
    const answer = await tryRevise(entry, { previousRevisionId })
    expectProblem(answer, 409, 'STALE_REVISION')
    assert.equal(answer.headers.get('etag'), `"${latest.currentRevisionId}"`)
    const [, target = '', relation] = /^<([^>]+)>; rel="([^"]+)", /.exec(answer.headers.get('link') ?? '') ?? []
    assert.equal(relation, 'latest-version')
    const linked = expectStatus(await call<Revision>(app.url, 'GET', target), 200)
    assert.equal(linked.id, latest.currentRevisionId)
  }
  assert.deepEqual(await read(entry), latest)
})

test('exact revisions are read in either case, under their own entry only', async () => {
  const entry = await grown(3)
  const other = await newEntry(app.url, token)
  for (const revision of (await page(entry)).items) {
    for (const id of [revision.id, revision.id.toUpperCase()]) {
      for (const address of [entry.slug, entry.id, entry.id.toUpperCase()]) {
        const answer = await call<Revision>(app.url, 'GET', `/api/entries/${address}/revisions/${id}`)
        assert.deepEqual(expectStatus(answer, 200), revision)
      }
    }
    const foreign = await call(app.url, 'GET', `/api/entries/${other.slug}/revisions/${revision.id}`)
    expectProblem(foreign, 404, 'REVISION_NOT_FOUND')
  }
  expectProblem(await call(app.url, 'GET', `${pathOf(entry)}/${entry.id}`), 404, 'REVISION_NOT_FOUND')
  expectProblem(await call(app.url, 'GET', `${pathOf(entry)}/latest`), 400, 'INVALID_REVISION_ID')
  expectProblem(await call(app.url, 'GET', '/api/entries/none/revisions'), 404, 'ENTRY_NOT_FOUND')
})
