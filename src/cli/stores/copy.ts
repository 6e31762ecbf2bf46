import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { only, sql, type Value } from '../../engine/database.ts'
import { migratePostgres, readColumnTypes } from '../../engine/migrate.ts'
import type { PostgresConnection, Query } from '../../engine/postgres.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { readHead } from '../../memory/head-rows.ts'
import { assertNoMirror } from '../../mirror/check.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Progress, pace, percent } from '../../progress.ts'
import { adminTokenFile, ensureSecret, logKeyFile, originKeyFile } from '../../secrets.ts'
import { isServed, storeFile } from '../../stores/embedded/directory.ts'
import { assertPrimary, assertTrustworthy } from '../../stores/postgres/checks.ts'
import { beginCopying, endCopying, readCopyTarget, removeErased } from '../../stores/postgres/prepare.ts'
import { shareLogKey, shareOriginKey, shareTokenDigest } from '../../stores/postgres/secrets.ts'
import { connectCommand } from '../../stores/postgres/session.ts'
import { createLogAnswers, type LogState } from '../../tlog/answers.ts'
import { judgeLog } from '../../tlog/appender.ts'
import { logHeadFile } from '../../tlog/key-files.ts'
import { countLines, type Verdict, verifyStore } from '../check/check.ts'
import { EXIT, type Invocation } from '../command.ts'
import { beginSnapshot, openDatabaseSnapshot, openStoreForReading } from './snapshot.ts'

/** Copies the present state of an embedded store into PostgreSQL, or updates an earlier copy, and verifies the copy. */
export async function copyToDatabase(invocation: Invocation, directory: string, url: string): Promise<number> {
  const began = performance.now()
  using progress = createProgress(invocation.stderr)
  const servedBefore = isServed(directory)
  using source = openStoreForReading(storeFile(directory))
  beginSnapshot(source)
  const mayGrow = () => servedBefore || isServed(directory)
  await assertNoMirror(source, 'copy the store of that server')
  {
    await using target = await connectCommand(url)
    await prepare(source, target, progress)
    await copySecrets(directory, target)
    const mayContinue = await isLogKnown(directory, source)
    const sent = await copyAll(source, target, url, () => mayContinue && !mayGrow(), progress)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    progress.phase(`Sent ${sent} rows in ${seconds} s; verifying`)
  }
  const { counts, damage } = await verifyTarget(url, progress)
  progress.end()
  if (damage !== undefined) throw new OperatorError(`The copy is damaged; copy into an empty database. ${damage}`)
  invocation.stdout.write(`The copy in PostgreSQL is intact: all hashes are correct.\n${countLines(counts)}`)
  invocation.stdout.write(`${mayGrow() ? GO_ON : DONE}\n`)
  return EXIT.ok
}

async function verifyTarget(url: string, progress: Progress): Promise<Verdict> {
  await using snapshot = await openDatabaseSnapshot(url)
  return await verifyStore(snapshot, progress)
}

const GO_ON =
  'The store is still served. Stop the service, run the same command again for the new records, then start the service with DATABASE_URL.'
const DONE = 'Start the service with DATABASE_URL now. The old directory is unchanged.'

/** Creates the schema in the database. Throws if the database has a store that must not be overwritten. */
async function prepare(source: SqliteConnection, target: PostgresConnection, progress: Progress): Promise<void> {
  await assertTrustworthy(target)
  await assertPrimary(target)
  await migratePostgres(target, Date.now())
  const { store_id: storeId } = await readHead(source)
  const found = await readCopyTarget(target)
  if (found.storeId !== undefined && found.storeId !== storeId) {
    throw new OperatorError('The database contains another store; name an empty one.')
  }
  if (found.state === 'written') {
    throw new OperatorError('A node has written to this copy; name an empty database, or continue to use this one.')
  }
  if (found.state === 'copying') progress.phase('Continuing an interrupted copy after the rows that are there')
  await beginCopying(target, storeId)
}

/** Makes a node on the copy begin another log. The last copy restores the column. */
const ENDING_LOG = `UPDATE log_epoch SET store_id = '' WHERE number = (SELECT max(number) FROM log_epoch)`

/** Whether the last signed checkpoint of the directory is known and agrees with its store, as a start of the directory requires it. */
async function isLogKnown(directory: string, source: SqliteConnection): Promise<boolean> {
  const answer = createLogAnswers({ reader: async () => source, headFile: logHeadFile(directory), alone: true })
  const state = (await answer({ ask: 'state' })) as LogState
  return typeof judgeLog(state, state.logEpoch?.keys ?? '') === 'string'
}

/** Sessions that insert rows. With two, one inserts while the other gets its next rows; a third one uses another core of the server. */
const SESSIONS = 3

/**
 * Copies all rows. The head is last, with all data that a node needs to start; until then, no node serves the database. `logContinues`
 * returns whether a node on the copy may continue the log: the store signs no more records. Returns the number of sent rows.
 */
async function copyAll(
  source: SqliteConnection,
  target: PostgresConnection,
  url: string,
  logContinues: () => boolean,
  progress: Progress,
): Promise<number> {
  const types = await readColumnTypes(target)
  const columnsOf = (name: string): Columns => {
    const columns = types.get(name)
    if (columns === undefined) throw new Error(`The database has no table ${name}.`)
    return [...columns]
  }
  const sent = await copyTables(source, target, url, columnsOf, progress)
  progress.phase('Copying the small tables')
  await target.exec('SET synchronous_commit = on; BEGIN')
  for (const name of [...REPLACED, 'head']) await target.send(replacing(source, name, columnsOf(name)))
  await target.send([
    ...limits(source),
    ...COPIED.flatMap(({ by, name }) => (by === 'number' ? [continuing(name)] : [])),
    ERASED_SALTS,
    ...(logContinues() ? [] : [{ text: ENDING_LOG, values: [] }]),
  ])
  const last = source.one<{ at: number | null }>(sql`SELECT max(created_at) AS at FROM activity`)?.at
  await endCopying(target, (await readHead(source)).store_id, last ?? 0)
  await target.exec('COMMIT')
  if ((await target.query('SELECT record FROM erasure LIMIT 1')).length > 0) await removeErased(target)
  return sent
}

/** Copies the tables that grow, the largest first, in sessions that run at the same time. Returns the number of sent rows. */
async function copyTables(
  source: SqliteConnection,
  target: PostgresConnection,
  url: string,
  columnsOf: (name: string) => Columns,
  progress: Progress,
): Promise<number> {
  const parts = await partsOf(source, target)
  const rows = new RowProgress(progress, new Map(parts.map(({ table, total }) => [table.name, total])))
  const last = parts.filter(({ table }) => table.name === MODERATION)
  const waiting = parts.filter(part => !last.includes(part)).sort((one, other) => other.total - one.total)
  const others = await Promise.all(Array.from({ length: SESSIONS - 1 }, () => connectCommand(url)))
  try {
    const work = async (session: PostgresConnection): Promise<void> => {
      // The copy is valid only after the last transaction, which waits for the disk.
      await session.exec('SET synchronous_commit = off')
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
        await copyTable(source, session, part, columnsOf(part.table.name), rows)
    }
    await Promise.all([target, ...others].map(work))
    for (const part of last) await copyTable(source, target, part, columnsOf(part.table.name), rows)
  } finally {
    await Promise.all(others.map(session => session.close()))
  }
  return rows.done
}

/** The rows of a table that are sent: those above `after`. */
type Part = { table: CopiedTable; after: number; total: number }

/** The part of each table that the target lacks, or may have in an earlier state. */
async function partsOf(source: SqliteConnection, target: PostgresConnection): Promise<Part[]> {
  const newest = `SELECT max(number) AS n FROM ${MODERATION}`
  const [known] = await target.query(newest)
  const moderated = known?.n !== source.one<{ n: number | null }>({ text: newest, values: [] })?.n
  const parts: Part[] = []
  for (const table of COPIED) {
    const { name, by, changes } = table
    const whole = changes === 'any' || changes === 'swept' || (changes === 'moderated' && moderated)
    // The last row may be one of several with the same number.
    const after = whole ? -1 : (await newestIn(target, name, by)) - 1
    const counting = { text: `SELECT count(*) AS n FROM ${name} WHERE ${by} > ?`, values: [after] }
    parts.push({ table, after, total: only(source.one<{ n: number }>(counting)).n })
  }
  return parts
}

/** An earlier copy has the salts of records that were erased since. */
const ERASED_SALTS: Query = { text: 'DELETE FROM salt WHERE record IN (SELECT record FROM erasure)', values: [] }

/** New rows get numbers above the copied ones. */
const continuing = (table: string): Query => ({
  text: `SELECT setval(pg_get_serial_sequence('${table}', 'number'), (SELECT coalesce(max(number), 0) + 1 FROM ${table}), false)`,
  values: [],
})

/** Copies the admissions of the last minute, which still count. */
function limits(source: SqliteConnection): Query[] {
  const windows = new Map<string, { bins: number[]; newest: number }>()
  for (const { key, bin, count } of source.all<{ key: string; bin: number; count: number }>(
    sql`SELECT key, bin, count FROM admission ORDER BY key, bin`,
  )) {
    const window = windows.get(key)
    if (window === undefined) windows.set(key, { bins: [bin, count], newest: bin })
    else {
      window.bins.push(bin, count)
      window.newest = bin
    }
  }
  const all = [...windows.values()]
  return [
    { text: 'DELETE FROM limiter', values: [] },
    {
      text: 'INSERT INTO limiter (key, log, at) SELECT key, log::bigint[], at FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k(key, log, at)',
      values: [[...windows.keys()], all.map(({ bins }) => `{${bins.join()}}`), all.map(({ newest }) => newest)],
    },
  ]
}

/** Copies the secrets of the directory: the digest of the admin token, the key of the origins, and the key that signs the public log. */
async function copySecrets(directory: string, target: PostgresConnection): Promise<void> {
  const [token, key, logKey] = [adminTokenFile(directory), originKeyFile(directory), logKeyFile(directory)]
  if (existsSync(token)) await shareTokenDigest(target, hash('sha256', ensureSecret(token), 'hex'))
  if (existsSync(key)) await shareOriginKey(target, ensureSecret(key))
  if (existsSync(logKey)) await shareLogKey(target, () => ensureSecret(logKey))
}

/** The maximum of rows, and of characters before the last row, in one statement. */
const BATCH = 2_000
const BATCH_CHARACTERS = 2_000_000

/**
 * How a table is updated. With `never`, rows do not change, so the table is read from the end of the last copy. With `moderated`, only
 * moderation and erasure change rows, so the table is read likewise unless there was moderation after that copy. With `any`, all rows are read. With
 * `swept`, rows are also deleted, so the copied table is emptied first. `by` is the column by which rows are read and continued; `key`
 * identifies a row. Without a key, which a partitioned table has not, rows that are read again are deleted before.
 */
export type CopiedTable = {
  name: string
  by: string
  key: readonly string[]
  changes: 'never' | 'moderated' | 'any' | 'swept'
}

const numbered = (name: string, changes: CopiedTable['changes']): CopiedTable => ({
  name,
  by: 'number',
  key: ['number'],
  changes,
})

const MODERATION = 'moderation'

/** The tables that grow with the store. Moderation is last: until its newest rows are copied, the next copy reads all rows that it may have changed. */
export const COPIED: readonly CopiedTable[] = [
  numbered('origin', 'any'),
  numbered('actor', 'any'),
  numbered('entry', 'any'),
  numbered('revision', 'moderated'),
  numbered('evidence', 'moderated'),
  numbered('relation', 'moderated'),
  { name: 'relation_end', by: 'relation', key: ['entry', 'ordinal'], changes: 'never' },
  { name: 'activity', by: 'sequence', key: [], changes: 'moderated' },
  numbered('retry', 'swept'),
  numbered('report', 'any'),
  { name: 'affected', by: 'act', key: ['actor', 'act'], changes: 'never' },
  numbered('appeal', 'any'),
  { name: 'entry_voice', by: 'entry', key: ['entry', 'voice'], changes: 'any' },
  numbered('log_bundle', 'any'),
  { name: 'log_tile', by: 'level', key: ['level', 'number'], changes: 'any' },
  { name: 'salt', by: 'record', key: ['record'], changes: 'never' },
  { name: 'erasure', by: 'record', key: ['record'], changes: 'any' },
  { name: 'entry_reader', by: 'entry', key: ['day', 'entry', 'origin'], changes: 'swept' },
  numbered(MODERATION, 'moderated'),
]

/** Small tables with deletions. They are replaced. */
export const REPLACED = [
  'origin_salt',
  'origin_block',
  'topic',
  'cooldown',
  'export_change',
  'log_epoch',
  'log_checkpoint',
  'log',
  'asked_topic',
  'moderation_count',
  'purge_progress',
] as const

/** The columns of a table in PostgreSQL and their types, in order. */
type Columns = readonly (readonly [name: string, type: string])[]

/** The largest value of a column; 0 if the table is empty. */
async function newestIn(target: PostgresConnection, table: string, column: string): Promise<number> {
  const [found] = await target.query<{ n: number | null }>(`SELECT max(${column}) AS n FROM ${table}`)
  return only(found).n ?? 0
}

/** Updates one table of the target from the source. */
async function copyTable(
  source: SqliteConnection,
  target: PostgresConnection,
  { table: { name, by, key, changes }, after, total }: Part,
  columns: Columns,
  rows: RowProgress,
): Promise<void> {
  if (changes === 'swept') await target.exec(`DELETE FROM ${name}`)
  if (total === 0) return
  rows.begin(name)
  if (key.length === 0) await target.query(`DELETE FROM ${name} WHERE ${by} > $1`, [after])
  const conflict = key.length === 0 ? '' : ` ON CONFLICT (${key.join()}) ${updateOf(name, key, columns)}`
  const insert = `${insertOf(name, columns)}${conflict}`
  const text = `SELECT ${namesOf(columns)} FROM ${name} WHERE ${by} > ? ORDER BY ${by}`
  for (const batch of batchesOf(source.each<Record<string, Value>>({ text, values: [after] }))) {
    await target.send([inserting(insert, columns, batch)])
    rows.add(batch.length)
  }
}

/** Groups rows for one statement each. */
function* batchesOf(rows: Iterable<Record<string, Value>>): Iterable<Record<string, Value>[]> {
  let batch: Record<string, Value>[] = []
  let characters = 0
  for (const row of rows) {
    batch.push(row)
    for (const name in row) characters += typeof row[name] === 'string' ? row[name].length : 0
    if (batch.length < BATCH && characters < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

const namesOf = (columns: Columns): string => columns.map(([column]) => column).join()

/** The statements that replace the rows of a small table. */
function replacing(source: SqliteConnection, name: string, columns: Columns): Query[] {
  const rows = source.all<Record<string, Value>>({ text: `SELECT ${namesOf(columns)} FROM ${name}`, values: [] })
  return [{ text: `DELETE FROM ${name}`, values: [] }, inserting(insertOf(name, columns), columns, rows)]
}

const insertOf = (name: string, columns: Columns): string =>
  `INSERT INTO ${name} (${namesOf(columns)}) SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`)})`

/** Unchanged rows are not written. */
function updateOf(name: string, key: readonly string[], columns: Columns): string {
  const others = columns.map(([column]) => column).filter(column => !key.includes(column))
  if (others.length === 0) return 'DO NOTHING'
  const excluded = others.map(column => `excluded.${column}`)
  return `DO UPDATE SET (${others}) = ROW(${excluded}) WHERE (${others.map(column => `${name}.${column}`)}) IS DISTINCT FROM (${excluded})`
}

const inserting = (text: string, columns: Columns, rows: readonly Record<string, Value>[]): Query => ({
  text,
  values: columns.map(([column]) => rows.map(row => row[column] as Value)),
})

/** Shows the progress of a copy of tables: the step, the rows of all tables, the rate and the time left. */
export class RowProgress {
  readonly #progress: Progress
  readonly #tables: number
  readonly #all: number
  readonly #began = performance.now()
  #steps = 0
  #done = 0

  /** `totals` has the number of rows to copy of each table. */
  constructor(progress: Progress, totals: ReadonlyMap<string, number>) {
    const counts = [...totals.values()].filter(count => count > 0)
    this.#progress = progress
    this.#tables = counts.length
    this.#all = counts.reduce((sum, count) => sum + count, 0)
  }

  /** The number of rows that were copied. */
  get done(): number {
    return this.#done
  }

  /** Begins a table that has rows to copy. */
  begin(table: string): void {
    this.#steps += 1
    this.#progress.phase(`Step ${this.#steps} of ${this.#tables}: copying ${table}`)
  }

  /** Adds copied rows. */
  add(rows: number): void {
    this.#done += rows
    this.#progress.update(
      () =>
        `Copied ${this.#done} of ${this.#all} rows, ${percent(this.#done, this.#all)}, ${pace(this.#done, this.#all, this.#began)}`,
    )
  }
}
