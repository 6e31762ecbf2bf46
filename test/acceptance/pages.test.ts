import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import {
  type Answer,
  allPages,
  call,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../support/client.ts'

let token: string
let other: Entry
const app = useApp({}, async () => {
  // The start of an hour: no read falls into another hour than those before.
  app.advance(HOUR - (Date.now() % HOUR))
  token = (await newActor(app.url)).token
  other = await newEntry(app.url, token)
})
const HOUR = 3_600_000

type Row = { id: string; sequence?: string }
type Page = { items?: Row[]; verifications?: Row[]; nextCursor: string | null }
/** The rows of a page. Ids are in the order of time. */
const rowsOf = ({ items, verifications }: Page): string[] => (items ?? verifications ?? []).map(({ id }) => id)
const read = async (path: string): Promise<Page> => expectStatus(await call<Page>(app.url, 'GET', path, { token }), 200)
const write = async (path: string, body: object): Promise<void> => {
  expectStatus(await call(app.url, 'POST', path, { token, body }), 201)
}
/** The rows of all pages of a size. All pages but the last one are full. */
async function allRows(path: string, limit: number): Promise<string[]> {
  const seen: string[] = []
  let next: string | null = null
  do {
    const page: Page = await read(`${path}?limit=${limit}${next === null ? '' : `&before=${next}`}`)
    if (page.nextCursor !== null) assert.equal(rowsOf(page).length, limit)
    seen.push(...rowsOf(page))
    next = page.nextCursor
  } while (next !== null)
  return seen
}
/** Adds a row to the lists of an entry. */
const verify = ({ slug, currentRevisionId: revisionId }: Entry): Promise<void> =>
  write(`/api/entries/${slug}/verify`, { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' })

type List = {
  path(entry: Entry): string
  /** Adds a row. */
  add(entry: Entry): Promise<void>
  /** Whether `before` is a sequence; otherwise it is a number of rows, with the size of the list. */
  isSequence: boolean
}
const LISTS: Record<string, List> = {
  revisions: {
    path: ({ id }) => `/api/entries/${id}/revisions`,
    async add({ id }) {
      const latest = expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${id}`, { token }), 200)
      await write(`/api/entries/${id}/revisions`, revisionOf(latest))
    },
    isSequence: false,
  },
  relations: {
    path: ({ id }) => `/api/entries/${id}/relations`,
    add: ({ id }) =>
      write('/api/relations', { sourceEntryId: id, targetEntryId: other.id, relationType: 'CONNECT', rationale: 'r' }),
    isSequence: false,
  },
  evidence: { path: ({ id }) => `/api/entries/${id}/evidence`, add: verify, isSequence: false },
  timeline: { path: ({ id }) => `/api/entries/${id}/timeline`, add: verify, isSequence: true },
  activity: { path: () => '/api/activity', add: verify, isSequence: true },
}

for (const [name, { path: pathOf, add, isSequence }] of Object.entries(LISTS)) {
  test(`${name}: pages are newest first, twenty by default, to a null cursor`, async () => {
    const entry = await newEntry(app.url, token)
    const path = pathOf(entry)
    for (let n = 0; n < 25; n++) await add(entry)
    // The read of a timeline is a row of it.
    await read(path)
    const all = await allRows(path, 50)
    assert.ok(all.length >= 25)
    assert.deepEqual(all, all.toSorted().toReversed())
    assert.equal(new Set(all).size, all.length)
    assert.deepEqual(rowsOf(await read(path)), all.slice(0, 20))
    for (const limit of [1, 7, 24, 25, 49]) assert.deepEqual(await allRows(path, limit), all, `limit ${limit}`)
  })

  test(`${name}: pages neither repeat nor skip while rows are added, and have a Link to the next one`, async () => {
    const entry = await newEntry(app.url, token)
    const path = pathOf(entry)
    for (let n = 0; n < 9; n++) await add(entry)
    await read(path)
    const earlier = rowsOf(await read(`${path}?limit=50`))
    const seen: string[] = []
    let next: string | undefined = `${path}?limit=4`
    while (next !== undefined && seen.length < earlier.length) {
      const answer: Answer<Page> = await call<Page>(app.url, 'GET', next, { token })
      seen.push(...rowsOf(expectStatus(answer, 200)))
      await add(entry)
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
      const { nextCursor } = answer.body
      assert.equal(next === undefined, nextCursor === null)
      if (next !== undefined) assert.equal(new URLSearchParams(next.split('?')[1]).get('before'), nextCursor)
    }
    assert.deepEqual(seen.slice(0, earlier.length), earlier)
  })

  test(`${name}: before is ${isSequence ? 'a sequence' : 'an offset'} of 1 to 19 digits`, async () => {
    const entry = await newEntry(app.url, token)
    const path = pathOf(entry)
    for (let n = 0; n < 6; n++) await add(entry)
    await read(path)
    const all = rowsOf(await read(path))
    const from = async (before: string): Promise<string[]> => rowsOf(await read(`${path}?before=${before}`))
    if (isSequence) {
      const second = String((await read(path)).items?.[1]?.sequence)
      for (const before of [second, second.padStart(19, '0')]) {
        assert.deepEqual((await from(before)).slice(0, 5), all.slice(2, 7))
      }
      assert.deepEqual(await read(`${path}?before=0`), { items: [], nextCursor: null })
      assert.deepEqual(await from('9999999999999999999'), all)
    } else {
      const size = all.length
      assert.deepEqual(await from('0'), all)
      assert.deepEqual(await from('2'), all.slice(2))
      assert.deepEqual(await from('0000000000000000005'), all.slice(5))
      for (const beyond of [String(size), '999999999', '9999999999999999999']) assert.deepEqual(await from(beyond), [])
      assert.deepEqual(await from('4000000001'), all.slice(size - 3))
      // A list that was longer than this one is: its size counts as the present one.
      for (const longer of ['9000000002', '9999999999000000002']) assert.deepEqual(await from(longer), all.slice(2))
      const clamped = await read(`${path}?limit=2&before=9000000001`)
      assert.deepEqual(rowsOf(clamped), all.slice(1, 3))
      assert.deepEqual(await from(String(clamped.nextCursor)), all.slice(3))
    }
    for (const before of ['', '-1', '1.5', 'abc', '1e3', '12345678901234567890', '٣', '+1']) {
      const answer = await call(app.url, 'GET', `${path}?before=${encodeURIComponent(before)}`)
      expectProblem(answer, 400, 'INVALID_BEFORE')
    }
  })
}

test('the feed has no gap in its sequence', async () => {
  const whole = await allPages<{ sequence: string }>(app.url, '/api/activity')
  const numbers = whole.map(({ sequence }) => Number(sequence))
  assert.deepEqual(
    numbers,
    Array.from(numbers.keys(), n => numbers.length - n),
  )
})

test('an entry without rows has empty lists and no cursor', async () => {
  const { id } = await newEntry(app.url, token)
  assert.deepEqual(await read(`/api/entries/${id}/relations`), { items: [], nextCursor: null })
  const none = { verifications: [], contradictions: [], nextCursor: null }
  assert.deepEqual(await read(`/api/entries/${id}/evidence`), none)
  for (const part of ['revisions', 'relations', 'evidence', 'timeline'])
    expectProblem(await call(app.url, 'GET', `/api/entries/none/${part}`), 404, 'ENTRY_NOT_FOUND')
})
