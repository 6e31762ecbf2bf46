import type { Entry, Hints } from '../../contract/resources.ts'
import { allTerms, type Draft, type TermWeights, termsOfDraft } from '../../domain/find/similar.ts'
import { pairsOf } from '../../domain/terms/pairs.ts'
import { listTitled, type TitledEntry } from '../../store/entry.ts'
import { shownStanding } from '../../store/standing.ts'
import type { Store } from '../store.ts'
import { similarOnes } from './read-similar.ts'

/** Maximum number of named entries. One more is compared, because the new entry may be among them. */
const NAMED = 5
/**
 * Entries that are read and compared with drafts per second, at most: about a twentieth of the time of this thread. To look a draft up takes as
 * long as some comparisons. Past it no similar entries are named.
 */
const COMPARED_PER_SECOND = 500
/** The same after a while without drafts: a hundred drafts at once are looked up. */
const COMPARED_MAX = 1_000
const LOOKUP = 10

/** All words have the same weight: their frequency would cost a search. */
const ALIKE: TermWeights = { of: new Map(), other: 1 }

/** Makes the hints of a published entry: similar entries, and the signals of its text. */
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

  /** Searches for similar entries while a draft is published. Returns the function that makes the hints after the write. It never rejects. */
  begin(draft: Draft): (published: Entry) => Promise<{ hints: Hints }> {
    const similar = this.#hasRoom() ? this.#similarTo(draft) : null
    return async published => {
      // The stored answer of a retry may find its own entry.
      const others = (await similar)?.filter(({ entry }) => entry.id !== published.id).slice(0, NAMED)
      return { hints: { similar: others?.map(hintOf) ?? null, signals: published.signals ?? [] } }
    }
  }

  async #similarTo(draft: Draft): Promise<Similar[] | null> {
    this.#room -= LOOKUP
    try {
      const terms = termsOfDraft(draft)
      const found = await this.#store.near(pairsOf(allTerms(terms)), NAMED + 1)
      if (found.length === 0) return []
      this.#room -= found.length
      return similarOnes(terms, await listTitled(this.#store.reader, found), ALIKE)
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
