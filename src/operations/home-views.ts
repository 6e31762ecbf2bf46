import type { Activity, Entry } from '../contract/resources.ts'
import { countTags } from '../domain/facets.ts'
import { tagKey } from '../domain/tag.ts'
import { listNewestWrites, toActivity } from '../store/activity.ts'
import { listConfirmed, listDue } from '../store/work.ts'
import { entryOf } from './entries/entry-cache.ts'
import { FACETED, facetsOf } from './entries/faceted-search.ts'
import { listAll } from './entries/read-entries.ts'
import type { Reads } from './operation.ts'

/** Number of candidates for the places of a list. */
const LOOKED_AT = 40

/** The entries with the newest confirmations, at most one of each actor. */
export async function listNewlyConfirmed({ reader, entries }: Reads, limit: number): Promise<Entry[]> {
  const rows = await listConfirmed(reader, Number.MAX_SAFE_INTEGER, 'most', LOOKED_AT)
  return onePerAuthor((await entries.list(rows.map(({ number }) => number))).map(entryOf)).slice(0, limit)
}

/** The entries that no other actor has checked, those with the most readers first. The first of each author comes before others. */
export async function listUnchecked({ reader, entries }: Reads, limit: number): Promise<Entry[]> {
  const rows = await listDue(reader, 'UNCHECKED', 'most', LOOKED_AT)
  const unchecked = (await entries.list(rows.map(({ number }) => number))).map(entryOf)
  return [...new Set([...onePerAuthor(unchecked), ...unchecked])].slice(0, limit)
}

/** The first entry of each author. */
function onePerAuthor(list: readonly Entry[]): Entry[] {
  const first = new Map(list.toReversed().map(entry => [entry.actor.id, entry]))
  return list.filter(entry => first.get(entry.actor.id) === entry)
}

/** By the key of a tag, the share of its entries that others judged, among the newest entries of the store. */
export type CheckedShares = ReadonlyMap<string, number>

/** The shares of each store as of a record: home pages between two writes compute them once. */
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

/** The newest public writes, newest first. */
export const listWrites = async ({ reader }: Reads, limit: number): Promise<Activity[]> =>
  (await listNewestWrites(reader, limit)).map(toActivity)
