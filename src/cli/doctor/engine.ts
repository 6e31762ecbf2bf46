import { randomBytes } from 'node:crypto'
import { ddlFor } from '../../engine/database.ts'
import { connectPostgres, type PostgresConnection, sessionSettings } from '../../engine/postgres.ts'
import { MIGRATIONS } from '../../engine/schema.ts'
import type { Finding } from '../../http/status.ts'
import { plain } from '../../memory/plain.ts'
import { awayOf, OLDEST_VERSION } from '../../stores/postgres/checks.ts'
import type { Check } from './store.ts'

/** Two sessions with the server. Their tables are in a separate schema. */
type Probed = { one: PostgresConnection; two: PostgresConnection }
/**
 * A part of PostgreSQL that the service uses. `probe` returns the fault, or throws the error of the server. `for` is set if only some
 * settings need the part.
 */
type Need = { what: string; for?: string; probe(probed: Probed): Promise<string | undefined> }

const STATEMENT_TIMEOUT_MS = 10_000
/** A statement without an answer after this time waits for a lock; in milliseconds. */
const LOCK_WAIT_MS = 100

/** The checks of any server with the protocol of PostgreSQL: one for each part that the service needs. */
export const engineChecks = (url: string): [string, Check][] => [['engine', () => probeEngine(url)]]

async function probeEngine(url: string): Promise<Finding[]> {
  const options = {
    url,
    name: 'doctor',
    statementTimeout: STATEMENT_TIMEOUT_MS,
    idleTimeout: STATEMENT_TIMEOUT_MS,
    plain: true,
  } as const
  const opened: PostgresConnection[] = []
  const schema = `palimpsest_doctor_${randomBytes(4).toString('hex')}`
  try {
    for (let n = 0; n < 2; n++)
      opened.push(await connectPostgres(options).catch(error => Promise.reject(awayOf(error))))
    const [one, two] = opened as [PostgresConnection, PostgresConnection]
    const [version] = await one.query('SELECT version() AS name')
    const findings: Finding[] = [{ mark: 'ok', what: 'engine', finding: printable(String(version?.name)) }]
    await one.exec(`CREATE SCHEMA ${schema}`)
    for (const need of NEEDS) findings.push(await findingOf(need, { one, two }, schema))
    return findings
  } finally {
    await opened[0]?.exec(`ROLLBACK; DROP SCHEMA IF EXISTS ${schema} CASCADE`).catch(() => {})
    await Promise.all(opened.map(connection => connection.close()))
  }
}

async function findingOf(need: Need, probed: Probed, schema: string): Promise<Finding> {
  const { what } = need
  const mark = need.for === undefined ? 'FAIL' : 'warn'
  const remedy = need.for === undefined ? 'the service cannot run on this server' : `only ${need.for} needs it`
  try {
    for (const connection of [probed.one, probed.two]) await connection.exec(`ROLLBACK; SET search_path = ${schema}`)
    const fault = await need.probe(probed)
    if (fault === undefined) return { mark: 'ok', what, finding: 'present' }
    return { mark, what, finding: fault, remedy }
  } catch (error) {
    return { mark, what, finding: `missing (${printable((error as Error).message)})`, remedy }
  }
}

/** An answer of the server as one line without control characters. */
const printable = (text: string): string => plain(text).replaceAll(/\s+/g, ' ').slice(0, 200)

const setting = async ({ one }: Probed, name: string): Promise<string> => {
  const [found] = await one.query('SELECT current_setting($1) AS value', [name])
  return String(found?.value)
}
const settingIs =
  (name: string, isFine: (value: string) => boolean): Need['probe'] =>
  async probed => {
    const value = await setting(probed, name)
    return isFine(value) ? undefined : `${name} is ${printable(value)}`
  }

/** A statement that must be answered with this value. */
const answers =
  (text: string, expected: string | number): Need['probe'] =>
  async ({ one }) => {
    const [found] = await one.query(text)
    const [value] = Object.values(found ?? {})
    return String(value) === String(expected) ? undefined : `it answers ${printable(String(value))}, not ${expected}`
  }
const runs =
  (text: string): Need['probe'] =>
  async ({ one }) => {
    await one.query(text)
    return undefined
  }

/** The parts, in the order of the checks: first those without which no session is opened, last those that only some settings need. */
const NEEDS: readonly Need[] = [
  { what: 'version 15', probe: settingIs('server_version_num', value => Number(value) >= OLDEST_VERSION) },
  { what: 'encoding', probe: settingIs('server_encoding', value => value === 'UTF8') },
  { what: 'synced commits', probe: settingIs('synchronous_commit', value => value !== 'off') },
  { what: 'fsync', probe: settingIs('fsync', value => value === 'on') },
  { what: 'full page writes', probe: settingIs('full_page_writes', value => value === 'on') },
  { what: 'session settings', probe: probeSettings },
  { what: 'pipelining', probe: probePipelining },
  { what: 'schema', probe: probeSchema },
  { what: 'transactional DDL', probe: probeTransactionalDdl },
  { what: 'row locks', probe: probeRowLock },
  { what: 'snapshots', probe: probeSnapshot },
  { what: 'advisory locks', probe: runs('SELECT pg_advisory_xact_lock(7261843206)') },
  { what: 'statements', probe: probeStatements },
  { what: 'system identifier', probe: runs('SELECT system_identifier FROM pg_control_system()') },
  { what: 'timeline', probe: runs('SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)') },
  { what: 'outcome of transactions', probe: answers('SELECT pg_xact_status(pg_current_xact_id())', 'in progress') },
  { what: 'size of the database', probe: runs('SELECT pg_database_size(current_database())') },
  {
    what: 'positions of a standby',
    for: 'DATABASE_READ_URL',
    probe: runs("SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0'), pg_last_wal_replay_lsn()"),
  },
]

async function probeSettings({ one }: Probed): Promise<string | undefined> {
  const missing: string[] = []
  for (const statement of sessionSettings(STATEMENT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS)) {
    if (statement.includes('search_path')) continue
    await one.exec(statement).catch(() => missing.push(statement.split(' ')[1] ?? ''))
  }
  return missing.length === 0 ? undefined : `missing: ${missing.join(', ')}`
}

/** Statements that are sent together are answered in order, and a refused one does not end the others. */
async function probePipelining({ one }: Probed): Promise<string | undefined> {
  const texts = ['SELECT 1 AS n', 'SELECT 1 / 0 AS n', 'SELECT 3 AS n']
  const [first, second, third] = await one.settle(texts.map(text => ({ text, values: [] })))
  const fits = !(first instanceof Error) && second instanceof Error && !(third instanceof Error)
  return fits && third?.rows[0]?.n === 3 ? undefined : 'a refused statement ends those that were sent with it'
}

/** Every step of the schema, in a transaction that is rolled back. */
async function probeSchema({ one }: Probed): Promise<string | undefined> {
  await one.exec('BEGIN')
  for (const step of MIGRATIONS) {
    try {
      await one.exec(ddlFor(step, 'postgres'))
    } catch (error) {
      return `step "${step.name}" fails (${printable((error as Error).message)})`
    }
  }
  return undefined
}

async function probeTransactionalDdl({ one }: Probed): Promise<string | undefined> {
  await one.exec('BEGIN; CREATE TABLE undone (n BIGINT); ROLLBACK')
  const [found] = await one.settle([{ text: 'SELECT n FROM undone', values: [] }])
  return found instanceof Error ? undefined : 'a table stays after ROLLBACK'
}

/** Rows that are inserted or updated from lists, and texts that are compared byte by byte. */
async function probeStatements({ one }: Probed): Promise<string | undefined> {
  await one.exec('CREATE TABLE kept (n BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, t TEXT COLLATE "C")')
  const [, found] = await one.send([
    {
      text: `INSERT INTO kept (n, t) SELECT n, t FROM unnest($1::bigint[], $2::text[]) AS given(n, t)
        ON CONFLICT (n) DO UPDATE SET t = excluded.t RETURNING n`,
      values: [
        [1, 2],
        ['a', 'B'],
      ],
    },
    {
      text: `SELECT string_agg(t, '' ORDER BY t) AS texts FROM kept, LATERAL (SELECT kept.n) AS own,
        unnest(ARRAY[1::bigint]) WITH ORDINALITY AS more(value, place)`,
      values: [],
    },
  ])
  const texts = String(found?.rows[0]?.texts)
  return texts === 'Ba' ? undefined : `texts are ordered as ${printable(texts)}, not as Ba`
}

/** A transaction that waits for a locked row continues with the committed value, and does not fail. */
async function probeRowLock({ one, two }: Probed): Promise<string | undefined> {
  await one.exec('CREATE TABLE head (n BIGINT); INSERT INTO head VALUES (1)')
  await one.exec('BEGIN; UPDATE head SET n = 2')
  await two.exec('BEGIN')
  let waits = true
  const reading = two.query('SELECT n FROM head FOR UPDATE').finally(() => {
    waits = false
  })
  reading.catch(() => {})
  await new Promise(resolve => setTimeout(resolve, LOCK_WAIT_MS))
  if (!waits) return 'FOR UPDATE does not wait for the lock of another transaction'
  await one.exec('COMMIT')
  const [found] = await reading
  return found?.n === 2 ? undefined : 'a transaction that waited for a row does not see its committed value'
}

/** A reading transaction sees one state for its whole time. */
async function probeSnapshot({ one, two }: Probed): Promise<string | undefined> {
  await one.exec('CREATE TABLE seen (n BIGINT)')
  await two.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const count = 'SELECT count(*) AS n FROM seen'
  await two.query(count)
  await one.exec('INSERT INTO seen VALUES (1)')
  const [found] = await two.query(count)
  return found?.n === 0 ? undefined : 'a reading transaction sees later commits'
}
