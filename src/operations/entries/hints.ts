import type { Entry, Hints } from '../../contract/resources.ts'
import { pairsOf } from '../../domain/pairs.ts'
import { type Draft, termsOfDraft, type Worth } from '../../domain/similar.ts'
import { listTitled, type TitledEntry } from '../../store/entry.ts'
import { shownStanding } from '../../store/standing.ts'
import type { Store } from '../store.ts'
import { similarOnes } from './read-similar.ts'

/** Maximum number of named entries. One more is compared, because the new entry may be among them. */
const NAMED = 5
/**
 * Maximum number of entries that are read and compared per second: about a twentieth of the time of this thread. Past it no similar entries
 * are named.
 */
const COMPARED_PER_SECOND = 500

/** All words have the same weight: their frequency would cost a search. */
const ALIKE: Worth = { of: new Map(), other: 1 }

/** Searches for entries that are similar to a draft. Returns the function that makes hints of them after the write. */
export type Hinter = (draft: Draft) => (published: Entry) => Promise<{ hints: Hints }>

/** Returns the function that searches for similar entries while a draft is published. It never rejects. */
export function createHinter(
  store: Pick<Store, 'reader' | 'near'>,
  now: () => number = () => performance.now(),
): Hinter {
  let room = COMPARED_PER_SECOND
  let at = now()
  const hasRoom = (): boolean => {
    const passed = now() - at
    at += passed
    room = Math.min(COMPARED_PER_SECOND, room + (passed / 1_000) * COMPARED_PER_SECOND)
    return room > 0
  }
  const look = async (draft: Draft): Promise<Similar[] | null> => {
    try {
      const terms = termsOfDraft(draft)
      const found = await store.near(pairsOf(terms.all ?? terms.title), NAMED + 1)
      if (found.length === 0) return []
      if (!hasRoom()) return null
      room -= found.length
      return similarOnes(terms, await listTitled(store.reader, found), ALIKE)
    } catch {
      // A failed search does not affect the write.
      return null
    }
  }
  return draft => {
    const looked = look(draft)
    return async published => {
      // The stored answer of a retry may find its own entry.
      const others = (await looked)?.filter(({ entry }) => entry.id !== published.id).slice(0, NAMED)
      return { hints: { similar: others?.map(hintOf) ?? null, signals: published.signals ?? [] } }
    }
  }
}

type Similar = { entry: TitledEntry; score: number }

const hintOf = ({ entry: { id, slug, title, standing }, score }: Similar) => ({
  ...{ id, slug, title, standing: shownStanding(standing) },
  match: score,
})
