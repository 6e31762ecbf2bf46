import assert from 'node:assert/strict'
import type { Random } from './choices.ts'
import { someQuery, someText, type Text } from './corpus.ts'
import type { NamedAnswer, Pair } from './pair.ts'

const rationale = 'r'
export const pathOf = (query: Record<string, string>): string => `/api/search?${new URLSearchParams(query)}`
export const idsOf = ({ body }: NamedAnswer): string[] => (body.items as { id: string }[]).map(({ id }) => id)

/** Random entries, some of them revised, on both engines, and a function that writes more. */
export async function writeCorpus(pair: Pair, random: Random, entries: number) {
  const token = String((await pair.ask('POST', '/api/actors', { body: {} })).body.token)
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await pair.ask('POST', path, { token, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const texts: Text[] = []
  for (let n = 0; n < entries; n++) {
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
  return { texts, post }
}

/** Asserts for random queries that results and their order are the same on both engines. */
export async function compareResults(
  pair: Pair,
  random: Random,
  texts: readonly Text[],
  queries: number,
): Promise<void> {
  let hits = 0
  for (let n = 0; n < queries; n++) {
    const wanted = someQuery(random, random.pick(texts))
    const all = { ...wanted, limit: '50' }
    const found = await pair.ask('GET', pathOf({ ...all, sort: 'recent' }))
    assert.equal(found.status, 200)
    if (idsOf(found).length > 0) hits += 1
    await pair.ask('GET', pathOf({ ...all, sort: 'evolution' }))
    await pair.ask('GET', pathOf({ ...all, sort: 'relevance' }))
    await pair.ask('GET', `/api/find?${new URLSearchParams({ q: wanted.q ?? 'any' })}`)
  }
  assert.ok(hits > queries / 2, `${hits} of ${queries} queries found something`)
}

/** Asserts for random drafts that the entries similar to them are the same on both engines. */
export async function compareDrafts(pair: Pair, random: Random, texts: readonly Text[], drafts: number): Promise<void> {
  let hits = 0
  for (let n = 0; n < drafts; n++) {
    const [one, other] = [random.pick(texts), random.pick(texts)]
    const title = random.below(2) === 0 ? one.title : someText(random).title
    const draft = new URLSearchParams({ title, ...(random.below(2) === 0 ? { summary: other.summary } : {}) })
    const found = await pair.ask('GET', `/api/similar?${draft}`)
    assert.equal(found.status, 200, found.text)
    if (idsOf(found).length > 0) hits += 1
  }
  assert.ok(hits > drafts / 4, `${hits} of ${drafts} drafts had something similar`)
}
