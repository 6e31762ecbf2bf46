import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { only, sql } from '../../engine/database.ts'
import { type AppliedStep, appliedMigrations, pendingSteps } from '../../engine/migrate.ts'
import { MIGRATIONS } from '../../engine/schema.ts'
import { assertDurable, openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import { indexedState } from '../../find/index/file.ts'
import type { Finding } from '../../http/status.ts'
import { OperatorError } from '../../operator-error.ts'
import { sizeText } from '../../progress.ts'
import { digestOfOriginKey, logKeyFile, originKeyFile } from '../../secrets.ts'
import {
  assertOwnLog,
  assertStoreNotLost,
  indexFile,
  isServed,
  knownOriginKey,
  storeFile,
} from '../../stores/embedded/directory.ts'
import { createLogAnswers, type LogState } from '../../tlog/answers.ts'
import { judgeLog } from '../../tlog/appender.ts'
import { logHeadFile } from '../../tlog/key-files.ts'
import { readinessUrl } from '../address.ts'
import { openStoreForReading, openStoreOfAnySchema } from '../stores/snapshot.ts'

/** The result of a check. Its name is that of the check, unless it has another one. */
export type CheckResult = Omit<Finding, 'what'> & { what?: string }
export type Check = () => CheckResult | CheckResult[] | Promise<CheckResult | CheckResult[]>
/** A check by its name. If the check that it `needs` finds a fault or is skipped, it is skipped: it would find the same fault. */
export type NamedCheck = [what: string, check: Check, needs?: string]

const INDEX_BEHIND = 10_000

/** The newest record of a store, and the number of its public entries. */
export type Indexable = { record: number; entries: number }

/**
 * Whether a search index has all entries of its store. Calls `look` before and after it reads the index, because the store may be served.
 */
export async function checkIndex(file: string, look: () => Promise<Indexable> | Indexable): Promise<CheckResult> {
  if (!existsSync(file)) return { mark: 'ok', finding: 'none yet; the first start builds it' }
  const { record, entries } = await look()
  const indexed = readIndex(file)
  if (indexed === undefined) return { mark: 'ok', finding: 'made by another version; the next start builds it anew' }
  const behind = Math.max(0, record - indexed.record)
  if (behind >= INDEX_BEHIND) {
    const finding = `${behind} records are not indexed`
    return { mark: 'warn', finding, remedy: 'searches wait for it; a running service indexes them' }
  }
  const isStill = indexed.record === record && (await look()).record === record
  if (!isStill) return { mark: 'ok', finding: `${behind} records are not indexed` }
  const finding = `it has ${indexed.entries} of ${entries} entries`
  if (indexed.entries === entries) return { mark: 'ok', finding }
  return { mark: 'FAIL', finding, remedy: `stop the service and delete ${file}; the next start builds it anew` }
}

/** The record and the number of entries of an index; undefined if it was made by another version. */
function readIndex(file: string): Indexable | undefined {
  using index = openSqlite(file, 'read')
  const state = indexedState(index)
  const entries = only(index.one<{ n: number }>(sql`SELECT count(*) AS n FROM doc`)).n
  return state === undefined ? undefined : { record: state.record, entries }
}

const READY_TIMEOUT_MS = 5_000
const WAL_LARGE_BYTES = 1_000_000_000
const CLOCK_TOLERANCE_MS = 60_000

/** Whether a server has locked the directory, and if so, whether it is ready. */
export async function checkServed(directory: string, config: Config | undefined): Promise<CheckResult> {
  if (!isServed(directory)) return { mark: 'ok', finding: 'no process has locked the store' }
  if (config === undefined) return { mark: 'warn', finding: 'a process has locked the store; its address is unknown' }
  const url = readinessUrl(config)
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) })
    if (answer.status === 200) return { mark: 'ok', finding: `a process has locked the store, and ${url} is ready` }
    const reason = answer.headers.get('reason')
    const finding = `${url} answers ${answer.status}${reason === null ? '' : `: ${reason}`}`
    return { mark: 'FAIL', finding, remedy: 'its log has the reason' }
  } catch {
    const finding = `a process has locked the store, but ${url} does not answer`
    return { mark: 'warn', finding, remedy: 'set --host and --port to those of the server, or see its log' }
  }
}

/** The finding that the write-ahead log is not that of the store, so that SQLite must not open them; undefined if it is. */
export function foreignLog(directory: string): CheckResult | undefined {
  try {
    assertOwnLog(directory)
    return undefined
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { mark: 'FAIL', finding: error.message.replace(/\.$/, '') }
  }
}

/** A directory without a store. Throws OperatorError if it had one. */
export function checkMissing(directory: string): CheckResult {
  assertStoreNotLost(directory)
  return { mark: 'ok', finding: 'none yet; the first start creates it' }
}

/** Whether the keys are there with which this store was last started. */
export function checkKeys(directory: string, config: Config | undefined): CheckResult {
  const missing = [
    ...(config?.originKey === undefined && !existsSync(originKeyFile(directory)) ? [originKeyFile(directory)] : []),
    ...(config?.tlogKey === undefined && !existsSync(logKeyFile(directory)) ? [logKeyFile(directory)] : []),
  ]
  const known = knownOriginKey(directory)
  const remedy = 'put the earlier key back before the next start'
  if (known === undefined) return { mark: 'ok', finding: 'the first start makes them' }
  if (missing.length > 0) return { mark: 'FAIL', finding: `${missing.join(' and ')} missing`, remedy }
  const originKey = config?.originKey ?? readFileSync(originKeyFile(directory), 'utf8').trim()
  if (known === digestOfOriginKey(originKey)) return { mark: 'ok', finding: 'those of the last start' }
  return { mark: 'FAIL', finding: 'the origin key is not that of the last start', remedy }
}

/** Whether the next start continues the public log. A running service judges that itself. */
export async function checkPublicLog(directory: string, config: Config | undefined): Promise<CheckResult[]> {
  const pem = config?.tlogKey ?? (existsSync(logKeyFile(directory)) ? readFileSync(logKeyFile(directory), 'utf8') : '')
  if (pem === '' || isServed(directory)) return []
  using store = openStoreForReading(storeFile(directory))
  const ask = createLogAnswers({ reader: async () => store, headFile: logHeadFile(directory), alone: true })
  const state = (await ask({ ask: 'state' })) as LogState
  if (state.logEpoch === undefined) return [{ mark: 'ok', finding: 'the next start begins it' }]
  const keys = (await ask({ ask: 'keys', pem, origin: state.logEpoch.origin })) as string
  const next = judgeLog(state, keys)
  if (typeof next === 'string') return [{ mark: 'ok', finding: 'the next start continues it' }]
  return [{ mark: 'FAIL', finding: `the next start begins another one: ${next.begin}` }]
}

export function checkSchema(directory: string): CheckResult {
  using connection = openStoreOfAnySchema(storeFile(directory))
  return schemaResult(appliedMigrations(connection))
}

/** Whether a store lacks steps of the schema. */
export function schemaResult(applied: readonly AppliedStep[]): CheckResult {
  const pending = pendingSteps(applied)
  if (pending.length === 0) return { mark: 'ok', finding: `step ${MIGRATIONS.length}, the newest` }
  const finding = `${pending.length} steps before step ${MIGRATIONS.length}`
  return { mark: 'warn', finding, remedy: 'the next start or "palimpsest migrate" applies them' }
}

/** A restored file is not in WAL mode. The first start changes the mode. */
export function checkDurability(directory: string): CheckResult {
  const mode = withStore(
    directory,
    store => only(store.one<{ journal_mode: string }>(sql`PRAGMA journal_mode`)).journal_mode,
  )
  if (mode !== 'wal') return { mark: 'ok', finding: 'restored, not started yet; the first start sets it' }
  using writer = openSqlite(storeFile(directory), 'write')
  assertDurable(writer)
  return { mark: 'ok', finding: 'every commit is synced (journal WAL, synchronous FULL)' }
}

export function checkIntegrity(directory: string): CheckResult {
  const found = withStore(
    directory,
    store => only(store.one<{ quick_check: string }>(sql`PRAGMA quick_check(1)`)).quick_check,
  )
  if (found === 'ok') return { mark: 'ok', finding: 'the quick check passed; "palimpsest check" checks all data' }
  return { mark: 'FAIL', finding: found, remedy: 'restore the newest backup' }
}

export function checkSizes(directory: string): CheckResult {
  const size = (path: string): number => (existsSync(path) ? statSync(path).size : 0)
  const wal = size(`${storeFile(directory)}-wal`)
  const finding = `store ${sizeText(size(storeFile(directory)))}, its log ${sizeText(wal)}, search index ${sizeText(size(indexFile(directory)))}`
  if (wal < WAL_LARGE_BYTES) return { mark: 'ok', finding }
  const remedy = 'the log grows during a long read (backup, export, verify); wait for its end'
  return { mark: 'warn', finding, remedy }
}

export function checkClock(directory: string): CheckResult {
  const newest = withStore(directory, store =>
    only(
      store.one<{ at: number }>(sql`
      SELECT max(coalesce((SELECT max(updated_at) FROM entry WHERE withdrawn = 0), 0),
        coalesce((SELECT created_at FROM activity ORDER BY sequence DESC LIMIT 1), 0)) AS at`),
    ),
  ).at
  const now = new Date().toISOString()
  const ahead = newest - Date.now()
  if (ahead <= CLOCK_TOLERANCE_MS) return { mark: 'ok', finding: `${now}, not before the newest row` }
  const finding = `${now} is ${Math.round(ahead / 1_000)} s before the newest row of the store`
  return { mark: 'FAIL', finding, remedy: 'set the clock, and run a time service' }
}

/** Whether the search index has all entries of the store. */
export const checkSearchIndex = (directory: string): Promise<CheckResult> =>
  checkIndex(indexFile(directory), () =>
    withStore(directory, store => ({
      record: only(store.one<{ record: number }>(sql`SELECT record FROM head`)).record,
      entries: only(store.one<{ n: number }>(sql`SELECT count(*) AS n FROM entry WHERE withdrawn = 0`)).n,
    })),
  )

function withStore<T>(directory: string, look: (store: SqliteConnection) => T): T {
  using connection = openStoreForReading(storeFile(directory))
  return look(connection)
}
