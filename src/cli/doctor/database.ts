import { only } from '../../engine/database.ts'
import { appliedToPostgres } from '../../engine/migrate.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { nodeIndexFile } from '../../stores/embedded/directory.ts'
import { assertNotForeign, assertPrimary, assertTrustworthy } from '../../stores/postgres/checks.ts'
import { assertWhollyCopied } from '../../stores/postgres/prepare.ts'
import { connectCommand } from '../../stores/postgres/session.ts'
import { type CheckResult, checkIndex, type Indexable, type NamedCheck, schemaResult } from './store.ts'

/** Sessions of a node: one for writes, one for limits, four for reads, one for the index, one for the heartbeat, one spare. */
const SESSIONS_OF_NODE = 9
const CLOCK_TOLERANCE_MS = 1_000
const LAG_LARGE_MS = 1_000

/** The checks of a store in PostgreSQL, and of the standbys for reads. */
export const databaseChecks = (url: string, readUrls: readonly string[], directory: string): NamedCheck[] => [
  ['database', () => withDatabase(url, checkServer)],
  ['schema', () => withDatabase(url, checkSchema), 'database'],
  [
    'search index',
    () => withDatabase(url, connection => checkIndex(nodeIndexFile(directory), () => indexable(connection))),
    'schema',
  ],
  ['sessions', () => withDatabase(url, checkSessions), 'database'],
  ['clock', () => withDatabase(url, checkClock), 'database'],
  ...readUrls.map(
    (readUrl): NamedCheck => [
      'standby',
      () => withDatabase(readUrl, connection => checkStandby(connection, readUrls.length > 1), 'DATABASE_READ_URL'),
    ],
  ),
]

async function withDatabase<T>(
  url: string,
  look: (connection: PostgresConnection) => Promise<T>,
  setting = 'DATABASE_URL',
): Promise<T> {
  await using connection = await connectCommand(url, setting)
  return await look(connection)
}

async function checkServer(connection: PostgresConnection): Promise<CheckResult> {
  await assertTrustworthy(connection)
  await assertPrimary(connection)
  const [found] = await connection.query<{ name: string }>(`SELECT current_setting('server_version') AS name`)
  return { mark: 'ok', finding: `PostgreSQL ${only(found).name}, every commit is synced, encoding UTF8` }
}

async function checkSchema(connection: PostgresConnection): Promise<CheckResult> {
  await assertNotForeign(connection)
  const applied = await appliedToPostgres(connection)
  if (applied.length === 0) return { mark: 'ok', finding: 'none yet; the first start creates it' }
  await assertWhollyCopied(connection)
  return schemaResult(applied)
}

async function indexable(connection: PostgresConnection): Promise<Indexable> {
  const [found] = await connection.query<Indexable>(
    'SELECT record, (SELECT count(*) FROM entry WHERE withdrawn = 0) AS entries FROM head',
  )
  // A copy that is not finished has no head row yet.
  return found ?? { record: 0, entries: 0 }
}

async function checkSessions(connection: PostgresConnection): Promise<CheckResult> {
  const [found] = await connection.query<{ most: number; used: number }>(
    `SELECT current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint AS most,
      (SELECT sum(numbackends) FROM pg_stat_database) AS used`,
  )
  const { most, used } = only(found)
  const finding = `${used} of ${most} are open; a node opens about ${SESSIONS_OF_NODE}`
  if (most - used >= SESSIONS_OF_NODE) return { mark: 'ok', finding }
  return { mark: 'FAIL', finding, remedy: 'raise max_connections of PostgreSQL' }
}

/** The nodes assign times. A clock that is ahead makes the times of all nodes stand still. */
async function checkClock(connection: PostgresConnection): Promise<CheckResult> {
  const [found] = await connection.query<{ now: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
  const skew = Math.round(Date.now() - only(found).now)
  const finding = `${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead of'} PostgreSQL's`
  if (Math.abs(skew) < CLOCK_TOLERANCE_MS) return { mark: 'ok', finding }
  return { mark: 'warn', finding, remedy: 'set both clocks, and run a time service' }
}

/** Where several servers are `listed`, one of them may be the primary. */
async function checkStandby(connection: PostgresConnection, listed: boolean): Promise<CheckResult> {
  const [found] = await connection.query<{ standby: string; lag: number }>(
    `SELECT pg_is_in_recovery()::text AS standby, CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
      ELSE coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000, 0) END AS lag`,
  )
  const { standby, lag } = only(found)
  if (standby !== 'true' && listed) return { mark: 'ok', finding: 'the primary for now, not read' }
  if (standby !== 'true') {
    const finding = 'DATABASE_READ_URL names a primary'
    return { mark: 'warn', finding, remedy: 'name a standby of DATABASE_URL, or omit it' }
  }
  const finding = `${Math.round(lag)} ms after its primary`
  if (lag < LAG_LARGE_MS) return { mark: 'ok', finding }
  return { mark: 'warn', finding, remedy: 'reads go to the primary while the standby lags' }
}
