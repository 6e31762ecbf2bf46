import { FIND } from '../contract/limits.ts'
import type { Entry, Found, FoundList } from '../contract/resources.ts'
import { STATES, TRUST } from '../contract/words.ts'
import { askedTerms } from '../domain/asked.ts'
import { bestThatFit, markdownOf } from '../domain/brief.ts'
import { byWorth, matchOf } from '../domain/fit.ts'
import { passageOf } from '../domain/passage.ts'
import { isAnswerable } from '../domain/ranking.ts'
import { tagKey } from '../domain/tag.ts'
import { findEntryByNumber } from '../store/entry.ts'
import { entryOf } from './entry-cache.ts'
import type { ReadOperation, Reads, SearchResult } from './operation.ts'
import { standingOfEntry } from './read-standing.ts'

/** Entries that are ordered by evidence among those that fit best, and entries that are looked through for a state. */
const CANDIDATES = 40
const CANDIDATES_OF_STATE = 200

/** Finds the entries that answer a described problem, best first, each with the passage that fits best; with `tokens`, as much as fits into them. */
export const findEntries: ReadOperation = async (reads, { query }) => {
  const state = STATES.find(one => one === query.state)
  const { q = '', tag = '', tokens, limit = tokens === undefined ? FIND.default : FIND.max } = query
  const result = await reads.search({
    q,
    tag: tagKey(tag) === '' ? null : tag,
    sort: 'fit',
    limit: state === undefined ? CANDIDATES : CANDIDATES_OF_STATE,
    offset: 0,
  })
  const { coverage, missing, corrected } = result
  const candidates = await candidatesOf(reads, result)
  const match = matchOf(candidates, result.match)
  const frame = { coverage, match, answerable: isAnswerable(match), missing, corrected, dataClass: 'EXTERNAL' as const }
  const found = candidates
    .filter(({ standing }) => state === undefined || standing.state === state)
    .sort(byWorth)
    .slice(0, limit)
  const weights = new Map(result.weights)
  const rows = await Promise.all(found.map(one => rowOf(reads, one, weights, tokens !== undefined)))
  const body: FoundList = tokens === undefined ? { items: rows, ...frame } : bestThatFit(rows, frame, tokens)
  return {
    body,
    markdown: () => markdownOf(body),
    fit: { coverage, match, missing, corrected },
    observed: {
      action: 'SEARCH',
      entry: null,
      revision: null,
      metadata: { resultCount: body.items.length, tag: tag === '' ? null : tag, sort: 'relevance' },
      // With a tag the store may have the answer elsewhere.
      ...(body.answerable || tag !== '' ? {} : { asked: askedTerms(q, result) }),
    },
  }
}

type Candidate = Entry & { number: number; score: number }

/** The entries of a result with their scores; an entry that was withdrawn since it was indexed is left out. */
async function candidatesOf(reads: Reads, result: SearchResult): Promise<Candidate[]> {
  const scores = new Map(result.entries.map((number, at) => [number, result.scores[at] ?? 0]))
  const served = await reads.entries.list(result.entries)
  return served.map(one => ({ ...entryOf(one), number: one.number, score: scores.get(one.number) ?? 0 }))
}

/** An entry as a slim row; in a brief with the strongest objections to its text as it stands. */
async function rowOf(
  { reader }: Reads,
  found: Candidate,
  weights: ReadonlyMap<string, number>,
  brief: boolean,
): Promise<Found> {
  const { id, slug, title, summary, tags, content, currentRevisionId, updatedAt, standing, signals } = found
  const excerpt = passageOf(content, weights)
  const score = Math.round(found.score * 1_000) / 1_000
  const row = {
    id,
    slug,
    title,
    summary,
    excerpt,
    tags,
    score,
    standing,
    signals,
    currentRevisionId,
    updatedAt,
    ...TRUST,
  }
  if (!brief || standing.tally.unsupported + standing.tally.contradicted === 0) return row
  const entry = await findEntryByNumber(reader, found.number)
  if (entry === undefined) return row
  const { contradictions } = await standingOfEntry(reader, entry)
  return {
    ...row,
    objections: contradictions
      .filter(({ status }) => status === 'STANDING')
      .map(({ id, rationale }) => ({ id, rationale })),
  }
}
