import { listRecentActions } from '../../store/activity.ts'
import { keptStanding, slimStanding } from '../../store/standing.ts'
import { findJudge, findRelator, listMostContested, listSupporters, type ObjectorRow } from '../../store/view.ts'
import type { Reads } from '../operation.ts'
import type { Heading } from '../views.ts'

/** Number of candidates for the places of a list. */
const LOOKED_AT = 50
/** Maximum number of the newest pieces of evidence of an entry among which a supporting one is searched. */
const SUPPORTS_LOOKED_AT = 50
const DAY = 86_400_000

export type Contested = Heading & {
  /** The rationale of an objector and of a supporter that were first seen before today; null if there is none. */
  rationale: string | null
  support: string | null
}

/**
 * The entries with the most independent voices on both sides. Each actor, and each origin of a day, has at most one place, and none with its
 * own entry. Texts of actors that were first seen today are not shown.
 */
export async function listContested({ reader }: Pick<Reads, 'reader'>, limit: number): Promise<Contested[]> {
  const [rows, [newest]] = await Promise.all([
    listMostContested(reader, LOOKED_AT),
    listRecentActions(reader, Number.MAX_SAFE_INTEGER, 1),
  ])
  const today = dayOf(newest?.created_at ?? 0)
  const placed = { actors: new Set<number>(), origins: new Set<number>() }
  const found: Contested[] = []
  for (const { number, standing, actor, origin, id, slug, title, summary } of rows) {
    const kept = keptStanding(standing)
    const objectors = await Promise.all(
      kept.against.map(async ({ record }) => (await findJudge(reader, record)) ?? (await findRelator(reader, record))),
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
    const supporters = await listSupporters(reader, number, SUPPORTS_LOOKED_AT)
    const [support] = supporters
      .filter(one => dayOf(one.first_seen_at) < today)
      .sort((one, other) => other.number - one.number)
    found.push({
      ...{ id, slug, title, summary, standing: slimStanding(kept) },
      ...{ rationale: heard?.rationale ?? null, support: support?.rationale ?? null },
    })
    if (found.length === limit) break
  }
  return found
}

const dayOf = (at: number): number => Math.floor(at / DAY)
