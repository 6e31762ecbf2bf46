import { setImmediate, setTimeout } from 'node:timers/promises'
import { type Awaitable, isUnavailable, type Sql, StoreFault, sql } from '../../engine/database.ts'
import { boundLog, isBusy, type SqliteConnection } from '../../engine/sqlite.ts'
import {
  awaitBeyond,
  INDEXED,
  type IndexNotice,
  isDamaged,
  positionOf,
  publish,
  publishIndexFile,
  type SharedCounters,
  STOPPING,
  WANTED,
} from '../../engine/thread.ts'
import { type ChangedEntryRow, changedEntries, currentEntry } from '../../memory/entries/rows.ts'
import {
  deleteIndex,
  emptyIndex,
  erasedBefore,
  indexedRecord,
  indexedState,
  isDamageOfIndex,
  openIndex,
  putEntries,
  removeEntries,
  type StoreState,
  saveErasedBefore,
  saveIndexedRecord,
  tidyIndex,
  undoIndexing,
} from './file.ts'

/**
 * Maximum number of entries in one transaction. Each transaction adds a segment, and few segments need few merges. The second limit is the
 * number of entries in one read: it bounds the memory, and a long read would prevent the truncation of the write-ahead log.
 */
const BATCH = 1_000
const PIECE = 120

/** Reads the rows of a statement from the store. */
type ReadEntries = (statement: Sql) => Awaitable<ChangedEntryRow[]>

/**
 * `onEntry` is called for each entry and table, `onReached` with each record that the index has reached. `onReached` returns whether to
 * continue.
 */
export type Following = { onEntry?: (() => void) | undefined; onReached: (record: number) => boolean }

/** Indexes the entries that changed after the record `from`, in the order of change, at least up to the record `to`. */
export async function followChanges(
  read: ReadEntries,
  index: SqliteConnection,
  from: number,
  to: number,
  { onEntry, onReached }: Following,
): Promise<void> {
  let last: Pick<ChangedEntryRow, 'change' | 'number'> = { change: from, number: Number.MAX_SAFE_INTEGER }
  for (;;) {
    let left = BATCH
    index.run(sql`BEGIN IMMEDIATE`)
    while (left > 0) {
      const most = Math.min(PIECE, left)
      const entries = await read(changedEntries(last.change, last.number, most))
      putEntries(index, entries, onEntry)
      last = entries.at(-1) ?? last
      left -= entries.length
      // The thread has other work too.
      await setImmediate()
      if (entries.length < most) break
    }
    // One change can concern many entries: in a full batch only the changes before the last one are complete.
    const isFull = left === 0
    const reached = isFull ? last.change - 1 : Math.max(to, last.change)
    saveIndexedRecord(index, reached)
    index.run(sql`COMMIT`)
    if (!onReached(reached) || !isFull) return
  }
}

/** Number of entries in one block that is compared with the store. Blocks are compared newest first, until one agrees. */
const COMPARED = 200

type Indexed = { number: number; entry: number; id: string }

/**
 * Makes an index match a store. Empties an index of another store. If the store lost its newest records in a failover, indexes the entries
 * that changed later again.
 */
async function claimIndex(index: SqliteConnection, store: StoreState, read: ReadEntries): Promise<void> {
  const known = indexedState(index)
  if (known === undefined || known.storeId !== store.storeId) return emptyIndex(index, store)
  if (known.storeEpoch === store.storeEpoch && known.record <= store.record) return
  const common = await commonRecord(index, read)
  index.run(sql`BEGIN IMMEDIATE`)
  const later = index.all<{ entry: number }>(sql`
    SELECT entry FROM doc WHERE number > ${common} UNION SELECT entry FROM withdrawn WHERE change > ${common}`)
  for (const { entry } of later) {
    const [row] = await read(currentEntry(entry))
    if (row === undefined) removeEntries(index, [entry])
    else putEntries(index, [row])
  }
  index.run(sql`UPDATE progress SET history = ${store.storeEpoch}`)
  saveIndexedRecord(index, Math.min(common, store.record))
  index.run(sql`COMMIT`)
}

/** A record up to which index and store have the same entries. Only the newest records can be lost, so one block that agrees is enough. */
async function commonRecord(index: SqliteConnection, read: ReadEntries): Promise<number> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const block = index.all<Indexed>(
      sql`SELECT number, entry, id FROM doc WHERE number < ${below} ORDER BY number DESC LIMIT ${COMPARED}`,
    )
    const last = block.at(-1)
    if (last === undefined) return 0
    const rows = await Promise.all(block.map(({ entry }) => read(currentEntry(entry))))
    const agrees = block.every(({ number, id }, at) => {
      const [row] = rows[at] as ChangedEntryRow[]
      return row?.id === id && row.revision >= number
    })
    if (agrees) return last.number
    below = last.number
  }
}

/**
 * How long changes are collected before they are indexed together, in milliseconds. They are indexed earlier if a search waits for them.
 */
const LINGER = 500
/** How long the store must be idle before segments are merged and the pause between two steps, in milliseconds, and the pages of a step. */
const QUIET = 500
const TIDY_PAUSE = 10
const TIDY_PAGES = 64
/** Pause before another try after a full disk, a locked index or an unreachable database, in milliseconds. */
const RETRY_PAUSE = 500

type Held = 'full' | 'locked' | 'damaged' | undefined

/** The store that an index follows. */
type IndexSource = {
  /** The id of the store, its newest record, and how many of its revisions are erased. */
  state(): Awaitable<StoreState & { erased: number }>
  read: ReadEntries
  /** Waits until the store may be newer than `state`. Returns false if nothing was committed for `patience` milliseconds. */
  awaitNewer(state: StoreState, patience: number): Awaitable<boolean>
}

type IndexKeeping = {
  counters: SharedCounters
  /** The path of the index file. */
  file: string
  /** The open index. `run` closes it. */
  index: SqliteConnection
  /** The fault for which that index was made anew, if there was one. */
  fault: StoreFault | undefined
  source: IndexSource
  /** Called for each entry and table. */
  onEntry?: (() => void) | undefined
  /**
   * Called with the record from which the index follows a store, when the index file cannot be written or is damaged, and when it has every
   * record again.
   */
  onNotice: (notice: IndexNotice) => void
}

/** Follows a store with the index. Replaces a damaged index by an empty one, and fills that from the beginning. */
export class IndexFollower {
  readonly #parts: IndexKeeping
  /** Undefined while a damaged file is being replaced. */
  #index: SqliteConnection | undefined
  /** The latest state of the store; undefined before the first read. */
  #state: StoreState | undefined
  /** The number of erased revisions that was seen last. */
  #erased: number | undefined
  #tidying: 'due' | 'under way' | 'done' = 'due'
  /** The reason why the index file cannot be written. */
  #held: Held

  constructor(parts: IndexKeeping) {
    this.#parts = parts
    this.#index = parts.index
    if (parts.fault !== undefined) this.#reportDamage(parts.fault)
  }

  /** Follows until the process stops. Throws if the store cannot be read. */
  async run(): Promise<void> {
    while (Atomics.load(this.#parts.counters, STOPPING) === 0n) {
      try {
        await this.#step()
      } catch (error) {
        this.#undo(error)
        await setTimeout(RETRY_PAUSE)
      }
    }
    this.#index?.close()
  }

  /** Indexes what is new, otherwise merges segments, otherwise waits for the store. */
  async #step(): Promise<void> {
    const { counters, source, onEntry } = this.#parts
    if (isDamaged(counters)) throw new StoreFault('broken', new Error('a search could not read it'))
    const seen = await source.state()
    const isErased = seen.erased !== this.#erased
    if (this.#index !== undefined && isErased && erasedBefore(this.#index) !== seen.erased) this.#close(this.#index)
    const index = this.#index ?? this.#replace()
    if (this.#state?.storeId !== seen.storeId || this.#state.storeEpoch !== seen.storeEpoch)
      await this.#claim(index, seen)
    this.#state = seen
    if (isErased) saveErasedBefore(index, seen.erased)
    this.#erased = seen.erased
    const from = indexedRecord(index)
    if (seen.record > from) {
      const onReached = (record: number): boolean => {
        publish(counters, INDEXED, positionOf({ record, storeEpoch: seen.storeEpoch }))
        return Atomics.load(counters, STOPPING) === 0n
      }
      await followChanges(source.read, index, from, seen.record, { onEntry, onReached })
      boundLog(index.raw)
      if (this.#held !== undefined) this.#notify(undefined)
      this.#tidying = 'due'
    }
    if (this.#tidying !== 'done' && !(await source.awaitNewer(seen, this.#tidying === 'due' ? QUIET : TIDY_PAUSE))) {
      this.#tidying = tidyIndex(index, TIDY_PAGES) ? 'under way' : 'done'
      return
    }
    await source.awaitNewer(seen, Number.POSITIVE_INFINITY)
    await awaitBeyond(counters, WANTED, positionOf(seen), LINGER)
  }

  /** Begins to follow a store, or its next epoch. */
  async #claim(index: SqliteConnection, seen: StoreState): Promise<void> {
    const { counters, source, onNotice } = this.#parts
    publish(counters, INDEXED, 0n)
    await claimIndex(index, seen, source.read)
    const record = indexedRecord(index)
    publish(counters, INDEXED, positionOf({ record, storeEpoch: seen.storeEpoch }))
    onNotice({ from: record, of: seen.record })
  }

  /** Undoes a failed step. Throws if another try cannot succeed. */
  #undo(error: unknown): void {
    if (isDamageOfIndex(error)) {
      this.#discard(error)
      return
    }
    const index = this.#index
    if (index !== undefined) undoIndexing(index)
    const isFull = error instanceof StoreFault && error.kind === 'full'
    if (!isFull && !isBusy(error) && !isUnavailable(error)) throw error
    // If nothing is left to index, no search waits and nothing is reported.
    const waits = this.#state !== undefined && (index === undefined || indexedRecord(index) < this.#state.record)
    if (waits && !isUnavailable(error)) this.#notify(isFull ? 'full' : 'locked')
  }

  /** Closes a damaged index. Searches wait or are refused until the next one has every record. */
  #discard(fault: StoreFault): void {
    this.#reportDamage(fault)
    publish(this.#parts.counters, INDEXED, 0n)
    if (this.#index !== undefined) this.#close(this.#index)
  }

  /** Closes the index, whose file is replaced. */
  #close(index: SqliteConnection): void {
    const { counters } = this.#parts
    publish(counters, INDEXED, 0n)
    publishIndexFile(counters)
    index.close()
    this.#index = undefined
  }

  /** Makes an empty index in the place of a damaged one, or of one with erased words. */
  #replace(): SqliteConnection {
    const { counters, file } = this.#parts
    deleteIndex(file)
    const index = openIndex(file)
    this.#index = index
    this.#state = undefined
    publishIndexFile(counters)
    return index
  }

  #reportDamage({ cause }: StoreFault): void {
    this.#held = 'damaged'
    this.#parts.onNotice({ damage: (cause as Error).message })
  }

  #notify(held: Exclude<Held, 'damaged'>): void {
    if (held !== this.#held) this.#parts.onNotice({ held })
    this.#held = held
  }
}
