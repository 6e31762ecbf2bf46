import type { Awaitable, Reader } from '../engine/database.ts'
import type { LogQuestion } from '../tlog/append.ts'
import type { Newest } from './head-rows.ts'
import type { Charge, Limit, LimitState } from './limits/rules.ts'
import type { CheckedWrite, Context, Readiness, WriteAnswer, WriteName } from './operation.ts'
import type { MAINTENANCE, MaintenanceName } from './run.ts'
import type { SearchRequest, SearchResult } from './searching.ts'

/** The environment of a write: its time of admission, its cooldown and its data class. */
export type WriteEnvironment = Pick<Context, 'at' | 'cooldown' | 'dataClass' | 'privateMemory'>

/** Metrics of a store. Counters are of this process since its start. */
export type StoreMetrics = {
  commits: number
  /** The number of writes in those commits. */
  committedWrites: number
  writesWaiting: number
  /** The age of the oldest of them, in milliseconds. */
  oldestWrite: number
  searchesWaiting: number
  /** Permanent records that the search index has not reached. */
  indexLag: number
  /** Bytes on disk, by part. */
  bytes: Record<string, number>
  /** The sessions of this node with PostgreSQL. */
  database?: { sessionsOpen: number; statementsWaiting: number; standbys: number; standbysReplaying: number }
}

/** The input of a maintenance operation. */
type MaintenanceInput<N extends MaintenanceName> = Parameters<(typeof MAINTENANCE)[N]>[2]
/** The result of a maintenance operation. */
export type MaintenanceResult<N extends MaintenanceName> = Awaited<ReturnType<(typeof MAINTENANCE)[N]>>

/**
 * Runs operations on either engine. `write` and `maintain` resolve when the result is durable. They reject with a `Problem` if the
 * operation refuses, or with a `StoreFault` if the engine failed. Then nothing was stored, unless `outcomeUnknown` is true.
 */
export type Store = {
  reader: Reader
  /** The newest permanent record that a read sees if it begins now. */
  latestRecord(): Awaitable<Newest>
  /** The number of that record, if it is known without waiting; else undefined. */
  knownRecord(): number | undefined
  /** The number of all commits, if it is known without waiting; else undefined. Reads that begin at the same number see the same rows. */
  knownCommits(): bigint | undefined
  /** Notes that a read runs. Threads that share one core with this one yield to it. */
  noteRead(): void
  write(name: WriteName, request: CheckedWrite, environment: WriteEnvironment): Promise<WriteAnswer>
  maintain<N extends MaintenanceName>(
    name: N,
    input: MaintenanceInput<N>,
    environment: WriteEnvironment,
  ): Promise<MaintenanceResult<N>>
  search(request: SearchRequest): Promise<SearchResult>
  /** Numbers of entries that have pairs of terms in common with a draft, except those that the index has not reached. */
  near(terms: ReadonlySet<string>, limit: number): Awaitable<number[]>
  /** Sends a question to the thread that computes the public log. */
  askLog(question: LogQuestion): Promise<unknown>
  /** Resolves when this node has stored the checkpoint itself, in case the database loses it. Await it before publication. */
  persistCheckpoint(note: string): Promise<void>
  readiness(): Readiness
  /** Whether a new write would be refused as OVERLOADED. */
  full(): boolean
  /**
   * Calls back when there may be new commits: after writes of this process, and periodically if other nodes write too. Returns the
   * function that removes the listener.
   */
  onCommit(listener: () => void): () => void
  /** The address of the server that this store mirrors. A mirror accepts no other writes. */
  original?: string
  /** Metrics for the operator. Rejects with a `StoreFault` if the store does not answer. */
  metrics(): Promise<StoreMetrics>
  /** Calls back once if the store breaks. It stores nothing after that, and the process should end. */
  onBroken(listener: (fault: Error) => void): void
  /** Completes the writes in progress, then closes all files and threads. */
  close(): Promise<void>
}

/** Decides which requests are admitted, for one process or for all nodes. Rejects with a `StoreFault` if it cannot decide. */
export type Limiter = {
  /** Admits a request at `at` (milliseconds) and charges it to all of its limits, or to none and returns how long to wait. */
  admit(limits: readonly Limit[], at: number): Awaitable<Charge>
  /** Releases a charge. Returns the new state of its limits. */
  release(charge: Charge, at: number): Awaitable<LimitState[]>
  /** Called before a write is sent, so that the same commit can store earlier admissions. */
  beforeWrite(): void
  /** Stores all admissions that are not stored yet. */
  close(): Promise<void>
}
