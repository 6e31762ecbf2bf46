import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, EntryList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, callPatiently, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

let token: string
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})

type Query = Record<string, string>
const list = async (query: Query, path = '/api/search'): Promise<EntryList> => {
  const search = new URLSearchParams(query)
  // On a busy machine the index may be late, and the search is refused for a while.
  return expectStatus(await callPatiently<EntryList>(app.url, 'GET', `${path}?${search}`, {}), 200)
}
/** The titles of the entries that have all terms of a query, among the entries of one test: all carry its tag. */
const finder = (tag: string) => async (q: string) => {
  const search = new URLSearchParams({ q, tag, limit: '50' })
  const answer = await callPatiently<EntryList>(app.url, 'GET', `/api/search?${search}`)
  const { items } = expectStatus(answer, 200)
  const all = (answer.headers.get('search-match') ?? 'all') === 'all'
  return all ? items.map(({ title }) => title).sort() : []
}
const publish = (tag: string, input: object) =>
  newEntry(app.url, token, { summary: '-', content: '-', tags: [tag], ...input })
const revise = async (entry: Entry, input: object): Promise<Entry> => {
  const body = { ...revisionOf(entry), ...input }
  return expectStatus(await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { body, token }), 201)
}
const titled = async (query: Query) => (await list(query)).items.map(({ title }) => title)

/** Publishes entries by title, then asserts the results of each query, in any order. */
async function holds(tag: string, entries: object[], cases: [q: string, found: string[]][]): Promise<void> {
  for (const entry of entries) await publish(tag, entry)
  const find = finder(tag)
  for (const [q, found] of cases) assert.deepEqual(await find(q), found.toSorted(), `q = ${JSON.stringify(q)}`)
}

test('all terms must occur, each in any field', async () => {
  const entries = [
    { title: 'A', summary: 'red fox', content: 'snow' },
    { title: 'B', summary: 'red hen', content: 'snow' },
    { title: 'C Redfox' },
  ]
  const tagged = { title: 'D', tags: ['terms', 'Arctic fox'] }
  await holds(
    'terms',
    [...entries, tagged],
    [
      ['red', ['A', 'B', 'C Redfox']],
      ['red fox', ['A']],
      ['fox red', ['A']],
      ['b, red... snow!', ['B']],
      ['fox', ['A', 'D']],
      ['arctic', ['D']],
      ['d arctic', ['D']],
      ['red owl', []],
      ['terms red', ['A', 'B', 'C Redfox']],
    ],
  )
})

test('a quoted phrase must be within one field and within one tag', async () => {
  const entries = [
    { title: 'One', content: 'the quick brown fox' },
    { title: 'Two', content: 'brown quick fox' },
    { title: 'Three quick', summary: 'brown' },
    { title: 'Four', tags: ['phrase', 'quick', 'brown'] },
    { title: 'Five', tags: ['phrase', 'quick brown'] },
    { title: 'Six', content: 'quick, "brown"' },
  ]
  await holds('phrase', entries, [
    ['"quick brown"', ['One', 'Five', 'Six']],
    ['"QUICK  brown" fox', ['One']],
    ['“quick brown”', ['One', 'Five', 'Six']],
    ['quick brown', ['One', 'Two', 'Three quick', 'Four', 'Five', 'Six']],
    ['"quick bro"', []],
    ['"quick brown', ['One', 'Two', 'Three quick', 'Four', 'Five', 'Six']],
    ['""', ['One', 'Two', 'Three quick', 'Four', 'Five', 'Six']],
  ])
})

test('the last term is a prefix from three characters on', async () => {
  const entries = [{ title: 'Migration' }, { title: 'Mig' }, { title: 'Mi guide' }]
  await holds('prefix', entries, [
    ['mig', ['Migration', 'Mig']],
    ['migr', ['Migration']],
    ['mi', ['Mi guide']],
    ['gui', ['Mi guide']],
    ['gu', []],
    ['mi gui', ['Mi guide']],
    ['"migr"', []],
    ['gration', []],
  ])
})

test('case and accents do not matter', async () => {
  const entries = [{ title: 'Crème BRÛLÉE' }, { title: 'Straße' }, { title: 'ΟΔΥΣΣΕΥΣ' }, { title: 'Ёлка' }]
  const others = [
    { title: 'İstanbul' },
    { title: 'Ｆｕｌｌ ｗｉｄｔｈ ﬁne' },
    { title: 'שָׁלוֹם' },
    { title: 'مُحَمَّد' },
    { title: 'cafe\u0301' },
  ]
  await holds(
    'accents',
    [...entries, ...others],
    [
      ['creme brulee', ['Crème BRÛLÉE']],
      ['CRE\u0300ME', ['Crème BRÛLÉE']],
      ['strasse', ['Straße']],
      ['STRASSE', ['Straße']],
      ['straße', ['Straße']],
      ['οδυσσευς', ['ΟΔΥΣΣΕΥΣ']],
      ['οδυσσευσ', ['ΟΔΥΣΣΕΥΣ']],
      ['елка', ['Ёлка']],
      ['istanbul', ['İstanbul']],
      ['full width fine', ['Ｆｕｌｌ ｗｉｄｔｈ ﬁne']],
      ['שלום', ['שָׁלוֹם']],
      ['محمد', ['مُحَمَّد']],
      ['café', ['cafe\u0301']],
    ],
  )
})

test('scripts without spaces are found by any part of them', async () => {
  const entries = [
    { title: 'ja', content: '東京都に住んでいます。データベース' },
    { title: 'zh', content: '中华人民共和国数据库' },
    { title: 'th', content: 'ประเทศไทยและกรุงเทพ' },
    { title: 'mixed', content: 'SQLite数据库v3' },
    { title: 'drawn', content: '葛\u{e0100}飾区' },
  ]
  await holds('unspaced', entries, [
    ['京都', ['ja']],
    ['東京', ['ja']],
    ['都東', []],
    ['住んで', ['ja']],
    ['ータベー', ['ja']],
    ['ﾃﾞｰﾀ', ['ja']],
    ['葛飾', ['drawn']],
    ['葛\u{e0100}飾', ['drawn']],
    ['飾区', ['drawn']],
    ['人民', ['zh']],
    ['数据库', ['zh', 'mixed']],
    ['数据 人民', ['zh']],
    ['国', ['zh']],
    ['เทศ', ['th']],
    ['กรุงเทพ', ['th']],
    ['ุงเทพ', ['th']],
    ['sqlite数据库', ['mixed']],
    ['库v3', ['mixed']],
  ])
})

test('vowel signs and voicing marks make another word', async () => {
  const entries = [
    { title: 'किताब' },
    { title: 'कताब' },
    { title: 'かき' },
    { title: 'がぎ' },
    { title: 'น้ำ' },
    { title: 'นา' },
    { title: 'हिन्दी भाषा' },
  ]
  await holds('signs', entries, [
    ['किताब', ['किताब']],
    ['कताब', ['कताब']],
    ['かき', ['かき']],
    ['がぎ', ['がぎ']],
    ['か\u3099き\u3099', ['がぎ']],
    ['น้ำ', ['น้ำ']],
    ['นา', ['นา']],
    ['हिन्दी', ['हिन्दी भाषा']],
    ['हिन', ['हिन्दी भाषा']],
  ])
})

test('a query without a word does not filter', async () => {
  const entries = [{ title: 'Any' }, { title: 'Other' }]
  await holds(
    'wordless',
    entries,
    ['', ' ', '🦊', '❤️ 👩‍👩‍👧', '!?', '་๏', '"', '" "', '-', '()*:^', '\u0301'].map(q => [q, ['Any', 'Other']]),
  )
  assert.deepEqual(await list({ q: '🦊', limit: '3' }), await list({ limit: '3' }))
})

test('the first eight distinct terms count', async () => {
  const eight = 'one two three four five six seven eight'
  const entries = [
    { title: 'Eight', content: eight },
    { title: 'Seven', content: eight.replace('eight', '') },
  ]
  await holds('distinct', entries, [
    [eight, ['Eight']],
    [`${eight} nine ten`, ['Eight']],
    ['one one one one one one one one eight', ['Eight']],
    ['ONE Öne oNe one two two two three four five eight', ['Eight']],
    ['nine one two three four five six seven eight', []],
  ])
})

test('syntax of query languages is matched as plain words', async () => {
  const entries = [
    { title: 'and or not near', content: 'plain' },
    { title: 'Plain', content: 'fox' },
  ]
  await holds('hostile', entries, [
    ['and or not near', ['and or not near']],
    ['NOT plain', ['and or not near']],
    ['fox AND plain', []],
    ['fox OR nothing', []],
    ['plain:fox', ['Plain']],
    ['{title content}:plain', []],
    ['fox*', ['Plain']],
    ['fo*', []],
    ['^plain', ['and or not near', 'Plain']],
    ['-fox', ['Plain']],
    ['NEAR(fox plain, 5)', []],
    ['(fox) + [plain] {} \\ / % _ ; ^ * : \' " -- # @ $ & | ~ ` < > = ?', ['Plain']],
    ["fox'; DROP TABLE entry; --", []],
    ['"fox', ['Plain']],
    ['fox " plain', ['Plain']],
    ['fox \u0001\u001b\u202e\ue000\uffff plain', ['Plain']],
  ])
  for (const q of ['a\u0000b', '\u0000']) {
    expectProblem(await call(app.url, 'GET', `/api/search?q=${encodeURIComponent(q)}`), 400, 'INVALID_Q')
  }
  for (const raw of ['%ff', '%ed%a0%80', '%zz', '%']) {
    expectProblem(await call(app.url, 'GET', `/api/search?q=${raw}`), 400, 'INVALID_Q')
  }
  expectProblem(await call(app.url, 'GET', '/api/search?q=a&q=b'), 400, 'REPEATED_PARAMETER')
  assert.equal((await list({ q: `${'🦊'.repeat(199)}x` })).items.length > 0, false)
  expectProblem(await call(app.url, 'GET', `/api/search?q=${'x'.repeat(201)}`), 400, 'INVALID_Q')
})

test('an answered write is found at once, a revised entry by its new words only', async () => {
  // Long texts from several writers at once: the index has work to do when the searches come.
  const filler = Array.from({ length: 2_500 }, (_, n) => `w${n}`).join(' ')
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; round < 5; round++) {
      const word = `by${writer}in${round}`
      const entry = await publish('fresh', { title: word, content: `${filler} before${word}` })
      assert.deepEqual(await titled({ q: `before${word}` }), [word])
      await revise(entry, { content: `${filler} after${word}` })
      assert.deepEqual(await titled({ q: `before${word}` }), [])
      assert.deepEqual(await titled({ q: `after${word}` }), [word])
    }
  }
  await Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer)))
})
