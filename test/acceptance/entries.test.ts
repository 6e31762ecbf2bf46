import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor, Entry, EntryList, Evidence, Published, Revision } from '../../src/contract/resources.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { verdictOf } from '../../src/memory/evidence/rules.ts'
import { shareApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { createClient, sendPatiently } from '../support/load.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

let token: string
let actor: Actor
const app = shareApp({}, async () => {
  ;({ token, actor } = await newActor(app.url, { declaredName: 'Author', declaredModel: 'M1' }))
})

const read = async (address: string): Promise<Entry> =>
  expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${encodeURIComponent(address)}`), 200)
const create = (body: object) => call<Entry>(app.url, 'POST', '/api/entries', { body, token })
const titled = (title: string) => newEntry(app.url, token, { title })

test('a new entry has every member of the contract, and is read as it was answered', async () => {
  const said = { title: 'All members', content: 'Body', summary: 'Gist', tags: ['Alpha', 'Beta 2'] }
  const answer = await create(said)
  const { hints, ...made } = expectStatus(answer, 201) as Published
  assert.deepEqual(hints.signals, [])
  const { id, slug, createdAt, updatedAt, currentRevisionId, ...rest } = made
  assert.match(id, UUID_V7)
  assert.match(currentRevisionId, UUID_V7)
  assert.notEqual(id, currentRevisionId)
  assert.match(createdAt, TIME)
  assert.equal(updatedAt, createdAt)
  assert.equal(slug, 'all-members')
  assert.deepEqual(rest, {
    ...said,
    status: 'ACTIVE',
    dataClass: 'EXTERNAL',
    actor: { id: actor.id, declared: actor.declared, verificationStatus: 'UNVERIFIED' },
    revisionCount: 1,
    standing: {
      state: 'UNCHECKED',
      tally: verdictOf([]).tally,
      share: 0.5,
      confirmed: null,
      changed: 0,
      lastCheckedAt: null,
    },
    signals: [],
    ...TRUST,
  })
  assert.deepEqual(await read(slug), made)
  assert.equal(answer.headers.get('location'), `/api/entries/${slug}`)
  assert.equal(answer.headers.get('etag'), `"${currentRevisionId}"`)
})

test('an entry is read by its slug and by its id in either case', async () => {
  const entry = await titled('Foxes of the North')
  assert.equal(entry.slug, 'foxes-of-the-north')
  for (const address of [entry.slug, entry.id, entry.id.toUpperCase()]) assert.deepEqual(await read(address), entry)
  const unknown = ['no-such-entry', entry.currentRevisionId, '00000000-0000-0000-0000-000000000000']
  for (const address of unknown) {
    expectProblem(await call(app.url, 'GET', `/api/entries/${address}`), 404, 'ENTRY_NOT_FOUND')
  }
})

test('tags and sources are optional, and empty by default', async () => {
  const made = expectStatus(await create({ title: 'Bare', content: 'c', summary: 's' }), 201)
  assert.deepEqual(made.tags, [])
  const revision = await call<Revision>(app.url, 'GET', `/api/entries/${made.id}/revisions/${made.currentRevisionId}`)
  assert.deepEqual(expectStatus(revision, 200).sources, [])
})

test('a slug is the ASCII words of the title', async () => {
  const expected: [string, string][] = [
    ['  Café   Öl -- naïve!  ', 'cafe-oel-naive'],
    ['C++ & Rust: 2 languages', 'c-and-rust-2-languages'],
    ['snake_case stays readable', 'snake-case-stays-readable'],
    ['UPPER lower', 'upper-lower'],
  ]
  for (const [title, slug] of expected) assert.equal((await titled(title)).slug, slug)
})

test('titles of any script have an ASCII slug under which the entry is read', async () => {
  const titles = ['日本語の題名', 'Лисы севера', 'العربية', '🦊🦊🦊', '???', '\u202e\u200b', 'ไทย', '-', '한국어']
  for (const title of titles) {
    const made = await titled(title)
    assert.match(made.slug, SLUG, title)
    assert.ok(made.slug.length <= 80)
    assert.equal(made.title, title)
    assert.deepEqual(await read(made.slug), made)
  }
  for (const title of ['🦊', '…']) assert.match((await titled(title)).slug, /^entry-[0-9a-z-]+$/)
})

test('a long title is cut at a word, to at most 80 characters', async () => {
  const { slug } = await titled('tenletters '.repeat(16).trim())
  assert.equal(slug, 'tenletters-'.repeat(7).slice(0, -1))
  const oneWord = await titled('x'.repeat(180))
  assert.equal(oneWord.slug, 'x'.repeat(80))
  const twin = await titled('x'.repeat(180))
  assert.notEqual(twin.slug, oneWord.slug)
  assert.ok(twin.slug.length <= 120)
  assert.deepEqual(await read(twin.slug), twin)
})

test('a title shaped like the id of another entry does not replace that entry', async () => {
  const first = await titled('The real one')
  const nil = '00000000-0000-0000-0000-000000000000'
  const tail = 'and some more words that are cut away at the edge of a word'
  for (const title of [first.id, first.id.toUpperCase(), `${first.id} ${tail}`, first.currentRevisionId, nil]) {
    const made = await titled(title)
    assert.doesNotMatch(made.slug, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    assert.deepEqual(await read(made.slug), made)
  }
  assert.deepEqual(await read(first.id), first)
  const lookalike = await titled(first.slug)
  assert.notEqual(lookalike.slug, first.slug)
  assert.deepEqual(await read(first.slug), first)
})

test('a thousand simultaneous entries of one title have a thousand slugs', async () => {
  const client = createClient(app.url, 200)
  const body = { title: 'One title for all', summary: 'Gist', content: 'Body' }
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => sendPatiently(client, 'POST', '/api/entries', body, token)),
  )
  client.close()
  const made = answers.map(({ status, text }) => {
    assert.equal(status, 201, text)
    const { hints: _hints, ...entry } = JSON.parse(text) as Published
    return entry
  })
  const slugs = made.map(({ slug }) => slug)
  assert.equal(new Set(slugs).size, 1_000)
  assert.equal(new Set(made.map(({ id }) => id)).size, 1_000)
  assert.ok(slugs.includes('one-title-for-all'))
  for (const slug of slugs) assert.match(slug, /^one-title-for-all(?:-[0-9a-z]+)*$/)
  for (const entry of [made[0], made[499], made[999]]) assert.deepEqual(await read(entry?.slug ?? ''), entry)
})

test('a slug stays when the title changes, and is not assigned to another entry', async () => {
  const entry = await titled('First name')
  const body = revisionOf(entry, { title: 'Second name' })
  const revised = expectStatus(
    await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { body, token }),
    201,
  )
  assert.equal(revised.title, 'Second name')
  assert.equal(revised.slug, 'first-name')
  assert.notEqual((await titled('First name')).slug, 'first-name')
  assert.equal((await titled('Second name')).slug, 'second-name')
})

/** Texts that some stores change. */
const ODD_TEXTS = [
  ' \t\r\n\u0001\u001b[31m\u007f e\u0301 \u00e9 ﬁ \ufeff\u202e\u2028 <script>alert(1)</script> \\u0041 🦊👩‍👩‍👧 \ufffe \n',
  'İstanbul ı I i Straße STRASSE ẞ Σίσυφος σς ΣΑΣ \u212b Å ﷺ ㌀ ½ 𐐀𐐨 \u{10ffff}\uffff',
  '\'; DROP TABLE entry; -- %_\\\\ $1 ? " E\'\\x00\' \\u0000 {"a":[1]} {1,2,NULL}',
  '\u0300'.repeat(180),
  '日本語ไทยمرحبا हिन्दी',
]

test('text is stored as it was sent, byte for byte', async () => {
  for (const content of ODD_TEXTS) {
    const said = { title: ` ${content.slice(0, 40)}`, summary: content, content }
    const entry = await newEntry(app.url, token, said)
    for (const shown of [entry, await read(entry.id)]) assert.partialDeepStrictEqual(shown, said)
    const path = `/api/entries/${entry.slug}`
    const body = { revisionId: entry.currentRevisionId, rationale: content }
    assert.equal(
      expectStatus(await call(app.url, 'POST', `${path}/contradict`, { body, token }), 201).rationale,
      content,
    )
    const { contradictions } = expectStatus(await call<Evidence>(app.url, 'GET', `${path}/evidence`), 200)
    assert.equal(contradictions[0]?.rationale, content)
  }
})

test('lengths are counted in code points', async () => {
  const fox = (count: number): string => '🦊'.repeat(count)
  const widest = { title: fox(180), summary: fox(500), content: fox(7_000) }
  const made = expectStatus(await create(widest), 201)
  assert.deepEqual({ title: made.title, summary: made.summary, content: made.content }, widest)
  const short = { title: 't', summary: 's', content: 'c' }
  for (const [code, member] of [
    ['INVALID_TITLE', { title: fox(181) }],
    ['INVALID_SUMMARY', { summary: fox(501) }],
    ['INVALID_TAGS', { tags: ['é'.repeat(41)] }],
  ] as const) {
    expectProblem(await create({ ...short, ...member }), 400, code)
  }
  assert.equal(expectStatus(await create({ ...short, content: 'c'.repeat(20_000) }), 201).content.length, 20_000)
  expectProblem(await create({ ...short, content: 'c'.repeat(20_001) }), 400, 'INVALID_CONTENT')
  const astral = '𝒶'.repeat(40)
  assert.deepEqual(expectStatus(await create({ ...short, tags: [astral] }), 201).tags, [astral])
})

test('tags are stored in their first spelling, in the order sent, once for each key', async () => {
  const tags = ['Zeta', ' Deep  Sea', 'deep sea', 'ZETA', 'Straße', 'STRASSE', 'ﬁsh', 'FISH']
  const { tags: kept } = await newEntry(app.url, token, { tags })
  assert.deepEqual(kept, ['Zeta', ' Deep  Sea', 'Straße', 'ﬁsh'])
  const others = ['naïve', 'naive', 'हिन्दी', '日本', 'a-b', 'a b', '42']
  assert.deepEqual((await newEntry(app.url, token, { tags: others })).tags, others)
})

test('the limit of eight tags applies before repeats are dropped', async () => {
  const short = { title: 't', summary: 's', content: 'c' }
  assert.deepEqual(expectStatus(await create({ ...short, tags: Array(8).fill('same') }), 201).tags, ['same'])
  expectProblem(await create({ ...short, tags: Array(9).fill('same') }), 400, 'INVALID_TAGS')
  for (const tag of ['', 'a_b', 'a,b', 'c++', '🦊', 'a\tb', 'a\u200db']) {
    expectProblem(await create({ ...short, tags: [tag] }), 400, 'INVALID_TAGS')
  }
})

test('the list is newest change first with ties by id, and limit and offset are returned', async () => {
  const newest = [await titled('List a'), await titled('List b'), await titled('List c')]
  const path = '/api/entries?limit=3'
  const list = expectStatus(await call<EntryList>(app.url, 'GET', path), 200)
  assert.deepEqual(Object.keys(list).sort(), ['dataClass', 'items', 'limit', 'offset'])
  assert.deepEqual({ ...list, items: [] }, { items: [], limit: 3, offset: 0, dataClass: 'EXTERNAL' })
  assert.deepEqual(list.items, newest.toReversed())
  const all: Entry[] = []
  for (let offset = 0; offset < 200; offset += 50) {
    const page = await call<EntryList>(app.url, 'GET', `/api/entries?limit=50&offset=${offset}`)
    all.push(...expectStatus(page, 200).items)
  }
  const key = ({ updatedAt, id }: Entry): string => `${updatedAt} ${id}`
  assert.deepEqual(all.map(key), all.map(key).sort().reverse())
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  const defaults = expectStatus(await call<EntryList>(app.url, 'GET', '/api/entries'), 200)
  assert.deepEqual([defaults.limit, defaults.offset, defaults.items.length], [20, 0, 20])
  const beyond = expectStatus(await call<EntryList>(app.url, 'GET', '/api/entries?offset=10000'), 200)
  assert.deepEqual([beyond.items, beyond.offset], [[], 10_000])
})
