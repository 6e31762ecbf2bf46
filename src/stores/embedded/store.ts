import { statfsSync } from 'node:fs'
import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import { only, type Reader } from '../../engine/database.ts'
import { GROUP_MAX } from '../../engine/group-commit.ts'
import { openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import {
  BEGUN,
  CLOSING,
  createSharedCounters,
  ENDED,
  type IndexNotice,
  publish,
  READS,
  readCounts,
  type SharedCounters,
  STOPPING,
  startThread,
  type Thread,
  type ThreadOptions,
  YOUNG_MB,
} from '../../engine/thread.ts'
import { bytesOf } from '../../find/index/file.ts'
import { openSearches, type Searches } from '../../find/searches.ts'
import { type Command, RESIDUES } from '../../memory/commands.ts'
import { NEWEST_RECORD, type Newest } from '../../memory/head-rows.ts'
import { listAdmissions } from '../../memory/limits/rows.ts'
import { type Admission, RateLimiter } from '../../memory/limits/rules.ts'
import type { Readiness, WriteAnswer } from '../../memory/operation.ts'
import type { MaintenanceName } from '../../memory/run.ts'
import type { SearchRequest, SearchResult } from '../../memory/searching.ts'
import type { Limiter, MaintenanceResult, Store, StoreMetrics, WriteEnvironment } from '../../memory/store.ts'
import { StoreHealth } from '../../memory/store-health.ts'
import { DAY } from '../../memory/values.ts'
import { findMirror } from '../../mirror/rows.ts'
import { LOG_QUESTIONS_MAX, type LogQuestion } from '../../tlog/append.ts'
import { assertStoreNotLost, indexFile, lockDataDirectory, setOldLogAside, storeFile } from './directory.ts'

/** Maximum number of writes in progress. Further ones are refused as OVERLOADED. */
const WRITES_MAX = 2_000
/** Interval in milliseconds at which a full disk is tried again. */
const PROBE_INTERVAL_MS = 1_000
/** The writer thread needs a larger young generation, because it has many writes in progress. */
const WRITER = { pendingMax: WRITES_MAX, batched: true, youngMb: 12, together: GROUP_MAX }
const FOLLOWER = { pendingMax: LOG_QUESTIONS_MAX, batched: false, youngMb: YOUNG_MB, together: 1 }

/** The parts of an open store. */
type Parts = {
  directory: string
  counters: SharedCounters
  health: StoreHealth
  writer: Thread
  follower: Thread
  searches: Searches
  reader: SqliteConnection
  original: string | undefined
  lock: Disposable
  onErased(reader: Reader): Promise<void>
}

/** The embedded store. Point reads run in this thread. Writes, searches, and the index and the public log, which follow the store, run in other threads. */
class EmbeddedStore implements Store {
  readonly reader: SqliteConnection
  readonly original?: string
  readonly near: Store['near']
  readonly full: Store['full']
  readonly #parts: Parts
  readonly #probeTimer: NodeJS.Timeout
  /** The newest record is cached until the next commit. */
  #newest: Newest & { commits: bigint | undefined } = { commits: undefined, record: 0, storeEpoch: 0 }

  constructor(parts: Parts) {
    this.#parts = parts
    this.reader = parts.reader
    this.near = parts.searches.near
    this.full = parts.writer.full
    if (parts.original !== undefined) this.original = parts.original
    parts.health.reachable = true
    this.#probeTimer = setInterval(() => parts.health.probe(), PROBE_INTERVAL_MS).unref()
  }

  latestRecord(): Newest {
    const commits = this.knownCommits()
    if (commits !== undefined && commits === this.#newest.commits) return this.#newest
    const { record } = only(this.reader.one<{ record: number }>(NEWEST_RECORD))
    this.#newest = { commits, record, storeEpoch: 0 }
    return this.#newest
  }

  knownRecord(): number | undefined {
    try {
      return this.latestRecord().record
    } catch {
      // The store reports its fault to the reads that follow.
      return undefined
    }
  }

  /** Returns undefined during a commit, which a reader may or may not see. */
  knownCommits(): bigint | undefined {
    const { counters } = this.#parts
    const ended = Atomics.load(counters, ENDED)
    return Atomics.load(counters, BEGUN) === ended ? ended : undefined
  }

  noteRead(): void {
    Atomics.add(this.#parts.counters, READS, 1n)
  }

  async write(...[name, input, environment]: Parameters<Store['write']>): Promise<WriteAnswer> {
    const { original, health } = this.#parts
    if (original !== undefined) throw new Problem('READ_ONLY_MIRROR', { original })
    const answer = (await health.write({ name, input, environment })) as WriteAnswer
    if (name === 'moderate' && RESIDUES.moderate?.(input, answer) === 'rewrite') await this.#parts.onErased(this.reader)
    return answer
  }

  async maintain<N extends MaintenanceName>(
    ...[name, input, environment]: Parameters<Store['maintain']>
  ): Promise<MaintenanceResult<N>> {
    const { original, health } = this.#parts
    // A mirror has the sequence numbers of its original, so it records no reads of its own.
    if (original !== undefined && (name === 'recordObservations' || name === 'recordUnansweredTopics'))
      return undefined as never
    return (await health.write({ name, input, environment })) as MaintenanceResult<N>
  }

  async search(request: SearchRequest): Promise<SearchResult> {
    // The newest record that reads can see. During a WAL checkpoint, it is later than the last record that the writer has reported as
    // committed.
    return this.#parts.searches.search(request, this.latestRecord().record)
  }

  askLog(question: LogQuestion): Promise<unknown> {
    return this.#parts.follower.ask({ question })
  }

  /** `log-head` is written before a checkpoint is published, so nothing else is needed here. */
  async persistCheckpoint(): Promise<void> {}

  readiness(): Readiness {
    return this.#parts.health.readiness()
  }

  onCommit(listener: () => void): () => void {
    return this.#parts.health.onCommit(listener)
  }

  onBroken(listener: (fault: Error) => void): void {
    this.#parts.health.onBroken(listener)
  }

  async metrics(): Promise<StoreMetrics> {
    const { counters, writer, searches, directory } = this.#parts
    return {
      ...readCounts(counters),
      writesWaiting: writer.pending(),
      oldestWrite: writer.waited(),
      searchesWaiting: searches.pending(),
      bytes: { store: bytesOf(storeFile(directory)), index: bytesOf(indexFile(directory)) },
    }
  }

  async close(): Promise<void> {
    const { health, counters, searches, follower, writer, reader, lock } = this.#parts
    health.close()
    clearInterval(this.#probeTimer)
    publish(counters, CLOSING, 1n)
    // The writing connection of each file closes last, because it runs the final checkpoint of the write-ahead log.
    await searches.close()
    publish(counters, STOPPING, 1n)
    await follower.close()
    reader.close()
    await writer.close()
    lock[Symbol.dispose]()
  }
}

/**
 * Called with notices of the follower, and with a sentence about the write-ahead log of a store that was replaced. `onErased` is called
 * after an erasure, before it is answered. `lock` is the lock of the directory, if the caller has it.
 */
type Reports = {
  onIndex?(notice: IndexNotice): void
  onAside?(sentence: string): void
  onErased?(reader: Reader): Promise<void>
  lock?: Disposable | undefined
}

/**
 * Opens the embedded store in a prepared directory. Starts one writer thread and one follower. The first search starts a search thread,
 * and a search that finds it busy starts another.
 */
export async function openEmbeddedStore(
  directory: string,
  { onIndex = () => {}, onAside = () => {}, onErased = async () => {}, ...locked }: Reports = {},
): Promise<EmbeddedStore> {
  const lock = locked.lock ?? lockDataDirectory(directory)
  const counters = createSharedCounters()
  const data: ThreadData = { directory, counters }
  const threads: Thread[] = []
  let health: StoreHealth | undefined
  const onDeath = (fault: Error): void => health?.breakDown(fault)
  const start = async (file: string, options: Omit<ThreadOptions, 'onDeath'>): Promise<Thread> => {
    const thread = await startThread(new URL(file, import.meta.url), data, { ...options, onDeath, onNotice: onIndex })
    threads.push(thread)
    return thread
  }
  try {
    assertStoreNotLost(directory)
    const aside = setOldLogAside(directory)
    if (aside !== undefined) onAside(aside)
    const writer = await start('./writer-thread.ts', WRITER)
    health = new StoreHealth({
      perform: writer.ask,
      waited: () => writer.waited(),
      space: () => freeBytesOf(directory),
    })
    const follower = await start('./follower-thread.ts', FOLLOWER)
    const searched = { index: indexFile(directory), store: storeFile(directory), counters }
    const searches = await openSearches(searched, onDeath)
    const { reader, original } = await openReader(directory)
    const parts = { directory, counters, health, writer, follower, searches, reader, original, lock, onErased }
    return new EmbeddedStore(parts)
  } catch (error) {
    health?.close()
    publish(counters, CLOSING, 1n)
    publish(counters, STOPPING, 1n)
    for (const thread of threads) await thread.close()
    lock[Symbol.dispose]()
    throw error
  }
}

/** The free bytes of the disk of a directory. A file system that does not report its size has no limit. */
function freeBytesOf(directory: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory)
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
  } catch {
    // The writer reports a directory that is gone.
    return Number.POSITIVE_INFINITY
  }
}

/** Opens the connection for reads in this thread. If the store is a mirror, also returns the address of its original. */
async function openReader(directory: string) {
  const reader = openSqlite(storeFile(directory), 'read')
  try {
    return { reader, original: (await findMirror(reader))?.url }
  } catch (error) {
    reader.close()
    throw error
  }
}

/** A command that the writer thread replies to. */
export type WriterRequest = Command & { id: number }
export type ThreadData = { directory: string; counters: SharedCounters }

/** Milliseconds after which an admission is saved at the latest. A kill can lose those since the last save, except those of completed writes. */
const SAVE_AFTER_MS = 200

/** Opens the limiter of a store with the admissions that it has saved. */
export async function openEmbeddedLimiter(store: EmbeddedStore, now: () => number): Promise<EmbeddedLimiter> {
  const limiter = new EmbeddedLimiter(store, now)
  limiter.restore(await listAdmissions(store.reader, now() - DAY))
  return limiter
}

/** The limiter of one process. It decides in memory, and saves its admissions in the store so that a restart does not reset the limits. */
class EmbeddedLimiter extends RateLimiter implements Limiter {
  readonly #store: EmbeddedStore
  readonly #now: () => number
  /** Runs only while admissions wait. */
  protected override readonly saving: NodeJS.Timeout
  /** Whether the admissions until the end of this turn will be saved. */
  #isSaving = false

  constructor(store: EmbeddedStore, now: () => number) {
    super()
    this.#store = store
    this.#now = now
    this.saving = setTimeout(this.#onTimer, SAVE_AFTER_MS).unref()
  }

  /** The writes of one turn save their admissions with one command. */
  beforeWrite(): void {
    if (!this.#isSaving) this.#save().catch(() => {})
  }

  async close(): Promise<void> {
    clearTimeout(this.saving)
    await this.#save().catch(() => {})
  }

  readonly #onTimer = (): void => {
    this.#save().catch(() => {})
  }

  async #save(): Promise<void> {
    if (!this.hasUnsaved) return
    const environment: WriteEnvironment = { at: this.#now(), cooldown: 0, dataClass: 'INTERNAL' }
    const beforeBin = environment.at - 2 * RATE_WINDOW_SECONDS * 1_000
    let taken: Admission[] = []
    const limiter = this
    this.#isSaving = true
    // Read when all commands of this turn are sent, with the admissions until then.
    const input = {
      get admissions() {
        limiter.#isSaving = false
        taken = limiter.takeUnsaved()
        return taken
      },
      beforeBin,
    }
    try {
      await this.#store.maintain('saveAdmissions', input, environment)
    } catch (error) {
      this.#isSaving = false
      this.returnUnsaved(taken.filter(({ bin }) => bin >= beforeBin))
      this.saving.refresh()
      throw error
    }
  }
}
