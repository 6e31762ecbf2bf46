import { type Reader, StoreFault } from '../database/database.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import { sql } from '../database/sql.ts'
import { createLogThread, createMemory } from '../log/compute.ts'
import { createContexts } from '../operations/context.ts'
import type { Context, Readiness } from '../operations/operation.ts'
import type { Store, WriteEnvironment } from '../operations/store.ts'
import { UPKEEP, type UpkeepName, WRITES, type WriteName } from '../operations/writes.ts'
import { bytesOf } from '../search/bytes-of.ts'
import { NEWEST_RECORD } from '../store/head.ts'
import type { IndexNotice } from '../threads/protocol.ts'
import { positionOf } from '../threads/signals.ts'
import { SEQUENCE_GAP, type Work } from './group.ts'
import { Heartbeat } from './heartbeat.ts'
import { type Making, prepareDatabase, type Server } from './prepare.ts'
import { createReader } from './reader.ts'
import { openNodeSearch } from './search.ts'
import { createSession, type Session } from './session.ts'
import { createWriter } from './writer.ts'

const READ_SESSIONS = 4
/**
 * Milliseconds that a statement of a write may take, and that a session may be idle in a transaction. Their sum bounds how long a cut-off
 * node delays the others.
 */
const WRITE_TIMEOUT = 2_500
const IDLE_TIMEOUT = 2_000
const READ_TIMEOUT = 5_000
/** A store whose writes wait longer than this is not ready for more, in milliseconds. */
const WAIT_MAX = 5_000
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

type Runner = (tx: Parameters<Work>[0], context: Context, input: unknown) => Promise<unknown>
const RUNNERS = { ...WRITES, ...UPKEEP } as unknown as Record<WriteName | UpkeepName, Runner>

/** Opens the store in a PostgreSQL that may not be up yet: until it is, reads and writes are refused and it is not ready. */
export function openPostgresStore(options: PostgresOptions): PostgresStore {
  const { url, readUrl, indexFile, logHeadFile, groupMax, onIndex, onReach, onOpen, report, making } = options
  let server: Server | undefined
  const listeners: ((fault: Error) => void)[] = []
  const state: State = { reachable: undefined, full: false, broken: undefined, closing: false }
  const breakDown = (fault: Error): void => {
    if (state.broken !== undefined || state.closing) return
    state.broken = fault
    for (const listener of listeners) listener(fault)
  }
  const followers = createFollowers()
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
  const search = openNodeSearch({ url, indexFile, onIndex, onDeath: breakDown })
  const log = createLogThread(new URL('./log-thread.ts', import.meta.url), { url, headFile: logHeadFile })
  const writer = createWriter({
    session,
    groupMax,
    server: () => server as Server,
  })
  heartbeat.onSilent(writer.refuseWaiting)
  const contextOf = createContexts()

  const perform = async (
    name: WriteName | UpkeepName,
    input: unknown,
    environment: WriteEnvironment,
  ): Promise<unknown> => {
    try {
      const result = await writer.write(
        (tx, locked) => RUNNERS[name](tx, contextOf(environment, locked.committedAt), input),
        environment.at,
        ALONE.has(name),
      )
      state.full = false
      followers.tell()
      return result
    } catch (error) {
      if (error instanceof StoreFault && error.kind === 'full') state.full = true
      if (error instanceof StoreFault && error.kind === 'broken') breakDown(error)
      throw error
    }
  }

  const reach = (lost: Error | undefined): void => {
    if (state.reachable === (lost === undefined)) return
    state.reachable = lost === undefined
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
      // It updates `state`; a failed attempt is repeated.
      if (state.full)
        await perform('proveWritable', null, { at: 0, cooldown: 0, dataClass: 'INTERNAL' }).catch(() => {})
    } catch (error) {
      if (error instanceof StoreFault && error.kind !== 'broken') return reach(error)
      opened.reject(error)
      breakDown(error as Error)
    }
  }
  const latestRecord = async (): Promise<{ record: number; history: number }> => {
    const head = await reader.one<{ record: number; sequence: number }>(NEWEST_RECORD)
    return { record: head?.record ?? 0, history: Math.floor((head?.sequence ?? 0) / SEQUENCE_GAP) }
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
    recordHere: () => undefined,
    noteRead() {},
    latestRecord,
    write: (name, request, environment) => perform(name, request, environment) as never,
    keep: (name, input, environment) => perform(name, input, environment) as never,
    search: request =>
      heartbeat.during(async () => {
        return search.search(request, request.spare === true ? 0 : positionOf(await latestRecord()))
      }),
    askLog: log.ask,
    rememberCheckpoint: createMemory(log.ask),
    readiness: () => readinessOf(state, writer.waited()),
    full: writer.full,
    onCommit: followers.add,
    figures: async () => ({
      ...writer.counted(),
      oldestWrite: writer.waited(),
      searchesWaiting: await search.pending(),
      indexLag: search.indexLag(),
      bytes: { database: await sizeOfDatabase(reader), index: bytesOf(indexFile) },
    }),
    onBroken(listener) {
      if (state.broken !== undefined) listener(state.broken)
      else listeners.push(listener)
    },
    opened: opened.promise,
    heartbeat,
    async close() {
      state.closing = true
      clearInterval(timer)
      await writer.idle()
      await probing
      await search.close()
      await log.close()
      await Promise.all([session, ...primary, ...standby].map(one => one.close()))
      await Promise.all([heartbeat.close(), standbyHeartbeat?.close()])
    },
  }
}

/** The followers of commits. They are called after each write of this node, and every 50 ms for writes of others. */
function createFollowers() {
  const followers = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    for (const follower of followers) follower()
  }
  return {
    tell,
    add(follower: () => void): () => void {
      followers.add(follower)
      timer ??= setInterval(tell, FOLLOW_INTERVAL).unref()
      return () => {
        followers.delete(follower)
        if (followers.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

/** Bytes of the database on its server. */
async function sizeOfDatabase(reader: Reader): Promise<number> {
  const row = await reader.one<{ size: number }>(sql`SELECT pg_database_size(current_database()) AS size`)
  return row?.size ?? 0
}

type State = { reachable: boolean | undefined; full: boolean; broken: Error | undefined; closing: boolean }

/** `waited` is how long the oldest write under way has been waiting, in milliseconds. */
function readinessOf({ reachable, full, broken, closing }: State, waited: number): Readiness {
  if (broken !== undefined) return { ready: false, status: 'the store is broken' }
  if (closing) return { ready: false, status: 'stopping' }
  if (!reachable) return { ready: false, status: 'waiting for the database' }
  if (full) return { ready: false, status: 'the disk is full' }
  if (waited > WAIT_MAX) return { ready: false, status: 'writes are waiting' }
  return { ready: true, status: 'ok' }
}
