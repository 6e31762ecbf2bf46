import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, EntryList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import {
  type Answer,
  call,
  callPatiently,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})

type Query = Record<string, string>
const list = async (query: Query, path = '/api/search'): Promise<EntryList> =>
  expectStatus(await callPatiently<EntryList>(app.url, 'GET', `${path}?${new URLSearchParams(query)}`), 200)
const publish = (tag: string, input: object) =>
  newEntry(app.url, token, { summary: '-', content: '-', tags: [tag], ...input })
const revise = async (entry: Entry, input: object = {}): Promise<Entry> => {
  const body = { ...revisionOf(entry), ...input }
  return expectStatus(await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { body, token }), 201)
}
const titles = ({ items }: EntryList): string[] => items.map(({ title }) => title)

/** All pages of a list by its Link fields, from the first. */
async function follow(first: string): Promise<Entry[]> {
  const seen: Entry[] = []
  let next: string | undefined = first
  while (next !== undefined) {
    const answer: Answer<EntryList> = await call(app.url, 'GET', next)
    seen.push(...expectStatus(answer, 200).items)
    next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return seen
}

test('a tag is found in every spelling with the same key, and in no other', async () => {
  const spelled: [string, string[]][] = [
    ['one', ['Deep Sea']],
    ['two', ['deep  sea', 'other']],
    ['three', [' DEEP SEA ']],
    ['four', ['deep']],
    ['five', ['sea']],
    ['six', ['deep-sea']],
    ['seven', ['deep sea life']],
    ['eight', ['deep', 'sea']],
    ['nine', ['Straße']],
    ['ten', ['café']],
    ['eleven', ['日本']],
  ]
  for (const [title, tags] of spelled) await publish('', { title, tags })
  const cases: [string, string[]][] = [
    ['deep sea', ['three', 'two', 'one']],
    ['  DEEP   Sea ', ['three', 'two', 'one']],
    ['deep', ['eight', 'four']],
    ['sea', ['eight', 'five']],
    ['deep-sea', ['six']],
    ['dee', []],
    ['strasse', ['nine']],
    ['STRAẞE', ['nine']],
    ['cafe\u0301', ['ten']],
    ['CAFÉ', ['ten']],
    ['cafe', []],
    ['日', []],
    ['日本', ['eleven']],
    ['Ⓢⓔⓐ', ['eight', 'five']],
    ['sea!', []],
    ['"sea"', []],
    ["sea'", []],
    ['(sea)', []],
    ['sea_', []],
    ['deep,sea', []],
    ['deep.sea', []],
    ['sea* OR tags:deep', []],
    ['!', []],
    ['🦊', []],
  ]
  for (const [tag, found] of cases) assert.deepEqual(titles(await list({ tag })), found, `tag = ${JSON.stringify(tag)}`)
})

test('an empty tag does not filter, and a tag that is too long is refused', async () => {
  await publish('filter', { title: 'Some' })
  for (const tag of ['', ' ', '   ']) assert.deepEqual(await list({ tag, limit: '3' }), await list({ limit: '3' }))
  expectProblem(await call(app.url, 'GET', `/api/search?tag=${'x'.repeat(41)}`), 400, 'INVALID_TAG')
  assert.deepEqual(titles(await list({ tag: 'x'.repeat(40) })), [])
})

test('tag and words are both required', async () => {
  await publish('both needed', { title: 'Red apple' })
  await publish('both needed', { title: 'Green apple' })
  await publish('other', { title: 'Red apple too' })
  assert.deepEqual(titles(await list({ tag: 'Both Needed', q: 'red' })), ['Red apple'])
  assert.deepEqual(titles(await list({ tag: 'both needed', q: 'apple' })), ['Green apple', 'Red apple'])
  assert.deepEqual(titles(await list({ tag: 'both needed', q: 'too' })), [])
})

test('recent is the latest change first, evolution the most revised first; ties go by id, descending', async () => {
  const entries: Entry[] = []
  for (const title of ['sorted a', 'sorted b', 'sorted c', 'sorted d']) {
    entries.push(await publish('sorted', { title }))
    app.advance(1_000)
  }
  const [a, b, c] = entries as [Entry, Entry, Entry, Entry]
  app.advance(1_000)
  const twice = await revise(a)
  app.advance(1_000)
  await revise(c)
  app.advance(1_000)
  await revise(twice)
  app.advance(1_000)
  await revise(b)
  const recent = ['sorted b', 'sorted a', 'sorted c', 'sorted d']
  const evolution = ['sorted a', 'sorted b', 'sorted c', 'sorted d']
  for (const query of [{ tag: 'sorted' }, { q: 'sorted' }, { q: 'sorted', tag: 'sorted' }]) {
    assert.deepEqual(titles(await list(query)), recent)
    assert.deepEqual(titles(await list({ ...query, sort: 'recent' })), recent)
    assert.deepEqual(titles(await list({ ...query, sort: 'evolution' })), evolution)
  }
  assert.deepEqual(titles(await list({ limit: '4' })), recent)
  assert.deepEqual(titles(await list({ limit: '4', sort: 'evolution' })), evolution)
  assert.deepEqual(titles(await list({ limit: '4', sort: 'relevance' })), recent)
  assert.deepEqual(titles(await list({ tag: 'sorted', sort: 'relevance' })), recent)
  expectProblem(await call(app.url, 'GET', '/api/entries?sort=oldest'), 400, 'INVALID_SORT')
})

test('entries made at once are ordered by time, then id, in every order and page', async () => {
  await Promise.all(Array.from({ length: 60 }, (_, n) => publish('crowd', { title: `crowd ${n}` })))
  const key = ({ updatedAt, id }: Entry): string => `${updatedAt} ${id}`
  const ways = ['tag=crowd', 'q=crowd', 'q=crowd&sort=evolution', 'tag=crowd&sort=relevance', 'q=crowd&sort=relevance']
  for (const way of ways) {
    for (const limit of [7, 30, 50]) {
      const seen = await follow(`/api/search?${way}&limit=${limit}`)
      assert.equal(seen.length, 60, way)
      assert.deepEqual(seen.map(key), seen.map(key).sort().reverse(), `${way} ${limit}`)
    }
  }
})

test('relevance puts the better match first', async () => {
  await publish('ranked', { title: 'In the title: quokka' })
  await publish('ranked', { title: 'In the summary', summary: 'quokka' })
  const filler = 'words that say nothing about it '.repeat(20)
  await publish('ranked', { title: 'In the content', content: `${filler} quokka ${filler}` })
  const order = ['In the title: quokka', 'In the summary', 'In the content']
  assert.deepEqual(titles(await list({ q: 'quokka', sort: 'relevance' })), order)
  assert.deepEqual(titles(await list({ q: 'quokka' })), order.toReversed())
})

test('limit and offset cut the list and are returned, with a Link to the next page if there is one', async () => {
  for (let n = 0; n < 5; n++) await publish('cut', { title: `cut ${n}` })
  for (const query of [{ tag: 'cut' }, { q: 'cut' }, { q: 'cut', sort: 'relevance' }]) {
    const whole = titles(await list(query))
    assert.equal(whole.length, 5)
    for (let offset = 0; offset <= 6; offset++) {
      const page = await list({ ...query, limit: '2', offset: String(offset) })
      assert.deepEqual([page.limit, page.offset], [2, offset])
      assert.deepEqual(titles(page), whole.slice(offset, offset + 2))
    }
  }
  const linked = async (query: string) => (await call(app.url, 'GET', `/api/search?${query}`)).headers.get('link')
  assert.equal(await linked('tag=cut&limit=5'), null)
  assert.equal(await linked('tag=cut&limit=2&offset=3'), null)
  assert.match((await linked('tag=cut&limit=4')) ?? '', /^<\/api\/search\?.*offset=4.*>; rel="next"$/)
  const all = titles(await list({ tag: 'cut' }))
  for (const query of ['tag=cut&limit=2', 'q=cut?&tag=cut&limit=2', 'q=%22cut%22+%3F&limit=2', 'limit=2&q=cut%26']) {
    assert.deepEqual(titles({ items: await follow(`/api/search?${query}`) } as EntryList), all, query)
    assert.match((await linked(query)) ?? '', /[?&]limit=2&/, query)
  }
})

test('both addresses return the same list', async () => {
  await publish('both', { title: 'Same either way' })
  for (const query of [
    { tag: 'both' },
    { q: 'either', limit: '1' },
    { sort: 'evolution' },
    { q: 'same', sort: 'relevance' },
  ]) {
    assert.deepEqual(await list(query as Query, '/api/entries'), await list(query as Query))
  }
})

test('a withdrawn entry is not found, and found again when it is restored', async () => {
  const entry = await publish('withdrawn', { title: 'Comes and goes' })
  for (const [action, found] of [
    ['HIDE', []],
    ['RESTORE', ['Comes and goes']],
    ['BLOCK', ['Comes and goes']],
  ] as const) {
    await moderate(app.url, 'ENTRY', entry.id, action)
    assert.deepEqual(titles(await list({ q: 'comes goes' })), found, action)
    assert.deepEqual(titles(await list({ tag: 'withdrawn' })), found, action)
    assert.equal(
      (await list({ limit: '50' })).items.some(({ id }) => id === entry.id),
      found.length > 0,
    )
  }
})
