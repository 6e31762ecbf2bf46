import type { Entry, Hints } from '../../contract/resources.ts'
import { allTerms, type Draft, type TermWeights, termsOfDraft } from '../../find/rules/ranking.ts'
import { pairsOf } from '../../find/rules/terms.ts'
import { shownStanding } from '../evidence/standing-rows.ts'
import { LruCache } from '../lru-cache.ts'
import type { WriteAnswer } from '../operation.ts'
import type { Store } from '../store.ts'
import { hintsOf } from './create.ts'
import { findEntryNumber, listTitled, type TitledEntry } from './rows.ts'
import { similarOnes } from './similar.ts'

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

type Write = (found: { similar?: Hints['similar'] }) => Promise<WriteAnswer>

/** Finds entries similar to drafts, as far as that takes little of the time of this thread. */
export class Hinter {
  readonly #store: Pick<Store, 'reader' | 'near'>
  readonly #now: () => number
  /** The number of entries that may be compared now. */
  #room = HINTS_COMPARED_MAX
  #filledAt: number
  /** The ids of the entries that were published with a title and summary, in order; undefined for a refused one. */
  readonly #published = new LruCache<string, readonly Promise<string | undefined>[]>(REMEMBERED)

  constructor(store: Pick<Store, 'reader' | 'near'>, now: () => number = performance.now.bind(performance)) {
    this.#store = store
    this.#now = now
    this.#filledAt = now()
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
      return isKeyed ? answer : { ...answer, body: { ...entry, hints: hintsOf(entry, await looking) } }
    } finally {
      resolve(undefined)
    }
  }

  /** The entries that are similar to a draft; null if there was no room to look for them and none has its text. Never rejects. */
  async #similarTo(draft: Draft, before: readonly Promise<string | undefined>[]): Promise<Hints['similar']> {
    const isLookedUp = this.#hasRoom()
    if (!isLookedUp && before.length === 0) return null
    if (isLookedUp) this.#room -= LOOKUP
    try {
      const terms = termsOfDraft(draft)
      const near = isLookedUp ? await this.#store.near(pairsOf(allTerms(terms)), NAMED) : []
      const same = before.length === 0 ? [] : await this.#numbersOf(before)
      const found = [...new Set([...same, ...near])]
      if (found.length === 0) return []
      this.#room -= found.length
      const similar = similarOnes(terms, await listTitled(this.#store.reader, found), ALIKE)
      return similar.slice(0, NAMED).map(hintOf)
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

  #hasRoom(): boolean {
    const passed = this.#now() - this.#filledAt
    this.#filledAt += passed
    this.#room = Math.min(HINTS_COMPARED_MAX, this.#room + (passed / 1_000) * COMPARED_PER_SECOND)
    return this.#room > 0
  }
}

type SimilarEntry = { entry: TitledEntry; score: number }

const hintOf = ({ entry, score }: SimilarEntry) => ({
  ...{ id: entry.id, slug: entry.slug, title: entry.title, standing: shownStanding(entry) },
  match: score,
})
