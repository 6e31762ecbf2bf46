import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { only } from '../../engine/database.ts'
import { migrate, readColumnTypes } from '../../engine/migrate.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { sql, type Value } from '../../engine/sql.ts'
import { openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Progress, percent, sizeText } from '../../progress.ts'
import { adminTokenFile, digestOf, ensureSecret, logKeyFile, originKeyFile } from '../../secrets.ts'
import {
  findDataDirectory,
  indexFile,
  lockDataDirectory,
  prepareDataDirectory,
  storeFile,
} from '../../stores/embedded/directory.ts'
import { assertPrimary } from '../../stores/postgres/checks.ts'
import { assertWhollyCopied } from '../../stores/postgres/prepare.ts'
import { listSharedSecrets, type SharedSecrets } from '../../stores/postgres/secrets.ts'
import { beginReadOnly, connectCommand, readerThrough } from '../../stores/postgres/session.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'
import { createLogAnswers } from '../../tlog/answers.ts'
import { logHeadFile } from '../../tlog/key-files.ts'
import { findCheckpoint } from '../../tlog/rows.ts'
import { countLines } from '../check/check.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { verifyCopy } from './backup.ts'
import { COPIED, copyToDatabase, REPLACED } from './copy.ts'
import { assertNewestSchema, databaseUrlOf } from './snapshot.ts'
import { makeWholeFile } from './whole-file.ts'

const isDatabase = (place: string | undefined): place is string => /^postgres(ql)?:\/\//.test(place ?? '')

/** Copies a store from one engine to the other, and verifies the copy. DATABASE_URL is the database that no flag names. */
export async function copyStore(invocation: Invocation): Promise<number> {
  const { from, to } = invocation.flags
  const database = databaseUrlOf(invocation)
  if (to !== undefined && !isDatabase(to)) {
    const source = from ?? database
    if (isDatabase(source)) return copyToDirectory(invocation, source, to)
    throw new UsageError('One of --from and --to names a database, as postgres://user@host/name, or DATABASE_URL does.')
  }
  const directory = required(invocation, 'from', 'the data directory of the embedded store')
  const url = to ?? database
  if (isDatabase(url)) return copyToDatabase(invocation, findDataDirectory(directory, storeFile), url)
  throw new UsageError(
    '--to is missing; it names the database, as postgres://user@host/name. You can set DATABASE_URL instead.',
  )
}

/** Copies the store of a database into a directory without a store, and verifies the copy. No node may run. */
async function copyToDirectory(invocation: Invocation, url: string, wanted: string): Promise<number> {
  const isNew = !existsSync(resolve(wanted))
  const progress = createProgress(invocation.stderr)
  const source = await connectCommand(url)
  const directory = prepareDataDirectory(wanted)
  const unlock = lockDataDirectory(directory)
  try {
    const file = storeFile(directory)
    if (existsSync(file)) throw new OperatorError(`${directory} has a store already; name another directory by --to.`)
    await assertCopyable(source)
    await beginReadOnly(source)
    const secrets = await listSharedSecrets(source)
    assertKeysFit(directory, secrets)
    const { counts } = await makeWholeFile(
      file,
      OWNER_ONLY_FILE,
      async partial => {
        await fill(partial, source, progress)
        progress.phase('Verifying')
        const verdict = await verifyCopy(partial, progress)
        // Nothing that a node signed since then may be missing in the copy.
        await assertNoNodes(source)
        // The keys are there before the store has its name: a start without them would make others.
        await placeSecrets(directory, source, secrets)
        return verdict
      },
      () => isNew && rmSync(directory, { recursive: true, force: true }),
    )
    for (const ending of ['', '-wal', '-shm']) rmSync(indexFile(directory) + ending, { force: true })
    progress.end()
    invocation.stdout.write(
      `${file} is the intact copy of the store in PostgreSQL: ${sizeText(statSync(file).size)}, all hashes are correct.\n${countLines(counts)}${adviceOf(directory, secrets)}`,
    )
    return EXIT.ok
  } finally {
    progress.end()
    unlock()
    await source.close()
  }
}

/** Throws OperatorError unless the database has a whole store of this version, which no node serves. */
async function assertCopyable(source: PostgresConnection): Promise<void> {
  await assertNewestSchema(source)
  await assertPrimary(source)
  await assertWhollyCopied(source)
  await assertNoNodes(source)
}

/** The sessions of a node that was stopped a moment ago may take so long to end, in milliseconds. */
const ENDING_MS = 5_000
const ENDING_PAUSE_MS = 100

async function assertNoNodes(source: PostgresConnection): Promise<void> {
  const until = performance.now() + ENDING_MS
  do {
    // Within a transaction, PostgreSQL would repeat its first answer.
    await source.query('SELECT pg_stat_clear_snapshot()')
    const [found] = await source.query<{ nodes: number }>(
      `SELECT count(*) AS nodes FROM pg_stat_activity
        WHERE datname = current_database() AND application_name IN ('palimpsest writer', 'palimpsest heartbeat')`,
    )
    if (only(found).nodes === 0) return
    await setTimeout(ENDING_PAUSE_MS)
  } while (performance.now() < until)
  throw new OperatorError('A node still serves the database; stop all nodes, and copy again.')
}

async function fill(partial: string, source: PostgresConnection, progress: Progress): Promise<void> {
  const target = openSqlite(partial, 'write')
  try {
    migrate(target, Date.now())
    // An interrupted copy is deleted. The whole file is checked, and synced before it gets its name.
    target.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
    const types = await readColumnTypes(source)
    for (const name of [...COPIED.map(table => table.name), ...REPLACED, 'head'])
      await copyRows(source, target, name, [...(types.get(name)?.keys() ?? [])], progress)
    await copyAdmissions(source, target)
    target.exec('PRAGMA journal_mode = DELETE')
  } finally {
    target.close()
  }
}

/** Rows per round trip. A revision can have 50 kB. */
const BATCH = 500

async function copyRows(
  source: PostgresConnection,
  target: SqliteConnection,
  name: string,
  columns: readonly string[],
  progress: Progress,
): Promise<void> {
  const { total } = only((await source.query<{ total: number }>(`SELECT count(*) AS total FROM ${name}`))[0])
  if (total > BATCH) progress.phase(`Copying ${name}`)
  const text = `INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`
  await source.exec(`DECLARE copy_${name} NO SCROLL CURSOR FOR SELECT ${columns.join()} FROM ${name}`)
  target.step('BEGIN')
  target.exec(`DELETE FROM ${name}`)
  for (let copied = 0; ; ) {
    const rows = await source.query<Record<string, Value>>(`FETCH ${BATCH} FROM copy_${name}`)
    for (const row of rows) target.run({ text, values: columns.map(column => row[column] as Value) })
    copied += rows.length
    progress.update(() => `Copied ${copied} of ${total} rows of ${name}, ${percent(copied, total)}`)
    if (rows.length < BATCH) break
  }
  target.step('COMMIT')
  await source.exec(`CLOSE copy_${name}`)
}

/** Copies the admissions of the last minute, which still count. */
async function copyAdmissions(source: PostgresConnection, target: SqliteConnection): Promise<void> {
  for (const { key, log } of await source.query<{ key: string; log: string[] }>('SELECT key, log FROM limiter')) {
    for (let at = 0; at < log.length; at += 2)
      target.run(sql`
        INSERT INTO admission (bin, key, count) VALUES (${Number(log[at])}, ${key}, ${Number(log[at + 1])})
        ON CONFLICT (bin, key) DO UPDATE SET count = count + excluded.count`)
  }
}

/** The keys that the database has for its nodes, each with its file in a directory. */
const keysOf = (directory: string, { originKey, logKey }: SharedSecrets): [path: string, key: string | undefined][] => [
  [originKeyFile(directory), originKey],
  [logKeyFile(directory), logKey],
]

function assertKeysFit(directory: string, secrets: SharedSecrets): void {
  const other = keysOf(directory, secrets).find(
    ([path, key]) => key !== undefined && existsSync(path) && readFileSync(path, 'utf8').trim() !== key.trim(),
  )
  if (other !== undefined)
    throw new OperatorError(`${other[0]} is another key than that of the database; move it away.`)
}

/** Writes the keys, and the last checkpoint that the nodes published: the start continues the public log from it. */
async function placeSecrets(directory: string, source: PostgresConnection, secrets: SharedSecrets): Promise<void> {
  for (const [path, key] of keysOf(directory, secrets))
    if (key !== undefined) ensureSecret(path, () => `${key.trim()}\n`)
  const reader = readerThrough(source)
  const checkpoint = await findCheckpoint(reader)
  if (checkpoint === undefined) return
  const answer = createLogAnswers({ reader: async () => reader, headFile: logHeadFile(directory), alone: true })
  await answer({ ask: 'keep', note: checkpoint.note })
}

function adviceOf(directory: string, { adminDigest, originKey, logKey }: SharedSecrets): string {
  const token = adminTokenFile(directory)
  const hasToken = existsSync(token) && digestOf(readFileSync(token, 'utf8').trim()) === adminDigest
  const settings = [
    ...(originKey === undefined ? ['ORIGIN_KEY'] : []),
    ...(logKey === undefined ? ['TLOG_KEY'] : []),
    ...(adminDigest === undefined ? ['ADMIN_TOKEN'] : []),
  ]
  const lines = [
    ...(adminDigest === undefined || hasToken
      ? []
      : [
          `The database has only the digest of the admin token: copy the file admin-token of the node that made it to ${token}, or the first start makes another one.`,
        ]),
    ...(settings.length === 0 ? [] : [`Set the ${settings.join(', ')} of the nodes for the service too.`]),
    `Start the service with DATA_DIR=${directory} and without DATABASE_URL. Never start a node on the database again: it would sign another history with the same key.`,
  ]
  return `${lines.join('\n')}\n`
}
