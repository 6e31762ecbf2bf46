import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import {
  type Awaitable,
  blockThread,
  type Row,
  type Sql,
  StoreFault,
  sql,
  type Transaction,
  type Value,
} from './database.ts'
import { type GroupSession, type Loaded, type Outcome, type Pending, runWork, SpoiledGroup } from './group-commit.ts'

/**
 * SQLite plans a statement with `LIMIT ?` again whenever a value is bound to it, which takes longer than running most statements. A plus
 * sign hides the parameter from the planner.
 */
const PLANNED_ONCE = 'LIMIT +?'

const CHANGES = 'SELECT total_changes() AS n'

/** Older versions can lose committed writes of a WAL database. */
const OLDEST_SQLITE = '3.51.3'
/** The page size of a new file, in bytes. Rows of a few kilobytes share a page; with 4,096 bytes half of each page would be empty. */
const PAGE_BYTES = 8_192
/**
 * Bytes of pages in the write-ahead log that start a checkpoint: half of the file, within these bounds. A checkpoint of a small file writes
 * few pages. A large file has more pages that each checkpoint would write again.
 */
const WAL_BYTES_MIN = 5_734_400
const WAL_BYTES_MAX = 32_768_000
/** Bytes that the write-ahead log has before each page. */
const FRAME_HEADER_BYTES = 24
/** How long a connection waits for another one's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000
/** Milliseconds between two attempts where SQLite itself does not wait. */
const BUSY_RETRY_MS = 10

/** Synchronous access to a SQLite file. */
export type SqliteConnection = Disposable & {
  one<R = Row>(statement: Sql): R | undefined
  all<R = Row>(statement: Sql): R[]
  /** Runs a statement, such as COMMIT. Returns the number of changed rows. */
  run(statement: Sql): number
  /** Returns rows one by one and reads each on demand. */
  each<R = Row>(statement: Sql): Iterable<R>
  /** Runs constant text, such as pragmas and DDL. */
  exec(text: string): void
  /** How many rows this connection has changed since it was opened. */
  changes(): number
  readonly raw: DatabaseSync
  close(): void
}

/**
 * Opens a SQLite file in WAL mode. `write` sets synchronous=FULL: a commit that returned survives a power cut. `derived` sets
 * synchronous=NORMAL: derived data may lose its newest part. Throws StoreFault('broken') if the library is too old, or the file is not a
 * database or cannot be opened.
 */
export function openSqlite(
  path: string,
  mode: 'read' | 'write' | 'derived',
  options: { cacheKib?: number } = {},
): SqliteConnection {
  const raw = opening(() => new DatabaseSync(path, { readOnly: mode === 'read', timeout: BUSY_TIMEOUT_MS }))
  try {
    opening(() => {
      assertVersion(raw)
      if (mode !== 'read') setUp(raw, mode)
      // The first read opens the log.
      raw.prepare('PRAGMA schema_version').get()
    })
  } catch (error) {
    raw.close()
    throw error
  }
  if (options.cacheKib !== undefined) raw.exec(`PRAGMA cache_size = -${options.cacheKib}`)
  return connectionTo(raw)
}

/** A prepared statement that returns arrays, and the function that makes a row of one. */
type Prepared = { statement: StatementSync; rowOf(values: unknown): Row }

/**
 * Node itself makes rows as dictionaries, whose columns V8 finds by a search: copying one takes as long as reading it. All rows of a
 * statement that are made here share one hidden class.
 */
function prepared(raw: DatabaseSync, text: string): Prepared {
  const statement = raw.prepare(text.replaceAll('LIMIT ?', PLANNED_ONCE))
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name)
  return {
    statement,
    rowOf(values) {
      const row: Row = {}
      for (let at = 0; at < names.length; at++) row[names[at] as string] = (values as Value[])[at] as Value
      return row
    },
  }
}

function connectionTo(raw: DatabaseSync): SqliteConnection {
  /** The prepared statements, one for each text. */
  const statements = new Map<string, Prepared>()
  const prepare = (text: string): Prepared => {
    const known = prepared(raw, text)
    statements.set(text, known)
    return known
  }
  const close = (): void => {
    statements.clear()
    raw.close()
  }
  return {
    raw,
    one<R>({ text, values }: Sql) {
      try {
        const { statement, rowOf } = statements.get(text) ?? prepare(text)
        const found: unknown = statement.get(...values)
        return found === undefined ? undefined : (rowOf(found) as R)
      } catch (error) {
        throw faultOf(error, text)
      }
    },
    all<R>({ text, values }: Sql) {
      try {
        const { statement, rowOf } = statements.get(text) ?? prepare(text)
        return statement.all(...values).map(rowOf) as R[]
      } catch (error) {
        throw faultOf(error, text)
      }
    },
    run({ text, values }) {
      try {
        return Number((statements.get(text) ?? prepare(text)).statement.run(...values).changes)
      } catch (error) {
        throw faultOf(error, text)
      }
    },
    each: <R>(statement: Sql) =>
      guardedEach<R>(() => statements.get(statement.text) ?? prepare(statement.text), statement),
    exec: text => guarded(() => raw.exec(text)),
    changes() {
      return (this.one<{ n: number }>({ text: CHANGES, values: [] }) as { n: number }).n
    },
    close,
    [Symbol.dispose]: close,
  }
}

function setUp(raw: DatabaseSync, mode: 'write' | 'derived'): void {
  raw.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
  enterWal(raw)
  boundLog(raw)
  // Pages that an aborted statement would restore stay in memory instead of in a temporary file.
  raw.exec('PRAGMA temp_store = MEMORY')
  // Derived data is public and can be rebuilt: commits need no sync, and deleted rows need no overwriting.
  if (mode === 'derived') raw.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST')
  else raw.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON')
}

/**
 * Sets WAL mode. Waits for other processes that do the same with a new file: SQLite does not call its busy handler while another one
 * writes a file that is not in WAL mode yet, because a wait there could be a deadlock.
 */
function enterWal(raw: DatabaseSync): void {
  for (const end = performance.now() + BUSY_TIMEOUT_MS; ; ) {
    try {
      raw.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error
      blockThread(BUSY_RETRY_MS)
    }
  }
}

/**
 * Bounds the write-ahead log by the present size of the file; on a slow disk by the largest bound, because a checkpoint takes two syncs more
 * than a commit. A log that a large transaction has extended is truncated when it is reset. Throws StoreFault, as a statement does.
 */
export function boundLog(raw: DatabaseSync, isDiskSlow = false): void {
  let size: { bytes: number; page: number }
  try {
    size = raw.prepare(SIZE_OF_FILE).get() as typeof size
  } catch (error) {
    throw faultOf(error, '')
  }
  const least = isDiskSlow ? WAL_BYTES_MAX : WAL_BYTES_MIN
  const pages = Math.floor(Math.min(WAL_BYTES_MAX, Math.max(least, size.bytes / 2)) / size.page)
  raw.exec(
    `PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${pages * (size.page + FRAME_HEADER_BYTES)}`,
  )
}

/** Throws unless every commit of this connection is synced to the disk. */
export function assertDurable(connection: SqliteConnection): void {
  const row = connection.raw.prepare('PRAGMA synchronous').get() as { synchronous: number }
  const mode = connection.raw.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  if (row.synchronous !== 2 || mode.journal_mode !== 'wal') {
    throw new StoreFault(
      'broken',
      new Error(`commits are not durable: synchronous=${row.synchronous}, ${mode.journal_mode}`),
    )
  }
}

/** How long a checkpoint waits for readers, in milliseconds. */
const CHECKPOINT_TIMEOUT_MS = 50

/**
 * Moves the write-ahead log into the file and truncates it: deleted rows can be read from neither. Gives up after 50 ms while a reader uses
 * an older state, and returns false; call it again later.
 */
export function checkpointWal(connection: SqliteConnection): boolean {
  connection.exec(`PRAGMA busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`)
  try {
    return guarded(() => connection.raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }).busy === 0
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** How long a rewrite waits for readers of an older state, in milliseconds, and between two looks. */
const REWRITE_TIMEOUT_MS = 5_000
const REWRITE_RETRY_MS = 50
/** From this size on, a rewrite copies through a temporary file instead of memory. */
const REWRITE_IN_MEMORY_MAX = 64 * 1024 * 1024

/**
 * Rewrites the whole file, so that no page has bytes of deleted rows, and empties the write-ahead log. Throws StoreFault('unavailable') if a
 * reader uses an older state for too long: call it again then.
 */
export async function rewriteFile(connection: SqliteConnection): Promise<void> {
  // A transaction of this thread ends within its turn of the event loop.
  while (connection.raw.isTransaction) await nextTurn()
  const { bytes } = connection.one<{ bytes: number }>({ text: SIZE_OF_FILE, values: [] }) ?? { bytes: 0 }
  connection.exec(`PRAGMA temp_store = ${bytes > REWRITE_IN_MEMORY_MAX ? 'FILE' : 'MEMORY'}`)
  try {
    connection.exec('VACUUM')
  } finally {
    connection.exec('PRAGMA temp_store = MEMORY')
  }
  for (const end = performance.now() + REWRITE_TIMEOUT_MS; ; ) {
    while (connection.raw.isTransaction) await nextTurn()
    if (checkpointWal(connection)) return
    if (performance.now() > end)
      throw new StoreFault('unavailable', new Error('a reader still uses the store as it was before, such as a backup'))
    await sleep(REWRITE_RETRY_MS)
  }
}

const SIZE_OF_FILE =
  'SELECT page_count * page_size AS bytes, page_size AS page FROM pragma_page_count, pragma_page_size'

/** Moves all of the write-ahead log into the file; returns false if that fails, or if other connections still read an older state. */
export function takeInLog(connection: SqliteConnection): boolean {
  try {
    const { busy } = connection.raw.prepare('PRAGMA wal_checkpoint(FULL)').get() as { busy: number }
    return busy === 0
  } catch (error) {
    if (isSqliteError(error)) return false
    throw error
  }
}

/** No space for the file, for the index of the log, or for truncating the log, which takes space on a copy-on-write file system. */
const FULL: ReadonlySet<number> = new Set([13, 4_874, 1_546])
const SQLITE_BUSY = 5
const SQLITE_CORRUPT = 11
const SQLITE_CANTOPEN = 14
/** A file cannot be written or read, has changed since it was written, or is not a database. */
const BROKEN: ReadonlySet<number> = new Set([8, 10, 11, 26])

/**
 * Runs the steps that open a store. Here an error that a file cannot be opened means a broken store; later the file may be a temporary one.
 */
function opening<T>(work: () => T): T {
  try {
    return guarded(work)
  } catch (error) {
    throw codeOf(error) === SQLITE_CANTOPEN ? new StoreFault('broken', error) : error
  }
}

/** Runs work on a store that is not a statement of a known text. */
function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw faultOf(error, '')
  }
}

function* guardedEach<R>(find: () => Prepared, { text, values }: Sql): Generator<R> {
  try {
    const { statement, rowOf } = find()
    for (const found of statement.iterate(...values)) yield rowOf(found) as R
  } catch (error) {
    throw faultOf(error, text)
  }
}

const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Begins a transaction that writes. Throws StoreFault('unavailable'), with nothing begun, if another process keeps the file locked. */
export function beginWriting(connection: SqliteConnection): void {
  try {
    connection.run(sql`BEGIN IMMEDIATE`)
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new StoreFault('unavailable', new Error('another process has it locked; end that one', { cause: error }))
  }
}

/** Whether an error of SQLite means that the disk is full. */
export const isFull = (error: unknown): boolean => FULL.has((error as { errcode?: number }).errcode ?? 0)

/** Whether SQLite itself refused a statement. */
export const isSqliteError = (error: unknown): boolean => (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR'

/** Whether an error of SQLite means that another connection kept its lock for too long. */
export const isBusy = (error: unknown): boolean => codeOf(error) === SQLITE_BUSY

/** A page of a file is damaged. `tables` are those of the statement that read it. */
class DamagedPage extends Error {
  constructor(tables: readonly string[], cause: unknown) {
    const where = tables.length > 0 ? `of the table ${tables.join(' or ')} or of its indexes` : 'of the file'
    super(`a page ${where} is damaged (${(cause as Error).message})`, { cause })
  }
}

/** Whether a store failed because of a damaged page. */
export const isDamage = (error: unknown): boolean => error instanceof StoreFault && error.cause instanceof DamagedPage

/** The tables that a statement names. */
const tablesOf = (statement: string): string[] => [
  ...new Set([...statement.matchAll(/\b(?:INTO|UPDATE|FROM|JOIN)\s+(?!SET\b)(\w+)/g)].map(([, table = '']) => table)),
]

function faultOf(error: unknown, statement: string): unknown {
  const code = codeOf(error)
  if (isFull(error)) return new StoreFault('full', error)
  if (code === SQLITE_CORRUPT) return new StoreFault('broken', new DamagedPage(tablesOf(statement), error))
  return BROKEN.has(code) ? new StoreFault('broken', error) : error
}

function assertVersion(raw: DatabaseSync): void {
  const { version } = raw.prepare('SELECT sqlite_version() AS version').get() as { version: string }
  const order = version.localeCompare(OLDEST_SQLITE, 'en', { numeric: true })
  if (order < 0) {
    throw new StoreFault(
      'broken',
      new Error(`SQLite ${version} is too old; run a Node with SQLite ${OLDEST_SQLITE} or newer`),
    )
  }
}

/** Called before a group begins, and for the COMMIT of a group of so many works; by default only commits. */
type GroupHooks = { onGroup?(): void; commit?(works: number): void }

/**
 * Commits groups through the one writing connection of a SQLite store: works run one after another and share one durable commit. A broken
 * store rejects this and all later groups, because a failed sync is never repeated. The outcome of a group whose commit had begun is
 * unknown: its frames are in the write-ahead log. If another process has locked the store for too long, the group is rejected as
 * `unavailable`, and nothing was begun.
 */
export function sqliteSession(
  connection: SqliteConnection,
  { onGroup, commit = () => connection.run(sql`COMMIT`) }: GroupHooks = {},
): GroupSession {
  let broken: StoreFault | undefined
  return {
    async commit(group) {
      const progress = { isCommitting: false }
      try {
        if (broken !== undefined) throw broken
        onGroup?.()
        return await commitWorks(connection, group, isRefusal, commit, progress)
      } catch (error) {
        if (error instanceof SpoiledGroup) throw error
        const fault = error instanceof StoreFault ? error : new StoreFault('broken', error)
        if (fault.kind !== 'broken') throw fault
        broken = fault
        throw progress.isCommitting ? new StoreFault('broken', fault.cause, { outcomeUnknown: true }) : fault
      }
    },
  }
}

/** Whether an error concerns one work alone. An error of SQLite may have rolled back the whole transaction. */
const isRefusal = (error: unknown): boolean => !isSqliteError(error)

/** Runs one work in one durable transaction of a connection without another writer. If it throws, everything is rolled back. */
export async function transact<T>(
  connection: SqliteConnection,
  work: (tx: Transaction) => Awaitable<T>,
  onCommitting = () => {},
): Promise<T> {
  const commit = (): void => {
    onCommitting()
    connection.run(sql`COMMIT`)
  }
  try {
    const [outcome] = await commitWorks(connection, [{ work }], () => false, commit)
    return (outcome as { result: T }).result
  } catch (error) {
    throw error instanceof SpoiledGroup ? error.cause : error
  }
}

/** Runs works one after another in one transaction. If one spoils it, or the commit fails, everything is rolled back. */
async function commitWorks(
  connection: SqliteConnection,
  works: readonly Pick<Pending, 'work'>[],
  isRefusal: (error: unknown) => boolean,
  commit: (works: number) => void,
  progress = { isCommitting: false },
): Promise<Outcome[]> {
  const loaded: Loaded = new Map()
  beginWriting(connection)
  try {
    const outcomes: Outcome[] = []
    for (const { work } of works) outcomes.push(await runWork(connection, loaded, work, 0, isRefusal))
    for (const [loadable, value] of loaded) await loadable.save(connection, await value)
    progress.isCommitting = true
    commit(works.length)
    return outcomes
  } catch (error) {
    // SQLite may have rolled back by itself. No transaction may stay open.
    if (connection.raw.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
