import type { Activity, Entry } from '../contract/resources.ts'
import type { Reader } from '../engine/database.ts'
import { countTags } from '../find/rules/facets.ts'
import { listNewestWrites, listRecentActions, toActivity } from './activity/rows.ts'
import { entryOf } from './entries/cache.ts'
import { listAll } from './entries/read.ts'
import { tagKey } from './entries/rules.ts'
import { FACETED, facetsOf } from './entries/search.ts'
import { type ContestedRow, listMostContested, listSupporters } from './entries/view-rows.ts'
import type { Heading } from './entries/views.ts'
import { findObjector, type ObjectorRow, shownStanding, storedStanding } from './evidence/rows.ts'
import type { Reads } from './operation.ts'
import { DAY } from './values.ts'
import { findOwner, listConfirmed, listDue } from './work/rows.ts'

/*
 * The lists of the home page. They recommend, so an entry with a signal is in none of them, and no actor fills one while others have
 * entries.
 */

/** Number of rows from which the entries of a list are chosen. */
const LOOKED_AT = 40

/** The first `limit` of some entries, by number, that have no signals. */
async function listUnflagged({ entries }: Pick<Reads, 'entries'>, numbers: readonly number[], limit: number) {
  const found: Entry[] = []
  for (let from = 0; from < numbers.length && found.length < limit; from += limit) {
    const read = await entries.list(numbers.slice(from, from + limit))
    found.push(...read.map(entryOf).filter(({ signals }) => signals.length === 0))
  }
  return found.slice(0, limit)
}

/** An entry, and how many further entries its last author changed of those that were looked at. */
export type Changed = { entry: Entry; more: number }

/** Returns at most `limit` of the entries that were changed last, newest first. The newest one of each actor precedes its other ones. */
export async function listRecentlyChanged(reads: Reads, limit: number): Promise<Changed[]> {
  const numbers = await listAll(reads.reader, 'recent', LOOKED_AT, 0)
  const listed = await listUnflagged(reads, numbers, LOOKED_AT)
  const authorOf = ({ revisedBy, actor }: Entry): string => (revisedBy ?? actor).id
  const chosen = [...new Set([...onePer(authorOf, listed), ...listed])].slice(0, limit)
  const left = Map.groupBy(
    listed.filter(entry => !chosen.includes(entry)),
    authorOf,
  )
  const last = new Map(chosen.map(entry => [authorOf(entry), entry]))
  return listed
    .filter(entry => chosen.includes(entry))
    .map(entry => ({ entry, more: last.get(authorOf(entry)) === entry ? (left.get(authorOf(entry))?.length ?? 0) : 0 }))
}

/** Returns at most `limit` of the most recently confirmed entries, one per author. Entries of distinct origins come first. */
export async function listNewlyConfirmed(reads: Reads, limit: number): Promise<Entry[]> {
  const { reader } = reads
  const rows = await listConfirmed(reader, Number.MAX_SAFE_INTEGER, 'most', LOOKED_AT)
  const { apart, ofAuthors } = await spread(reader, rows)
  return listUnflagged(reads, [...apart, ...ofAuthors], limit)
}

/**
 * Returns at most `limit` public entries that no other actor has checked, most readers first. The first entry of each author and origin
 * precedes the others.
 */
export async function listUnchecked(reads: Reads, limit: number): Promise<Entry[]> {
  const { reader } = reads
  const rows = await listDue(reader, 'UNCHECKED', 'most', LOOKED_AT)
  const { apart, ofAuthors, others } = await spread(reader, rows)
  return listUnflagged(reads, [...apart, ...ofAuthors, ...others], limit)
}

/** Lists the numbers of entries: the first of each author and origin, the first of each remaining author, and the others. */
async function spread(reader: Reader, rows: readonly { number: number }[]) {
  const lists = { apart: [] as number[], ofAuthors: [] as number[], others: [] as number[] }
  const [actors, origins] = [new Set<number>(), new Set<number | null>()]
  for (const owner of await Promise.all(rows.map(({ number }) => findOwner(reader, number)))) {
    if (owner === undefined) continue
    const { number, actor, origin } = owner
    const isApart = origin === null || !origins.has(origin)
    lists[actors.has(actor) ? 'others' : isApart ? 'apart' : 'ofAuthors'].push(number)
    actors.add(actor)
    origins.add(origin)
  }
  return lists
}

/** The first item of each actor. */
function onePer<T>(actorOf: (item: T) => string, list: readonly T[]): T[] {
  const first = new Map(list.toReversed().map(item => [actorOf(item), item]))
  return list.filter(item => first.get(actorOf(item)) === item)
}

/** Maps the key of a tag to the share (0 to 1) of its entries that other actors judged, among the newest `FACETED` entries of the store. */
export type CheckedShares = ReadonlyMap<string, number>

/** The computed shares of each store, and the record as of which they are valid. Home pages between two writes compute them once. */
const shares = new WeakMap<Reads['entries'], { record: number; checked: CheckedShares }>()

export async function readCheckedShares(reads: Reads): Promise<CheckedShares> {
  const record = await reads.entries.catchUp()
  const known = shares.get(reads.entries)
  if (known?.record === record) return known.checked
  const rows = await facetsOf(reads, await listAll(reads.reader, 'recent', FACETED, 0))
  const checked = new Map(
    countTags(rows, rows.length).map(({ tag, rows: tagged }) => [
      tagKey(tag),
      tagged.filter(({ state }) => state !== 'UNCHECKED').length / tagged.length,
    ]),
  )
  shares.set(reads.entries, { record, checked })
  return checked
}

/** Returns at most `limit` new public writes, newest first. Prefers the newest write of each actor to its earlier ones. */
export async function listWrites({ reader }: Reads, limit: number): Promise<Activity[]> {
  const written = (await listNewestWrites(reader, LOOKED_AT)).map(toActivity)
  const chosen = [...new Set([...onePer(({ actorId }) => actorId, written), ...written])].slice(0, limit)
  return written.filter(write => chosen.includes(write))
}

/** Number of entries from which the contested ones are chosen. */
const CONTESTED_LOOKED_AT = 50
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
    listMostContested(reader, CONTESTED_LOOKED_AT),
    listRecentActions(reader, Number.MAX_SAFE_INTEGER, 1),
  ])
  const today = Math.floor((newest?.created_at ?? 0) / DAY)
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
  const { actor, origin, slug, title, summary } = row
  const stored = storedStanding(row.standing)
  const objectors = await Promise.all(
    stored.contradictions
      .filter(({ status }) => status === 'STANDING')
      .map(({ record, verdict }) => findObjector(reader, record, verdict)),
  )
  const isKnown = (one: { first_seen_at: number }): boolean => Math.floor(one.first_seen_at / DAY) < today
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
  const quote = (one: Pick<ObjectorRow, 'actor' | 'rationale' | 'first_seen_at'> | undefined) => {
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
  return { slug, title, summary, standing: shownStanding(row), rationale, support: quote(support) }
}

/** The origin of an objection. A mirror stores no origins: there, all objections of one day count as one origin. */
const originOf = ({ origin, created_at }: ObjectorRow): string =>
  origin === null ? `day ${Math.floor(created_at / DAY)}` : String(origin)
