import type { Reader } from '../../engine/database.ts'
import { listRecentActions } from '../activity/rows.ts'
import {
  type ContestedRow,
  findJudge,
  findRelator,
  listMostContested,
  listSupporters,
  type ObjectorRow,
} from '../entries/view-rows.ts'
import type { Heading } from '../entries/views.ts'
import type { Reads } from '../operation.ts'
import { dayNumber } from '../values.ts'
import { shownStanding, storedStanding } from './standing-rows.ts'

/** Number of entries from which those of a list are chosen. */
const LOOKED_AT = 50
/** Number of the newest supports of a revision that are searched for one to quote. */
const SUPPORTS_LOOKED_AT = 50

export type Contested = Heading & {
  /** The rationale of an objector and of a supporter that were first seen before today; null if there is none. */
  rationale: string | null
  support: string | null
}

/** The objectors of the chosen entries and their origins, the authors of these entries, and the actors that are quoted. */
type Places = { actors: Set<number>; origins: Set<string>; authors: Set<number>; quoted: Set<number> }

/**
 * Returns the entries with the most independent evidence on both sides. Each objector, and each origin of a day, accounts for at most one
 * entry, and not for its own. A second entry of an author follows the entries of other authors. An actor is quoted at most once. Actors
 * that were first seen today are not quoted.
 */
export async function listContested({ reader }: Pick<Reads, 'reader'>, limit: number): Promise<Contested[]> {
  const [rows, [newest]] = await Promise.all([
    listMostContested(reader, LOOKED_AT),
    listRecentActions(reader, Number.MAX_SAFE_INTEGER, 1),
  ])
  const today = dayNumber(newest?.created_at ?? 0)
  const places: Places = { actors: new Set(), origins: new Set(), authors: new Set(), quoted: new Set() }
  const found = new Map<number, Contested>()
  for (const isSecond of [false, true]) {
    for (const row of rows) {
      if (found.size === limit) break
      if (found.has(row.number) || (!isSecond && places.authors.has(row.actor))) continue
      const one = await placed(reader, row, places, today)
      if (one !== undefined) found.set(row.number, one)
    }
  }
  return [...found.values()]
}

/** Chooses an entry if one of its objectors does not account for another entry yet; otherwise returns undefined. */
async function placed(
  reader: Reader,
  row: ContestedRow,
  places: Places,
  today: number,
): Promise<Contested | undefined> {
  const { actor, origin, id, slug, title, summary } = row
  const stored = storedStanding(row.standing)
  const objectors = await Promise.all(
    stored.contradictions
      .filter(({ status }) => status === 'STANDING')
      .map(({ record, verdict }) => (verdict === 'CONTRADICTS' ? findRelator : findJudge)(reader, record)),
  )
  const isKnown = (one: { first_seen_at: number }): boolean => dayNumber(one.first_seen_at) < today
  const free = objectors.filter(
    one =>
      one !== undefined &&
      one.actor !== actor &&
      !places.actors.has(one.actor) &&
      (one.origin === null || one.origin !== origin) &&
      !places.origins.has(originOf(one)),
  )
  const objector = free.find(one => one !== undefined && isKnown(one) && !places.quoted.has(one.actor)) ?? free[0]
  if (objector === undefined) return undefined
  places.actors.add(objector.actor)
  places.origins.add(originOf(objector))
  places.authors.add(actor)
  const quote = <T extends { actor: number; rationale: string; first_seen_at: number }>(one: T | undefined) => {
    if (one === undefined || !isKnown(one) || places.quoted.has(one.actor)) return null
    places.quoted.add(one.actor)
    return one.rationale
  }
  const rationale = quote(objector)
  const supporters =
    stored.nearest === null || stored.tally.for === 0
      ? []
      : await listSupporters(reader, stored.nearest, SUPPORTS_LOOKED_AT)
  const support = supporters.find(one => isKnown(one) && !places.quoted.has(one.actor))
  return { id, slug, title, summary, standing: shownStanding(row), rationale, support: quote(support) }
}

/** The origin of an objection. A mirror stores no origins: there, all objections of one day count as one origin. */
const originOf = ({ origin, created_at }: ObjectorRow): string =>
  origin === null ? `day ${dayNumber(created_at)}` : String(origin)
