import type { Awaitable, Reader } from '../database/database.ts'
import type { LogQuestion } from './keep-log.ts'
import type { Context, Readiness, SearchRequest, SearchResult, WriteAnswer, WriteRequest } from './operation.ts'
import type { UPKEEP, UpkeepName, WriteName } from './writes.ts'

/** Beside its request, what a write depends on: when it was admitted, its cooldown and its data class. */
export type WriteEnvironment = Pick<Context, 'at' | 'cooldown' | 'dataClass'>

/** What a store tells of itself; counters are of this process since its start. */
export type Figures = {
  commits: number
  /** How many writes those commits shared. */
  committedWrites: number
  writesWaiting: number
  /** How long the oldest of them has been waiting, in milliseconds. */
  oldestWrite: number
  searchesWaiting: number
  /** Permanent records that the search index has not reached. */
  indexLag: number
  /** Bytes on disk, by part. */
  bytes: Record<string, number>
}

/**
 * The number of the newest permanent record, and in which history of the store: where a database was exchanged for an earlier state of itself,
 * a later one, in which the same numbers may stand for something else.
 */
export type Newest = { record: number; history: number }

/**
 * A place where operations run, whatever the engine.
 * `write` and `keep` resolve when the result is durable; they reject with a `Problem`, or with a `StoreFault` when nothing was stored.
 */
export type Store = {
  reader: Reader
  /** The newest permanent record that a read which begins now sees. */
  latestRecord(): Awaitable<Newest>
  /** Its number where it can be told without waiting for anybody. */
  recordHere(): number | undefined
  /** Says that a read was asked for: where all share one core, what is not asked for waits meanwhile. */
  noteRead(): void
  write(name: WriteName, request: WriteRequest, environment: WriteEnvironment): Promise<WriteAnswer>
  keep<N extends UpkeepName>(
    name: N,
    input: Parameters<(typeof UPKEEP)[N]>[2],
    environment: WriteEnvironment,
  ): Promise<Awaited<ReturnType<(typeof UPKEEP)[N]>>>
  search(request: SearchRequest): Promise<SearchResult>
  /** The numbers of entries that have pairs of words in common with a draft, without those that the index has not reached. */
  near(pairs: readonly number[], limit: number): Awaitable<number[]>
  /** Asks the thread that computes the log of the permanent records. */
  askLog(question: LogQuestion): Promise<unknown>
  /** Resolves once this node knows a checkpoint even if the database loses it. A checkpoint is shown to nobody before. */
  rememberCheckpoint(note: string): Promise<void>
  readiness(): Readiness
  /** Whether a write that came now would be refused as OVERLOADED. */
  full(): boolean
  /** Calls back when more may be committed than before: after writes here, and every so often where other nodes write too. Gives what ends it. */
  onCommit(listener: () => void): () => void
  /** The address of the server that this store is a copy of; a copy takes no writes of its own. */
  original?: string
  /** What the operator watches; rejects with a `StoreFault` where the store cannot tell. */
  figures(): Promise<Figures>
  /** Calls back once if the store breaks: nothing will be stored any more, and the process had better end. */
  onBroken(listener: (fault: Error) => void): void
  /** Ends what was begun, then lets go of all files and threads. */
  close(): Promise<void>
}
