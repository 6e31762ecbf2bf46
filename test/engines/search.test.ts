import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { seededRandom } from '../support/random.ts'
import { NO_POSTGRES, type Pair, startPair } from './pair.ts'
import { compareDrafts, compareResults, idsOf, pathOf, writeCorpus } from './searches.ts'

const skip = NO_POSTGRES
const ENTRIES = 60
const QUERIES = 60
const DRAFTS = 15
const random = seededRandom('search on both engines')
let pair: Pair
let corpus: Awaited<ReturnType<typeof writeCorpus>>
before(async () => {
  if (skip) return
  pair = await startPair({ step: 0 })
  corpus = await writeCorpus(pair, random, ENTRIES)
})
after(() => pair?.close())

test('results and their order do not depend on the engine', { skip }, () =>
  compareResults(pair, random, corpus.texts, QUERIES),
)

test('entries similar to a draft, and their scores, do not depend on the engine', { skip }, () =>
  compareDrafts(pair, random, corpus.texts, DRAFTS),
)

test('pages of results are the same on both engines', { skip }, async () => {
  for (const q of ['the', 'a', 'data', '日本', 'c']) {
    for (const sort of ['recent', 'evolution']) {
      const whole = idsOf(await pair.ask('GET', pathOf({ q, sort, limit: '50' })))
      const pages: string[] = []
      for (let offset = 0; offset <= whole.length; offset += 3) {
        pages.push(...idsOf(await pair.ask('GET', pathOf({ q, sort, limit: '3', offset: `${offset}` }))))
      }
      assert.deepEqual(pages.slice(0, whole.length), whole)
    }
  }
})

test('a word of the maximum length is found on both engines, alone and in a phrase', { skip }, async () => {
  // One character that is four letters when it is folded.
  const ligature = '\ufdf2'
  const long = ligature.repeat(300)
  const { post } = corpus
  await post('/api/entries', { title: 'Long', summary: `before ${long}`, content: long.slice(0, 200), tags: [] })
  await post('/api/entries', { title: 'Longer', summary: `x ${long}x`, content: 'x'.repeat(20_000), tags: [] })
  const queries = [1, 2, 3, 99, 100, 101, 198, 199, 200].flatMap(length => [
    ligature.repeat(length),
    `"${ligature.repeat(Math.max(1, length - 2))}"`,
    `"before ${ligature.repeat(Math.max(1, length - 9))}`,
    'x'.repeat(length),
    '\u{10428}'.repeat(length),
  ])
  for (const q of queries) {
    for (const sort of ['recent', 'evolution']) {
      const found = await pair.ask('GET', pathOf({ q: [...q].slice(0, 200).join(''), sort }))
      assert.equal(found.status, 200)
    }
  }
})
