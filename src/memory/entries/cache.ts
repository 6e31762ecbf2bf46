import type { Entry } from '../../contract/resources.ts'
import type { Awaitable, Reader } from '../../engine/database.ts'
import { bytesOf, decodeJson, type EncodedJson, encodeJson } from '../encoded-json.ts'
import { listJudgedSince, storedStanding } from '../evidence/rows.ts'
import type { Newest } from '../head-rows.ts'
import { LruCache } from '../lru-cache.ts'
import { isModeratedSince } from '../moderation/rows.ts'
import type { Fit } from '../searching.ts'
import { type EntryRow, etagOf, findEntry, findEntryByNumber, listChangedNumbers, reviserOf, toEntry } from './rows.ts'
import { assertReadable } from './rules.ts'

/** The maximum size of the cached entries, in bytes, and the maximum number of addresses. */
const CACHED_BYTES = 12_000_000
const ADDRESSES_MAX = 100_000
/** The maximum size of cached pages and answers, in bytes. */
const PAGES_MAX = 4_000_000
/** More changes than this at once empty the cache. */
const CHANGES_MAX = 1_000

/** The estimated memory of a cached entry in addition to its JSON and its standing, or of an answer, in bytes. */
const BESIDES_JSON = 400

/**
 * A public entry as it is sent, and the values by which lists are ordered. Only the encoded JSON is cached, which takes half the memory of
 * JSON and object.
 */
export type ServedEntry = {
  number: number
  revision: number
  etag: string
  json: string
  /** `unconfirmed` has the places of up to three changed pieces that no independent reader supported. */
  judged: Pick<Entry, 'standing' | 'signals'> & { unconfirmed: readonly number[] }
}

/** A page of entries as it is sent. */
export type ServedPage = { entries: number; more: boolean; json: Buffer; fit?: Fit }

/** An answer, before or after it is encoded. */
type MadeAnswer = { body?: object | undefined; json?: EncodedJson | undefined }

/** The members of `Store` that the cache uses. */
type Source = { reader: Reader; latestRecord(): Awaitable<Newest>; knownRecord(): number | undefined }

/**
 * Caches public entries as they are sent. A result is never older than the store: only a permanent record changes an entry, so a cached
 * entry is valid until a newer record changes it.
 */
export class EntryCache {
  readonly #store: Source
  readonly #yieldIfOverBudget: () => Promise<void> | undefined
  readonly #entries = new LruCache<number, ServedEntry>(CACHED_BYTES)
  readonly #numbers = new LruCache<string, number>(ADDRESSES_MAX)
  readonly #pages = new LruCache<string, { record: number; version: string; page: { json: EncodedJson } }>(PAGES_MAX)
  /** The record up to which changed entries were removed from the cache. */
  #reached: Newest = { record: 0, storeEpoch: 0 }
  #forgetting: Promise<void> | undefined

  /**
   * `yieldIfOverBudget` returns undefined if a request may continue in this turn of the event loop, otherwise a promise that resolves in a
   * later turn.
   */
  constructor(store: Source, yieldIfOverBudget: () => Promise<void> | undefined) {
    this.#store = store
    this.#yieldIfOverBudget = yieldIfOverBudget
  }

  /**
   * Returns the public entry of an id or slug. Does not wait for the store if the entry is cached and there was no commit since. Throws
   * ENTRY_NOT_FOUND or ENTRY_WITHDRAWN.
   */
  read(address: string): Awaitable<ServedEntry> {
    const isCurrent = this.#store.knownRecord() === this.#reached.record
    return (isCurrent ? this.#known(address) : undefined) ?? this.#find(address)
  }

  async #find(address: string): Promise<ServedEntry> {
    await this.#catchUp()
    const served = this.#known(address)
    if (served !== undefined) return served
    const from = this.#reached
    const row = assertReadable(await findEntry(this.#store.reader, address))
    this.#numbers.set(address, row.number)
    return this.#add(row, from)
  }

  /** Returns the entries of these numbers in the given order, without those that are not public. */
  async list(numbers: readonly number[]): Promise<ServedEntry[]> {
    await this.#catchUp()
    const from = this.#reached
    const finding: Awaitable<ServedEntry | EntryRow | undefined>[] = []
    for (const number of numbers)
      finding.push(this.#entries.get(number) ?? findEntryByNumber(this.#store.reader, number))
    const list: ServedEntry[] = []
    for (const one of await Promise.all(finding)) {
      if (one === undefined) continue
      if ('json' in one) list.push(one)
      else if (!one.withdrawn) {
        list.push(this.#add(one, from))
        // Fifty long entries take 15 ms to encode.
        await this.#yieldIfOverBudget()
      }
    }
    return list
  }

  /**
   * Returns the page of this name and version as of the newest record. Calls `make` if the cached page is older or of another version. All
   * pages of one name are of one type.
   */
  page<P extends { json: Buffer }>(name: string, make: () => Promise<P>, version = ''): Awaitable<P> {
    const cached = this.#pages.get(name)
    return cached?.version === version && cached.record === this.#store.knownRecord()
      ? (cached.page as P)
      : this.#make(name, make, version)
  }

  async #make<P extends { json: Buffer }>(name: string, make: () => Promise<P>, version: string): Promise<P> {
    const { record, storeEpoch } = await this.#catchUp()
    const before = this.#pages.get(name)
    if (before?.record === record && before.version === version) return before.page as P
    const page = await make()
    const after = await this.#catchUp()
    if (after.record === record && after.storeEpoch === storeEpoch)
      this.#pages.set(name, { record, version, page }, page.json.length)
    return page
  }

  /**
   * Returns the answer of this name, which depends only on permanent records. Calls `make` if the cached answer is older than the newest
   * record, and always if that record is not known without waiting.
   */
  answer<A extends MadeAnswer>(name: string, make: () => Awaitable<A>): Awaitable<A> {
    const record = this.#store.knownRecord()
    if (record === undefined) return make()
    const cached = this.#pages.get(name)
    return cached?.record === record ? (cached.page as A) : this.#makeAnswer(name, make, record)
  }

  async #makeAnswer<A extends MadeAnswer>(name: string, make: () => Awaitable<A>, record: number): Promise<A> {
    const answer = await make()
    const { body, ...parts } = answer
    if (body === undefined) return answer
    // A string is sent in one piece with the fields.
    const json = (await bytesOf(body, this.#yieldIfOverBudget)).toString('latin1')
    if (this.#store.knownRecord() === record) {
      const bytes = name.length + json.length + BESIDES_JSON
      this.#pages.set(name, { record, version: '', page: { ...parts, json } }, bytes)
    }
    return { ...answer, json }
  }

  /** Returns the number of the newest record. Every later result is at least as new. */
  async catchUp(): Promise<number> {
    return (await this.#catchUp()).record
  }

  async #catchUp(): Promise<Newest> {
    const newest = await this.#store.latestRecord()
    if (newest.storeEpoch > this.#reached.storeEpoch) this.#clear(newest)
    while (newest.storeEpoch === this.#reached.storeEpoch && newest.record > this.#reached.record) {
      this.#forgetting ??= this.#forget(newest).finally(() => {
        this.#forgetting = undefined
      })
      await this.#forgetting
    }
    return newest
  }

  /** Removes the entries that records up to `to` have changed. */
  async #forget(to: Newest): Promise<void> {
    const from = this.#reached
    const { reader } = this.#store
    const [changed, judged, moderated] = await Promise.all([
      listChangedNumbers(reader, from.record, CHANGES_MAX),
      listJudgedSince(reader, from.record, CHANGES_MAX),
      isModeratedSince(reader, from.record),
    ])
    if (from !== this.#reached) return
    const most = Math.max(changed.length, judged.length)
    if (moderated || most >= CHANGES_MAX) this.#entries.clear()
    else for (const number of [...changed, ...judged]) this.#entries.delete(number)
    this.#reached = to
  }

  /** Empties the cache. In another epoch of the store, the same numbers may name other records. */
  #clear(newest: Newest): void {
    this.#entries.clear()
    this.#numbers.clear()
    this.#pages.clear()
    this.#reached = newest
  }

  /** Encodes a row that was read after `from` was reached, and caches it. */
  #add(row: EntryRow, from: Newest): ServedEntry {
    const entry = toEntry(row, reviserOf(row))
    const json = encodeJson(JSON.stringify(entry))
    const { standing, signals } = entry
    const served = {
      number: row.number,
      revision: row.revision,
      etag: etagOf(entry),
      json,
      judged: {
        standing,
        signals,
        unconfirmed: standing.changed === 0 ? [] : storedStanding(row.standing).unconfirmed,
      },
    }
    // If the store has a newer record by now, the row may be from before or after it, so it is not cached.
    const bytes = json.length + (row.standing?.length ?? 0) + BESIDES_JSON
    if (from === this.#reached && !row.withdrawn) this.#entries.set(row.number, served, bytes)
    return served
  }

  #known(address: string): ServedEntry | undefined {
    const number = this.#numbers.get(address)
    return number === undefined ? undefined : this.#entries.get(number)
  }
}

/** A cached entry as an object. */
export const entryOf = ({ json }: ServedEntry): Entry => decodeJson(json) as Entry
