import { listRecentActions } from '../store/activity.ts'
import { type KeptStanding, keptStanding } from '../store/standing.ts'
import { findJudge, findRelator, listMostContested, type ObjectorRow } from '../store/view.ts'
import type { Reads } from './operation.ts'
import type { Heading } from './views.ts'

/** Entries that are looked at for the places of a list. */
const LOOKED_AT = 50
const DAY = 86_400_000

export type Contested = Heading &
  Pick<KeptStanding, 'state' | 'tally'> & {
    /** What an objector says, where one was seen before today. */
    rationale: string | null
  }

/**
 * The entries with the most independent voices on both sides. An actor, and an origin of a day, gets one place at most, and none
 * with an entry of its own; words of actors that were first seen today are not shown.
 */
export async function listContested({ reader }: Pick<Reads, 'reader'>, limit: number): Promise<Contested[]> {
  const [rows, [newest]] = await Promise.all([
    listMostContested(reader, LOOKED_AT),
    listRecentActions(reader, Number.MAX_SAFE_INTEGER, 1),
  ])
  const today = dayOf(newest?.created_at ?? 0)
  const placed = { actors: new Set<number>(), origins: new Set<number>() }
  const found: Contested[] = []
  for (const { standing, actor, origin, id, slug, title, summary } of rows) {
    const { state, tally, against } = keptStanding(standing)
    const objectors = await Promise.all(
      against.map(async ({ record }) => (await findJudge(reader, record)) ?? (await findRelator(reader, record))),
    )
    const known = objectors.filter(one => one !== undefined)
    const isFree = (one: ObjectorRow): boolean =>
      one.actor !== actor &&
      !placed.actors.has(one.actor) &&
      (one.origin === null || (one.origin !== origin && !placed.origins.has(one.origin)))
    const free = known.find(isFree)
    if (free === undefined) continue
    placed.actors.add(free.actor)
    if (free.origin !== null) placed.origins.add(free.origin)
    const heard = known.find(one => dayOf(one.first_seen_at) < today)
    found.push({ id, slug, title, summary, state, tally, rationale: heard?.rationale ?? null })
    if (found.length === limit) break
  }
  return found
}

const dayOf = (at: number): number => Math.floor(at / DAY)
