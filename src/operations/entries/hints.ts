import type { Hints } from '../../contract/resources.ts'
import { allTerms, type Draft, type TermWeights, termsOfDraft } from '../../domain/find/similar.ts'
import { pairsOf } from '../../domain/terms/pairs.ts'
import { listTitled, type TitledEntry } from '../../store/entry.ts'
import { shownStanding } from '../../store/standing.ts'
import type { Store } from '../store.ts'
import { similarOnes } from './read-similar.ts'

/** Maximum number of named entries. */
const NAMED = 5
/**
 * Maximum number of entries that are compared with drafts per second, which takes about 5 % of the time of this thread. Past it, hints name
 * no similar entries.
 */
const COMPARED_PER_SECOND = 500
/** The maximum burst after a period without drafts, and the cost of looking up one draft, both in compared entries. */
const COMPARED_MAX = 1_000
const LOOKUP = 10

/** All words have the same weight, because reading their frequency would cost a search. */
const ALIKE: TermWeights = { of: new Map(), other: 1 }

/** Finds entries similar to drafts, as far as that takes little of the time of this thread. */
export class Hinter {
  readonly #store: Pick<Store, 'reader' | 'near'>
  readonly #now: () => number
  /** The number of entries that may be compared now. */
  #room = COMPARED_MAX
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
    this.#room = Math.min(COMPARED_MAX, this.#room + (passed / 1_000) * COMPARED_PER_SECOND)
    return this.#room > 0
  }
}

type Similar = { entry: TitledEntry; score: number }

const hintOf = ({ entry: { id, slug, title, standing }, score }: Similar) => ({
  ...{ id, slug, title, standing: shownStanding(standing) },
  match: score,
})
