import type { Entry, Hints } from '../contract/resources.ts'
import { pairsOf } from '../domain/pairs.ts'
import { type Draft, termsOfDraft, type Worth } from '../domain/similar.ts'
import type { Reads } from './operation.ts'
import { similarOnes } from './read-similar.ts'
import type { Store } from './store.ts'

/** Entries that are named; one more is compared, because the entry itself may be among them. */
const NAMED = 5
/** Entries that are read and compared in a second, at most: about a twentieth of the time of this thread. Past it similar entries are not named. */
const COMPARED_PER_SECOND = 500

/** All words weigh the same: how rare they are would cost a search. */
const ALIKE: Worth = { of: new Map(), other: 1 }

/** Looks for entries that say the same as a draft, and gives the function that makes hints of them once it is published. */
export type Hinter = (draft: Draft) => (published: Entry) => Promise<{ hints: Hints }>

/** Gives the function that looks for similar entries beside the write that publishes a draft. It rejects nothing. */
export function createHinter(
  reads: Pick<Reads, 'entries'> & Pick<Store, 'near'>,
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
      const near = await reads.near(pairsOf(terms.all ?? terms.title), NAMED + 1)
      if (near.length === 0) return []
      if (!hasRoom()) return null
      room -= near.length
      return await similarOnes(reads, terms, near, ALIKE)
    } catch {
      // A look that fails is no fault of the write.
      return null
    }
  }
  return draft => {
    const looked = look(draft)
    return async published => {
      // An answer that is given again may find its own entry.
      const others = (await looked)?.filter(({ entry }) => entry.id !== published.id).slice(0, NAMED)
      return { hints: { similar: others?.map(hintOf) ?? null, signals: published.signals ?? [] } }
    }
  }
}

type Similar = Awaited<ReturnType<typeof similarOnes>>[number]

const hintOf = ({ entry: { id, slug, title, standing }, score }: Similar) => ({
  ...{ id, slug, title, standing },
  match: score,
})
