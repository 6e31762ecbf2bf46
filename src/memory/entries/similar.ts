import { SIMILAR_MAX } from '../../contract/limits.ts'
import type { Entry, Hints, Similar, SimilarList } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Awaitable, Reader } from '../../engine/database.ts'
import {
  type Draft,
  type DraftTerms,
  SIMILAR_FROM,
  similarity,
  type TermWeights,
  termsOfDraft,
} from '../../find/rules/ranking.ts'
import { observedSearch } from '../activity/observe.ts'
import { shownStanding } from '../evidence/rows.ts'
import { LruCache } from '../lru-cache.ts'
import type { ReadOperation, WriteAnswer } from '../operation.ts'
import { entryOf } from './cache.ts'
import { findEntryNumber, listTitled } from './rows.ts'

/** The weight of a term that only the other text has, relative to a term that no entry has. */
const TYPICAL = 0.5
/** Number of entries that are compared with the draft: those that rank highest for its words. */
const CANDIDATES_MAX = 40
/**
 * Number of postings that are read for them. An entry that restates a draft has its rare words in the title or the summary, where each adds
 * much to the score, so it is found among the first postings (see ADR 0018 for the figures).
 */
const POSTINGS = 5_000

/** Finds entries that have much in common with the title and summary of a draft. The draft is not stored. */
export const listSimilar: ReadOperation<'listSimilar'> = async (reads, { query }) => {
  const draft: Draft = { title: query.title, summary: query.summary ?? '' }
  const q = `${draft.title}\n${draft.summary}`
  const request = { q, tag: null, sort: 'fit', limit: CANDIDATES_MAX, offset: 0, postings: POSTINGS } as const
  const found = await reads.search(request)
  const weights = { of: new Map(found.weights), other: found.unknown * TYPICAL }
  const compared = (await reads.entries.list(found.matches.map(({ entry }) => entry))).map(entryOf)
  const items = similarOnes(termsOfDraft(draft), compared, weights)
    .slice(0, SIMILAR_MAX)
    .map(({ entry, score }) => similarOf(entry, score))
  const body: SimilarList = { items, dataClass: 'EXTERNAL' }
  return {
    body,
    observed: observedSearch(items.length, 'relevance'),
  }
}

const similarOf = (
  { id, slug, title, summary, tags, currentRevisionId, updatedAt, standing, signals }: Entry,
  score: number,
): Similar => ({ id, slug, title, summary, tags, currentRevisionId, updatedAt, score, standing, signals, ...TRUST })

type Similarly<E> = { entry: E; score: number }

/** Returns the entries whose similarity to a draft is at least `SIMILAR_FROM`, most similar first. */
function similarOnes<E extends Draft & { id: string }>(
  draft: DraftTerms,
  entries: readonly E[],
  weights: TermWeights,
): Similarly<E>[] {
  const found: Similarly<E>[] = []
  for (const entry of entries) {
    const score = similarity(draft, termsOfDraft(entry), weights)
    if (score >= SIMILAR_FROM) found.push({ entry, score })
  }
  return found.sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? 1 : -1))
}

/** Maximum number of named entries. */
const NAMED = 5
/**
 * Maximum number of entries that are compared with drafts per second, which takes about 5 % of the time of this thread. Past it, hints name
 * only entries with the same title and summary.
 */
const COMPARED_PER_SECOND = 500
/** The maximum burst after a period without drafts, and the cost of looking up one draft, both in compared entries. */
const HINTS_COMPARED_MAX = 1_000
const LOOKUP = 10
/** Maximum number of texts whose latest entries are remembered, because the index follows a commit only later. */
const REMEMBERED = 1_000

/** All words have the same weight, because reading their frequency would cost a search. */
const ALIKE: TermWeights = { of: new Map(), other: 1 }

/** The members of `Store` that hints use. */
type Source = { reader: Reader; near(terms: ReadonlySet<string>, limit: number): Awaitable<number[]> }
type Write = (found: { similar?: Hints['similar'] }) => Promise<WriteAnswer>

/** Finds entries similar to drafts, as far as that takes little of the time of this thread. */
export class Hinter {
  readonly #store: Source
  /** The number of entries that may be compared now. */
  #room = HINTS_COMPARED_MAX
  #filledAt = performance.now()
  /** The ids of the entries that were published with a title and summary, in order; undefined for a refused one. */
  readonly #published = new LruCache<string, readonly Promise<string | undefined>[]>(REMEMBERED)

  constructor(store: Source) {
    this.#store = store
  }

  /**
   * Publishes a draft by `write`, and adds hints to its answer. A retry gets the first answer, so a write with a key stores the hints with it.
   */
  async publish(draft: Draft, { isKeyed }: { isKeyed: boolean }, write: Write): Promise<WriteAnswer> {
    const key = `${draft.title}\n${draft.summary}`
    const before = this.#published.get(key) ?? []
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#published.set(key, [...before, promise].slice(-NAMED))
    // A keyed write waits for no other one.
    const earlier = isKeyed ? before.map(one => Promise.race([one, undefined])) : before
    const looking = this.#similarTo(draft, earlier)
    try {
      const answer = await write(isKeyed ? { similar: await looking } : {})
      const entry = answer.body as Entry
      resolve(entry.id)
      if (isKeyed) return answer
      const hints: Hints = { similar: await looking, signals: entry.signals }
      return { ...answer, body: { ...entry, hints } }
    } finally {
      resolve(undefined)
    }
  }

  /** The entries that are similar to a draft; null if there was no room to look for them and none has its text. Never rejects. */
  async #similarTo(draft: Draft, before: readonly Promise<string | undefined>[]): Promise<Hints['similar']> {
    const passed = performance.now() - this.#filledAt
    this.#filledAt += passed
    this.#room = Math.min(HINTS_COMPARED_MAX, this.#room + (passed / 1_000) * COMPARED_PER_SECOND)
    const isLookedUp = this.#room > 0
    if (!isLookedUp && before.length === 0) return null
    if (isLookedUp) this.#room -= LOOKUP
    try {
      const terms = termsOfDraft(draft)
      const near = isLookedUp ? await this.#store.near(terms.all, NAMED) : []
      const same = before.length === 0 ? [] : await this.#numbersOf(before)
      const found = [...new Set([...same, ...near])]
      if (found.length === 0) return []
      this.#room -= found.length
      const similar: NonNullable<Hints['similar']> = []
      for (const { entry, score } of similarOnes(terms, await listTitled(this.#store.reader, found), ALIKE)) {
        const { id, slug, title } = entry
        if (similar.length < NAMED) similar.push({ id, slug, title, standing: shownStanding(entry), match: score })
      }
      return similar
    } catch {
      // A failed search does not affect the write.
      return null
    }
  }

  /** The numbers of published entries, once they are published. */
  async #numbersOf(published: readonly Promise<string | undefined>[]): Promise<number[]> {
    const ids = (await Promise.all(published)).filter(id => id !== undefined)
    const numbers = await Promise.all(ids.map(id => findEntryNumber(this.#store.reader, id)))
    return numbers.filter(number => number !== undefined)
  }
}
