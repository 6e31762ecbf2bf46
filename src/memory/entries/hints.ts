import type { Hints } from '../../contract/resources.ts'
import { pairsOf } from '../../find/rules/pairs.ts'
import { allTerms, type Draft, type TermWeights, termsOfDraft } from '../../find/rules/ranking.ts'
import { shownStanding } from '../evidence/standing-rows.ts'
import type { Store } from '../store.ts'
import { listTitled, type TitledEntry } from './rows.ts'
import { similarOnes } from './similar.ts'

/** Maximum number of named entries. */
const NAMED = 5
/**
 * Maximum number of entries that are compared with drafts per second, which takes about 5 % of the time of this thread. Past it, hints name
 * no similar entries.
 */
const COMPARED_PER_SECOND = 500
/** The maximum burst after a period without drafts, and the cost of looking up one draft, both in compared entries. */
const HINTS_COMPARED_MAX = 1_000
const LOOKUP = 10

/** All words have the same weight, because reading their frequency would cost a search. */
const ALIKE: TermWeights = { of: new Map(), other: 1 }

/** Finds entries similar to drafts, as far as that takes little of the time of this thread. */
export class Hinter {
  readonly #store: Pick<Store, 'reader' | 'near'>
  readonly #now: () => number
  /** The number of entries that may be compared now. */
  #room = HINTS_COMPARED_MAX
  #filledAt: number

  constructor(store: Pick<Store, 'reader' | 'near'>, now: () => number = () => performance.now()) {
    this.#store = store
    this.#now = now
    this.#filledAt = now()
  }

  /** The entries that are similar to a draft; null if there was no room to look for them. Never rejects. */
  async similarTo(draft: Draft): Promise<Hints['similar']> {
    if (!this.#hasRoom()) return null
    this.#room -= LOOKUP
    try {
      const terms = termsOfDraft(draft)
      const found = await this.#store.near(pairsOf(allTerms(terms)), NAMED)
      if (found.length === 0) return []
      this.#room -= found.length
      return similarOnes(terms, await listTitled(this.#store.reader, found), ALIKE).map(hintOf)
    } catch {
      // A failed search does not affect the write.
      return null
    }
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
