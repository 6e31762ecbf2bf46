import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { seededRandom } from '../support/random.ts'
import { someQuery, someText, type Text } from './corpus.ts'
import { NO_POSTGRES, type Pair, startPair, type Told } from './pair.ts'

const skip = NO_POSTGRES
const ENTRIES = 90
const QUERIES = 120
const DRAFTS = 15
const rationale = 'r'
const random = seededRandom('search on both engines')
const texts: Text[] = []
let pair: Pair
let token: string
before(async () => {
  if (skip) return
  pair = await startPair({ step: 0 })
  token = String((await pair.ask('POST', '/api/actors', { body: {} })).body.token)
  for (let n = 0; n < ENTRIES; n++) {
    // Some are of one instant: then their ids decide.
    if (random.below(3) > 0) await pair.tick(10)
    const text = someText(random)
    let latest = await post('/api/entries', text)
    for (let more = random.below(3); more > 0; more--) {
      if (random.below(3) > 0) await pair.tick(10)
      const { tags: _, ...revised } = random.below(2) === 0 ? text : someText(random)
      Object.assign(text, revised)
      const body = { ...revised, previousRevisionId: latest.currentRevisionId, changeType: 'EXPAND', rationale }
      latest = await post(`/api/entries/${latest.id}/revisions`, body)
    }
    texts.push(text)
  }
})
after(() => pair?.close())

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await pair.ask('POST', path, { token, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}
const pathOf = (query: Record<string, string>): string => `/api/search?${new URLSearchParams(query)}`
const idsOf = ({ body }: Told): string[] => (body.items as { id: string }[]).map(({ id }) => id)

test('results and their order do not depend on the engine', { skip }, async () => {
  let hits = 0
  for (let n = 0; n < QUERIES; n++) {
    const wanted = someQuery(random, random.pick(texts))
    const all = { ...wanted, limit: '50' }
    const found = await pair.ask('GET', pathOf({ ...all, sort: 'recent' }))
    assert.equal(found.status, 200)
    if (idsOf(found).length > 0) hits += 1
    await pair.ask('GET', pathOf({ ...all, sort: 'evolution' }))
    await pair.ask('GET', pathOf({ ...all, sort: 'relevance' }))
    await pair.ask('GET', `/api/find?${new URLSearchParams({ q: wanted.q ?? 'any' })}`)
  }
  assert.ok(hits > QUERIES / 2, `${hits} of ${QUERIES} queries found something`)
})

test('entries similar to a draft, and their scores, do not depend on the engine', { skip }, async () => {
  let hits = 0
  for (let n = 0; n < DRAFTS; n++) {
    const [one, other] = [random.pick(texts), random.pick(texts)]
    const title = random.below(2) === 0 ? one.title : someText(random).title
    const draft = new URLSearchParams({ title, ...(random.below(2) === 0 ? { summary: other.summary } : {}) })
    const found = await pair.ask('GET', `/api/similar?${draft}`)
    assert.equal(found.status, 200, found.text)
    if (idsOf(found).length > 0) hits += 1
  }
  assert.ok(hits > DRAFTS / 4, `${hits} of ${DRAFTS} drafts had something similar`)
})

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
