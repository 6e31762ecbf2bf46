import type { Entry, Hints } from '../contract/resources.ts'
import type { Reads } from './operation.ts'
import { findSimilar } from './read-similar.ts'

/** Entries that are compared with a new one, and those that are named. */
const COMPARED = 10
const NAMED = 5
/** How long the answer of a write waits for similar entries, in milliseconds. */
const PATIENCE = 100
/** A look is followed by a rest of so many times as long, and of so many milliseconds at most: under load looks take a twentieth of the time. */
const REST = 20
const REST_MAX = 1_000

/** Adds hints to the answer of a write that published an entry. */
export type Hinter = (published: Entry) => Promise<{ hints: Hints }>

/** Gives the function that looks for entries which say the same as a new one, after its commit: it rejects nothing and delays no other write. */
export function createHinter(
  reads: Pick<Reads, 'search' | 'entries'>,
  now: () => number = () => performance.now(),
): Hinter {
  let looking = false
  let rested = Number.NEGATIVE_INFINITY

  const look = async (published: Entry): Promise<Hints['similar']> => {
    if (looking || now() < rested) return null
    looking = true
    const began = now()
    try {
      // The entry itself may be among them.
      const found = await findSimilar(reads, published, { compared: COMPARED, limit: NAMED + 1, spare: true })
      return found
        .filter(({ entry }) => entry.id !== published.id)
        .slice(0, NAMED)
        .map(({ entry: { id, slug, title, standing }, score }) => ({ id, slug, title, standing, match: score }))
    } catch {
      // What cannot be looked for now is no fault of the write, which is done.
      return null
    } finally {
      looking = false
      rested = now() + Math.min(REST_MAX, REST * (now() - began))
    }
  }
  return async published => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>(resolve => {
      timer = setTimeout(() => resolve(null), PATIENCE)
    })
    const similar = await Promise.race([look(published), late])
    clearTimeout(timer)
    return { hints: { similar, signals: published.signals ?? [] } }
  }
}
