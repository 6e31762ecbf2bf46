import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCollection } from '../../bench/search/collection.ts'
import type { FoundList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'

const FOLDER = join(import.meta.dirname, '../../bench/search/remedies')
const { entries, questions } = readCollection(FOLDER)
/** The part of each entry that an answer should contain. */
const remedies = new Map(
  readFileSync(join(FOLDER, 'corpus.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { _id: string; title: string; remedy: string })
    .map(({ _id, title, remedy }) => [_id, { title, remedy }]),
)
const answered = questions.filter(({ kind }) => kind !== 'foreign')

const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  for (const { id: _, ...entry } of entries) await newEntry(app.url, token, entry)
})

const ask = async (query: Record<string, string>, accept = 'application/json') =>
  callPatiently<FoundList>(app.url, 'GET', `/api/find?${new URLSearchParams(query)}`, { headers: { accept } })
const find = async (query: Record<string, string>) => expectStatus(await ask(query), 200)
const bytesOf = (text: string): number => Buffer.byteLength(text)

test('an answer takes at most 500 tokens in the median, and 1,200 at most', async context => {
  const bytes: number[] = []
  for (const { text } of answered) {
    const answer = await ask({ q: text })
    bytes.push(bytesOf(answer.text))
    const { items } = answer.body
    assert.ok(items.length <= 5 && items.every(({ score }) => score >= (items[0]?.score ?? 0) / 2 - 0.001), text)
    assert.equal(answer.text.match(/UNTRUSTED_USER_DATA/g)?.length, 1, 'constants stand once')
  }
  bytes.sort((a, b) => a - b)
  const [median = 0, most = 0] = [bytes[bytes.length >> 1], bytes.at(-1)]
  context.diagnostic(`median ${median} bytes, most ${most} bytes`)
  assert.ok(median <= 2_000 && most <= 4_800, `median ${median} bytes, most ${most} bytes`)
})

test('an entry that is clearly first has its whole content, in every form', async () => {
  const q = 'psql Peer authentication failed for user'
  const { content = '' } = entries.find(({ id }) => id === 'pg-peer-authentication') ?? {}
  const { items } = await find({ q })
  assert.deepEqual([items[0]?.whole, items[0]?.excerpt], [true, content])
  const { text } = await ask({ q }, 'text/markdown')
  assert.ok(text.includes('\n> local   shop      shop  scram-sha-256\n'), text)
  const [row] = (await find({ q: 'postgres server connection session', limit: '3' })).items
  assert.ok(row !== undefined && row.whole === undefined && row.excerpt.length <= 850, row?.excerpt)
})

test('a row has its standing in short, and a limit adds rows that fit less', async () => {
  const q = 'psql Peer authentication failed for user'
  const { items } = await find({ q })
  assert.deepEqual(items[0]?.standing, { state: 'UNCHECKED', for: 0, against: 0, changed: 0, lastCheckedAt: null })
  const more = await find({ q, limit: '20' })
  assert.equal(more.items.length, 20)
  assert.ok(more.items.length > items.length)
})

test('a no has at most three titles and takes at most 150 tokens', async () => {
  for (const q of [
    'migrating flamingos counted by amateur observers over a lake',
    'recipe for sourdough bread with rye',
  ]) {
    const answer = await ask({ q })
    const { answerable, items, near = [] } = answer.body
    assert.deepEqual([answerable, items], [false, []], q)
    assert.ok(near.length <= 3 && bytesOf(answer.text) <= 600, answer.text)
    const { text } = await ask({ q }, 'text/markdown')
    for (const { slug } of near) assert.ok(text.includes(` · ${slug}\n`), text)
    assert.ok((await find({ q, limit: '5' })).items.length > 0, 'a limit shows what was found')
  }
})

/** The share of some questions that are answerable. */
async function shareAnswerable(asked: readonly { text: string }[]): Promise<number> {
  let answerable = 0
  for (const { text } of asked) answerable += Number((await find({ q: text })).answerable)
  return answerable / asked.length
}

test('questions that an entry answers are answerable, and those about other subjects are not', async context => {
  const foreign = questions.filter(({ kind }) => kind === 'foreign')
  const shares = {
    questions: await shareAnswerable(questions.filter(({ kind }) => kind === 'question')),
    errors: await shareAnswerable(questions.filter(({ kind }) => kind === 'error')),
    packages: await shareAnswerable(foreign.filter(({ id }) => id.startsWith('p'))),
    near: await shareAnswerable(foreign.filter(({ id }) => id.startsWith('n'))),
    foreignErrors: await shareAnswerable(foreign.filter(({ id }) => id.startsWith('x'))),
  }
  context.diagnostic(JSON.stringify(shares))
  assert.ok(shares.questions >= 0.92 && shares.errors >= 0.92, 'wrongly false')
  assert.ok(shares.packages <= 0.03, 'wrongly true about other subjects')
  assert.ok(shares.near <= 0.3 && shares.foreignErrors <= 0.15, 'wrongly true about neighbouring subjects')
})

test('a passage has the remedy, and never a part of a block of code', async context => {
  let helpful = 0
  for (const { text, relevant } of answered) {
    const { title, remedy } = remedies.get([...relevant.keys()][0] ?? '') ?? {}
    const { items } = await find({ q: text, limit: '10' })
    const { excerpt = '' } = items.find(item => item.title === title) ?? {}
    helpful += Number(remedy !== undefined && excerpt.includes(remedy))
    for (const item of items) assert.equal((item.excerpt.match(/^```/gm) ?? []).length % 2, 0, item.excerpt)
  }
  context.diagnostic(`${helpful} of ${answered.length}`)
  assert.ok(helpful >= 0.8 * answered.length, `${helpful} of ${answered.length}`)
})

test('a shortened row has no part of a block of code', async () => {
  for (const tokens of ['300', '500'])
    for (const { text } of answered.slice(0, 20))
      for (const { excerpt } of (await find({ q: text, tokens, limit: '10' })).items)
        assert.equal((excerpt.match(/^```/gm) ?? []).length % 2, 0, excerpt)
})

test('a question of two parts gets a short passage for each', async () => {
  const { token } = await newActor(app.url)
  const filler = 'The oven of the bakery was built by hand, and its door is older than the house. '.repeat(12)
  const [one, other] = ['Clean the flue with a copper brush.', 'Replace the gasket of the ash drawer.']
  const title = 'Care of an oven for bread'
  await newEntry(app.url, token, {
    title,
    summary: 'Each spring.',
    content: `${filler}${one} ${filler}${other} ${filler}`,
  })
  const q = 'how to clean a flue by copper brush, and when to replace the gasket of an ash drawer'
  const { items } = await find({ q, limit: '1' })
  assert.equal(items[0]?.title, title)
  assert.equal(items[0]?.excerpt, `… ${one}\n…\n${other} …`)
})
