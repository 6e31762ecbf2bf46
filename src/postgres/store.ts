import { Problem } from '../contract/problem.ts'
import { type Reader, StoreFault } from '../database/database.ts'
import { GroupCommit } from '../database/group-commit.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import { sql } from '../database/sql.ts'
import { createLogThread, createMemory } from '../log/compute.ts'
import { type Command, createWorks } from '../operations/command.ts'
import type { Store } from '../operations/store.ts'
import { StoreHealth } from '../operations/store-health.ts'
import { bytesOf } from '../search/bytes-of.ts'
import { NEWEST_RECORD, storeEpochOf } from '../store/head.ts'
import type { IndexNotice } from '../threads/protocol.ts'
import { positionOf } from '../threads/shared-counters.ts'
import { PostgresGroupSession } from './group-session.ts'
import { Heartbeat, silence } from './heartbeat.ts'
import { type Making, prepareDatabase, type Server } from './prepare.ts'
import { createReader } from './reader.ts'
import { openNodeSearch } from './search.ts'
import { createSession, type Session } from './session.ts'

const READ_SESSIONS = 4
/**
 * Milliseconds that a statement of a write may take, and that a session may be idle in a transaction. Their sum bounds how long a cut-off
 * node delays the others.
 */
const WRITE_TIMEOUT = 2_500
const IDLE_TIMEOUT = 2_000
const READ_TIMEOUT = 5_000
/** Writes that wait for a group before further ones are refused as OVERLOADED. */
const WAITING_MAX = 2_000
/** How often a node checks whether it can open, or is reachable again, in milliseconds. */
const PROBE_INTERVAL = 500
/** How often followers check for writes of other nodes, in milliseconds. */
const FOLLOW_INTERVAL = 50

/** Works that change rows by conditions over many rows. They run in a group of their own. */
const ALONE: ReadonlySet<string> = new Set(['moderate', 'sweep'])

export type PostgresOptions = {
  url: string
  /** The path of the file of this node's search index. */
  indexFile: string
  /** The path of the file with the last checkpoint that this node knows. */
  logHeadFile: string
  /** A standby to read from. */
  readUrl: string | undefined
  /** The most writes that share one commit. */
  groupMax: number
  /** Called when the search index cannot be written, and when it can again. */
  onIndex(notice: IndexNotice): void
  /** Called when the server is lost, with the reason, and when it is there again. */
  onReach(lost: Error | undefined): void
  /** Gets a line every few seconds while a database of an older version is brought up to date. */
  report?: (line: string) => void
  /** Whether an empty store may be made in a database without one (the default), and a callback with its id. */
  making?: Making
  /** Runs before the node opens, and again if the session is lost on the way. */
  onOpen?(connection: PostgresConnection): Promise<void>
}

export type PostgresStore = Store & {
  /** Resolves when the database was found fit for use for the first time and `onOpen` is done; rejects when it is not fit. */
  opened: Promise<void>
  /** Whether the primary answers. */
  heartbeat: Heartbeat
}

/** Opens the store in a PostgreSQL that may not be up yet: until it is, reads and writes are refused and it is not ready. */
export function openPostgresStore(options: PostgresOptions): PostgresStore {
  const { url, readUrl, indexFile, logHeadFile, groupMax, onIndex, onReach, onOpen, report, making } = options
  let server: Server | undefined
  const write = { statementTimeout: WRITE_TIMEOUT, idleTimeout: IDLE_TIMEOUT }
  const read = { statementTimeout: READ_TIMEOUT, idleTimeout: IDLE_TIMEOUT }
  const prepare = async (connection: PostgresConnection): Promise<void> => {
    server = await prepareDatabase(connection, making, report)
  }
  const heartbeat = new Heartbeat(url, fault => reach(fault))
  const standbyHeartbeat = readUrl === undefined ? undefined : new Heartbeat(readUrl)
  const session = createSession({ url, name: 'writer', ...write }, prepare, heartbeat)
  const readers = (from: string, name: string, heard: Heartbeat): Session[] =>
    Array.from({ length: READ_SESSIONS }, () => createSession({ url: from, name, ...read }, undefined, heard))
  const primary = readers(url, 'reader', heartbeat)
  const standby =
    readUrl === undefined || standbyHeartbeat === undefined ? [] : readers(readUrl, 'standby reader', standbyHeartbeat)
  const reader = createReader({ primary, standby })
  const log = createLogThread(new URL('./log-thread.ts', import.meta.url), { url, headFile: logHeadFile })
  const groups = new PostgresGroupSession(session, () => server as Server)
  const commits = new GroupCommit(groups, groupMax)
  heartbeat.onSilent(() => commits.refuse(silence()))
  const full = (): boolean => commits.waiting >= WAITING_MAX
  const workOf = createWorks()
  const perform = async (command: Command): Promise<unknown> => {
    if (full()) throw new Problem('OVERLOADED', { retryAfter: 1 })
    if (session.silent()) throw silence()
    return commits.write(workOf(command), { at: command.environment.at, alone: ALONE.has(command.name) })
  }
  const health = new StoreHealth({ perform, waited: () => commits.waited(), pollInterval: FOLLOW_INTERVAL })
  const breakDown = (fault: Error): void => health.breakDown(fault)
  const search = openNodeSearch({ url, indexFile, onIndex, onDeath: breakDown })

  const reach = (lost: Error | undefined): void => {
    if (health.reachable === (lost === undefined)) return
    health.reachable = lost === undefined
    onReach(lost)
  }
  const opened = Promise.withResolvers<void>()
  opened.promise.catch(() => {})
  let open = false
  const probe = async (): Promise<void> => {
    try {
      await session.get()
      // Uses a session that never has a transaction: a group must not roll the secrets back.
      if (!open) await onOpen?.(await (primary[0] as Session).get())
      open = true
      if (heartbeat.late()) return
      reach(undefined)
      opened.resolve()
      await health.probe()
    } catch (error) {
      if (error instanceof StoreFault && error.kind !== 'broken') return reach(error)
      opened.reject(error)
      breakDown(error as Error)
    }
  }
  const latestRecord = async (): Promise<{ record: number; epoch: number }> => {
    const head = await reader.one<{ record: number; sequence: number }>(NEWEST_RECORD)
    return { record: head?.record ?? 0, epoch: storeEpochOf(head?.sequence ?? 0) }
  }
  let probing: Promise<void> | undefined
  const look = (): void => {
    probing ??= probe().finally(() => {
      probing = undefined
    })
  }
  const timer = setInterval(look, PROBE_INTERVAL)
  timer.unref()
  look()

  return {
    reader,
    knownRecord: () => undefined,
    noteRead() {},
    latestRecord,
    write: (name, input, environment) => health.write({ name, input, environment }) as never,
    maintain: (name, input, environment) => health.write({ name, input, environment }) as never,
    search: request =>
      heartbeat.during(async () => {
        return search.search(request, positionOf(await latestRecord()))
      }),
    near: search.near,
    // Before, another node may be making the tables.
    askLog: question => (open ? log.ask(question) : Promise.reject(new Problem('NOT_READY', { retryAfter: 1 }))),
    persistCheckpoint: createMemory(log.ask),
    readiness: () => health.readiness(),
    full,
    onCommit: listener => health.onCommit(listener),
    metrics: async () => ({
      ...groups.counted(),
      writesWaiting: commits.pending,
      oldestWrite: commits.waited(),
      searchesWaiting: await search.pending(),
      indexLag: search.indexLag(),
      bytes: { database: await sizeOfDatabase(reader), index: bytesOf(indexFile) },
    }),
    onBroken: listener => health.onBroken(listener),
    opened: opened.promise,
    heartbeat,
    async close() {
      health.close()
      clearInterval(timer)
      await commits.idle()
      await probing
      await search.close()
      await log.close()
      await Promise.all([session, ...primary, ...standby].map(one => one.close()))
      await Promise.all([heartbeat.close(), standbyHeartbeat?.close()])
    },
  }
}

/** Bytes of the database on its server. */
async function sizeOfDatabase(reader: Reader): Promise<number> {
  const row = await reader.one<{ size: number }>(sql`SELECT pg_database_size(current_database()) AS size`)
  return row?.size ?? 0
}
