import type { Entry } from '../contract/resources.ts'
import { assertReadable } from '../domain/entry.ts'
import { type EntryRow, findEntry, findEntryByNumber, listChangedNumbers, toEntry } from '../store/entry.ts'
import { isModeratedSince } from '../store/moderation.ts'
import { listJudgedSince } from '../store/standing.ts'
import { etagOf } from './etag.ts'
import { createHalves } from './halves.ts'
import { objectOf, octetsOf } from './octets.ts'
import type { Fit } from './operation.ts'
import type { Newest, Store } from './store.ts'

/** What the cache may hold, in bytes of JSON, and how many addresses it knows. */
const WEIGHT_MAX = 8_000_000
const ADDRESSES_MAX = 100_000
/** What is kept of whole pages, in bytes of JSON. */
const PAGES_MAX = 4_000_000
/** More changes than this at once empty the cache. */
const CHANGES_MAX = 1_000

/** A public entry as it is served. It is kept as what is sent alone, which is half of what it takes together with the object. */
export type ServedEntry = {
  number: number
  revision: number
  etag: string
  octets: string
}

/** A page of so many entries as it is served. */
export type ServedPage = { entries: number; more: boolean; octets: Buffer; fit?: Fit }

export type EntryCache = {
  /** The public entry of an id or slug, where it is known and nothing was committed since: without waiting for the store. */
  ready(address: string): ServedEntry | undefined
  /** Gives the entry of an id or slug, or throws ENTRY_NOT_FOUND or ENTRY_WITHDRAWN. */
  read(address: string): Promise<ServedEntry>
  /** Those of the entries that are public, in the order given. */
  list(numbers: readonly number[]): Promise<ServedEntry[]>
  /** The page of this name as of the newest record: as it was made before, unless there was a record since. */
  page(name: string, make: () => Promise<ServedPage>): Promise<ServedPage>
  /** The same where it was made and nothing was committed since: without waiting for the store. */
  readyPage(name: string): ServedPage | undefined
  /** The number of the newest record: everything that is given from now on is at least as new. */
  catchUp(): Promise<number>
}

/**
 * Keeps public entries as they are served. What it gives is as new as the store: an entry changes with a permanent record only, so
 * that what was made up to one record holds until there is another, and then without the entries that it concerns.
 */
export function createEntryCache(store: Pick<Store, 'reader' | 'latestRecord' | 'recordHere'>): EntryCache {
  const { reader } = store
  const kept = createHalves<number, ServedEntry>(WEIGHT_MAX)
  const numbers = createHalves<string, number>(ADDRESSES_MAX)
  const pages = createHalves<string, { record: number; page: ServedPage }>(PAGES_MAX)
  /** The record up to which the cache has forgotten what changed. */
  let reached: Newest = { record: 0, history: 0 }
  let forgetting: Promise<void> | undefined

  const forget = async (to: Newest): Promise<void> => {
    const from = reached
    const [changed, judged, moderated] = await Promise.all([
      listChangedNumbers(reader, from.record, CHANGES_MAX),
      listJudgedSince(reader, from.record, CHANGES_MAX),
      isModeratedSince(reader, from.record),
    ])
    if (from !== reached) return
    const most = Math.max(changed.length, judged.length)
    if (moderated || most >= CHANGES_MAX) kept.clear()
    else for (const number of [...changed, ...judged]) kept.delete(number)
    reached = to
  }
  /** In another history the same numbers may stand for something else. */
  const beginAnew = (newest: Newest): void => {
    kept.clear()
    numbers.clear()
    pages.clear()
    reached = newest
  }
  const catchUp = async (): Promise<Newest> => {
    const newest = await store.latestRecord()
    if (newest.history > reached.history) beginAnew(newest)
    while (newest.history === reached.history && newest.record > reached.record) {
      forgetting ??= forget(newest).finally(() => {
        forgetting = undefined
      })
      await forgetting
    }
    return newest
  }
  /** Makes what is served of a row that was read after `from` was reached. */
  const keep = (row: EntryRow, from: Newest): ServedEntry => {
    const entry = toEntry(row)
    const octets = octetsOf(JSON.stringify(entry))
    const served = { number: row.number, revision: row.revision, etag: etagOf(entry), octets }
    // Where the store has moved on meanwhile, nobody knows whether the row was read before or after.
    if (from === reached && !row.withdrawn) kept.set(row.number, served, octets.length)
    return served
  }
  const known = (address: string): ServedEntry | undefined => {
    const number = numbers.get(address)
    return number === undefined ? undefined : kept.get(number)
  }

  return {
    catchUp: async () => (await catchUp()).record,
    async page(name, make) {
      const { record, history } = await catchUp()
      const before = pages.get(name)
      if (before?.record === record) return before.page
      const page = await make()
      const after = await catchUp()
      if (after.record === record && after.history === history) pages.set(name, { record, page }, page.octets.length)
      return page
    },
    readyPage(name) {
      const made = pages.get(name)
      return made !== undefined && made.record === store.recordHere() ? made.page : undefined
    },
    ready: address => (store.recordHere() === reached.record ? known(address) : undefined),
    async read(address) {
      await catchUp()
      const served = known(address)
      if (served !== undefined) return served
      const from = reached
      const row = assertReadable(await findEntry(reader, address))
      numbers.set(address, row.number)
      return keep(row, from)
    },
    async list(wanted) {
      await catchUp()
      const from = reached
      const found = await Promise.all(
        wanted.map(async number => {
          const served = kept.get(number)
          if (served !== undefined) return served
          const row = await findEntryByNumber(reader, number)
          return row === undefined || row.withdrawn ? undefined : keep(row, from)
        }),
      )
      return found.filter(one => one !== undefined)
    },
  }
}

/** A kept entry as an object. */
export const entryOf = ({ octets }: ServedEntry): Entry => objectOf(octets) as Entry
