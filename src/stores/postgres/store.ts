import { Problem } from '../../contract/problem.ts'
import { only, type Reader, StoreFault, sql } from '../../engine/database.ts'
import { GroupCommit } from '../../engine/group-commit.ts'
import { connectPostgres, type PostgresConnection } from '../../engine/postgres.ts'
import {
  CLOSING,
  createSharedCounters,
  type IndexNotice,
  positionOf,
  publish,
  readCounts,
  STOPPING,
  startThread,
  type Thread,
  YOUNG_MB,
} from '../../engine/thread.ts'
import { bytesOf } from '../../find/index/file.ts'
import { openSearches, type Searches } from '../../find/searches.ts'
import { type Command, createWorks, RESIDUES } from '../../memory/commands.ts'
import { NEWEST_RECORD, storeEpochOf } from '../../memory/head-rows.ts'
import type { Readiness, WriteAnswer } from '../../memory/operation.ts'
import type { MaintenanceName } from '../../memory/run.ts'
import type { SearchRequest, SearchResult } from '../../memory/searching.ts'
import type { MaintenanceResult, Store, StoreMetrics } from '../../memory/store.ts'
import { StoreHealth } from '../../memory/store-health.ts'
import { LOG_QUESTIONS_MAX, type LogQuestion } from '../../tlog/append.ts'
import { createMemory } from '../../tlog/extend.ts'
import { renewParts } from './activity-parts.ts'
import type { FollowerData } from './follower-thread.ts'
import { PostgresGroupSession } from './group-session.ts'
import { type Making, prepareDatabase, removeErased, type Server } from './prepare.ts'
import { createReader, openReaders, Standby } from './reader.ts'
import { Heartbeat, Session, silence } from './session.ts'

/**
 * Milliseconds that a statement of a write may take, and that a session may idle in a transaction. Their sum is the longest delay that an
 * isolated node causes to the others.
 */
const WRITE_TIMEOUT_MS = 2_500
const IDLE_TIMEOUT_MS = 2_000
/** Maximum number of writes that wait for a group. Further ones are refused as OVERLOADED. */
const WAITING_MAX = 2_000
/** Interval in milliseconds at which a node checks whether it can open, or whether the server is reachable again. */
const PROBE_INTERVAL_MS = 500
/** Interval in milliseconds at which followers check for writes of other nodes. */
const FOLLOW_INTERVAL_MS = 50

/** How long the removal of erased rows may take, in milliseconds. */
const VACUUM_TIMEOUT_MS = 600_000

/** Works that change rows by conditions over many rows. Each runs in a separate group. */
const ALONE: ReadonlySet<string> = new Set(['moderate', 'sweep'])

type PostgresOptions = {
  url: string
  /** The path of the file of this node's search index. */
  indexFile: string
  /** The path of the file with the last checkpoint that this node knows. */
  logHeadFile: string
  /** Standbys to read from. */
  readUrls: readonly string[]
  /** Maximum number of writes in one commit. */
  groupMax: number
  /** Called when the search index cannot be written, and when it can again. */
  onIndex(notice: IndexNotice): void
  /** Called after an erasure, before it is answered. */
  onErased?(reader: Reader): Promise<void>
  /** Called when the server is lost, with the reason, and when it is there again. */
  onReach(lost: Error | undefined): void
  /** Whether an empty store may be created in a database without one (the default), and a callback that receives its id. */
  making?: Making
  /** Runs before the node opens, and again if the session is lost on the way. */
  onOpen?(connection: PostgresConnection): Promise<void>
}

/** The store in a PostgreSQL that may not be available yet. Until it is, reads and writes are refused and the store is not ready. */
export class PostgresStore implements Store {
  readonly reader: Reader
  /** Whether the primary answers. */
  readonly heartbeat: Heartbeat
  /** Resolves when the database was found usable for the first time and `onOpen` has finished. Rejects if it is not usable. */
  readonly opened: Promise<void>
  readonly persistCheckpoint: Store['persistCheckpoint']
  readonly #options: PostgresOptions
  readonly #writer: Session
  readonly #primaryReaders: readonly Session[]
  readonly #standbys: readonly Standby[]
  readonly #groups: PostgresGroupSession
  readonly #commits: GroupCommit
  readonly #health: StoreHealth
  readonly #follower: NodeFollower
  readonly #workOf: ReturnType<typeof createWorks>
  readonly #opening = Promise.withResolvers<void>()
  readonly #probeTimer: NodeJS.Timeout
  #server: Server | undefined
  #isOpen = false
  #probing: Promise<void> | undefined

  constructor(options: PostgresOptions) {
    const { url, readUrls, indexFile, logHeadFile, groupMax, onIndex } = options
    this.#options = options
    this.opened = this.#opening.promise
    this.opened.catch(() => {})
    this.heartbeat = new Heartbeat(url, { onLate: fault => this.#setReachable(fault) })
    const limits = { statementTimeout: WRITE_TIMEOUT_MS, idleTimeout: IDLE_TIMEOUT_MS }
    const onOpen = (connection: PostgresConnection) => this.#onOpen(connection)
    this.#writer = new Session({ url, name: 'writer', ...limits }, onOpen, this.heartbeat)
    this.#primaryReaders = openReaders(url, 'reader', this.heartbeat)
    this.#standbys = readUrls.map(readUrl => new Standby(readUrl))
    this.reader = createReader({ primary: this.#primaryReaders, standbys: this.#standbys })
    this.#workOf = createWorks(this.reader)
    this.persistCheckpoint = createMemory(question => this.#follower.askLog(question))
    this.#groups = new PostgresGroupSession(this.#writer, () => this.#server as Server)
    this.#commits = new GroupCommit(this.#groups, groupMax)
    this.heartbeat.onSilent(() => this.#commits.refuse(silence()))
    this.#health = new StoreHealth({
      perform: command => this.#perform(command),
      waited: () => this.#commits.waited(),
      pollInterval: FOLLOW_INTERVAL_MS,
    })
    this.#follower = new NodeFollower({
      ...{ url, indexFile, logHeadFile, onIndex },
      onDeath: fault => this.#health.breakDown(fault),
    })
    this.#probeTimer = setInterval(() => this.#startProbe(), PROBE_INTERVAL_MS).unref()
    this.#startProbe()
  }

  knownRecord(): undefined {}

  knownCommits(): undefined {}

  noteRead(): void {}

  async latestRecord(): Promise<{ record: number; storeEpoch: number }> {
    const { record, sequence } = only(await this.reader.one<{ record: number; sequence: number }>(NEWEST_RECORD))
    return { record, storeEpoch: storeEpochOf(sequence) }
  }

  write(...[name, input, environment]: Parameters<Store['write']>): Promise<WriteAnswer> {
    return this.#health.write({ name, input, environment }) as Promise<WriteAnswer>
  }

  async maintain<N extends MaintenanceName>(
    ...[name, input, environment]: Parameters<Store['maintain']>
  ): Promise<MaintenanceResult<N>> {
    if (name !== 'sweep') return (await this.#health.write({ name, input, environment })) as MaintenanceResult<N>
    const { retentionDays } = input as { retentionDays: number }
    const partsFrom = await renewParts(this.reader, this.#options.url, environment.at, retentionDays)
    const command = { name, input: { ...(input as object), partsFrom }, environment }
    return (await this.#health.write(command)) as MaintenanceResult<N>
  }

  search(request: SearchRequest): Promise<SearchResult> {
    return this.heartbeat.during(async () => this.#follower.search(request, positionOf(await this.latestRecord())))
  }

  near(terms: ReadonlySet<string>, limit: number): Promise<number[]> {
    return this.#follower.near(terms, limit)
  }

  async askLog(question: LogQuestion): Promise<unknown> {
    // Until then, another node may be creating the tables.
    if (!this.#isOpen) throw new Problem('NOT_READY', { retryAfter: 1, reason: 'waiting for the database' })
    return this.#follower.askLog(question)
  }

  readiness(): Readiness {
    return this.#health.readiness()
  }

  full(): boolean {
    return this.#commits.waiting >= WAITING_MAX
  }

  onCommit(listener: () => void): () => void {
    return this.#health.onCommit(listener)
  }

  onBroken(listener: (fault: Error) => void): void {
    this.#health.onBroken(listener)
  }

  async metrics(): Promise<StoreMetrics> {
    return {
      ...this.#groups.counted(),
      writesWaiting: this.#commits.pending,
      oldestWrite: this.#commits.waited(),
      searchesWaiting: await this.#follower.pending(),
      indexLag: this.#follower.indexLag(),
      bytes: { database: await sizeOfDatabase(this.reader), index: bytesOf(this.#options.indexFile) },
      database: this.#sessions(),
    }
  }

  #sessions(): NonNullable<StoreMetrics['database']> {
    const open = [this.#writer, ...this.#primaryReaders].flatMap(session => session.current() ?? [])
    return {
      sessionsOpen: open.length,
      statementsWaiting: open.reduce((sum, connection) => sum + connection.pending(), 0),
      standbys: this.#standbys.length,
      standbysReplaying: this.#standbys.filter(standby => standby.replays()).length,
    }
  }

  async close(): Promise<void> {
    this.#health.close()
    clearInterval(this.#probeTimer)
    await this.#commits.idle()
    await this.#probing
    await this.#follower.close()
    await Promise.all([this.#writer, ...this.#primaryReaders, ...this.#standbys].map(one => one.close()))
    await this.heartbeat.close()
  }

  async #perform(command: Command): Promise<unknown> {
    if (this.full()) throw new Problem('OVERLOADED', { retryAfter: 1 })
    if (this.#writer.silent()) throw silence()
    const options = { at: command.environment.at, alone: ALONE.has(command.name) }
    const result = await this.#commits.write(await this.#workOf(command), options)
    if (RESIDUES[command.name]?.(command.input, result) === 'rewrite') await this.#completeErasure()
    return result
  }

  /** Removes erased rows from the tables, and notes the erasure in the ledger of this node. */
  async #completeErasure(): Promise<void> {
    const limits = { statementTimeout: VACUUM_TIMEOUT_MS, idleTimeout: VACUUM_TIMEOUT_MS }
    await using connection = await connectPostgres({ url: this.#options.url, name: 'erasure', ...limits })
    await removeErased(connection)
    await this.#options.onErased?.(this.reader)
  }

  async #onOpen(connection: PostgresConnection): Promise<void> {
    this.#server = await prepareDatabase(connection, this.#options.making)
  }

  #startProbe(): void {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined
    })
  }

  /** Opens the store if it is not open, and checks whether the server is reachable and writable. */
  async #probe(): Promise<void> {
    try {
      await this.#writer.get()
      // Uses a session that never has an open transaction, because the rollback of a group would undo the secrets.
      if (!this.#isOpen) await this.#options.onOpen?.(await (this.#primaryReaders[0] as Session).get())
      this.#isOpen = true
      if (this.heartbeat.late()) return
      this.#setReachable(undefined)
      this.#opening.resolve()
      await this.#health.probe()
    } catch (error) {
      if (error instanceof StoreFault && error.kind !== 'broken') return this.#setReachable(error)
      this.#opening.reject(error)
      this.#health.breakDown(error as Error)
    }
  }

  /** Records that the server is reachable, or the reason why it was lost. */
  #setReachable(lost: Error | undefined): void {
    if (this.#health.reachable === (lost === undefined)) return
    this.#health.reachable = lost === undefined
    this.#options.onReach(lost)
  }
}

/** Bytes of the database on its server. */
async function sizeOfDatabase(reader: Reader): Promise<number> {
  return only(await reader.one<{ size: number }>(sql`SELECT pg_database_size(current_database()) AS size`)).size
}

type FollowerOptions = {
  url: string
  /** The path of the file of this node's search index. */
  indexFile: string
  /** The path of the file with the last checkpoint that this node knows. */
  logHeadFile: string
  /** Called when the index file cannot be written, and when it can again. */
  onIndex: (notice: IndexNotice) => void
  /** Called when a thread ends unexpectedly. */
  onDeath: (error: Error) => void
}

/** What follows the database at a node: the thread of its search index and of the public log, and the threads that search the index. */
class NodeFollower {
  readonly #counters = createSharedCounters()
  readonly #thread: Promise<Thread>
  readonly #searches: Promise<Searches>

  /** Starts the threads. Searches wait for them. */
  constructor({ url, indexFile, logHeadFile, onIndex, onDeath }: FollowerOptions) {
    const data: FollowerData = { url, file: indexFile, headFile: logHeadFile, counters: this.#counters }
    this.#thread = startThread(new URL('./follower-thread.ts', import.meta.url), data, {
      ...{ pendingMax: LOG_QUESTIONS_MAX, batched: false, together: 1, youngMb: YOUNG_MB },
      onDeath,
      onNotice: onIndex,
    })
    const searched = { index: indexFile, store: undefined, counters: this.#counters }
    this.#searches = this.#thread.then(() => openSearches(searched, onDeath))
    this.#searches.catch(onDeath)
  }

  async askLog(question: LogQuestion): Promise<unknown> {
    return (await this.#thread).ask({ question })
  }

  async search(request: SearchRequest, position: number | bigint): Promise<SearchResult> {
    return (await this.#searches).search(request, position)
  }

  async near(terms: ReadonlySet<string>, limit: number): Promise<number[]> {
    return (await this.#searches).near(terms, limit)
  }

  async pending(): Promise<number> {
    return (await this.#searches).pending()
  }

  indexLag(): number {
    return readCounts(this.#counters).indexLag
  }

  async close(): Promise<void> {
    publish(this.#counters, CLOSING, 1n)
    const searches = await this.#searches.catch(() => undefined)
    await searches?.close()
    publish(this.#counters, STOPPING, 1n)
    await (await this.#thread.catch(() => undefined))?.close()
  }
}
