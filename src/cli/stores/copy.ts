import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { migratePostgres, readColumnTypes } from '../../database/migrate.ts'
import type { PostgresConnection, Query } from '../../database/postgres.ts'
import { sql } from '../../database/sql.ts'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { findDataDirectory, isServed } from '../../embedded/data-directory.ts'
import { storeFile } from '../../embedded/files.ts'
import { OperatorError } from '../../operator-error.ts'
import { assertPrimary, assertTrustworthy } from '../../postgres/checks.ts'
import { beginCopying, endCopying, readCopyTarget } from '../../postgres/copying.ts'
import { shareOriginKey, shareTokenDigest } from '../../postgres/secrets.ts'
import { connectCommand } from '../../postgres/snapshot.ts'
import { adminTokenFile, ensureSecret, originKeyFile } from '../../secrets.ts'
import { readHead } from '../../store/head.ts'
import { countLines, type Verdict, verifyStore } from '../check/store.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { assertNoMirror } from '../mirror/assert.ts'
import { createProgress, type Progress } from '../progress.ts'
import { COPIED, type Columns, copyTable, REPLACED, replacing } from './copy-tables.ts'
import { databaseUrlOf } from './data-dir.ts'
import { beginSnapshot, openStoreForReading } from './open-store.ts'
import { openDatabaseSnapshot } from './snapshot.ts'

/** Copies the present state of an embedded store into PostgreSQL, or updates an earlier copy, and verifies the copy. */
export async function copyStore(invocation: Invocation): Promise<number> {
  const directory = findDataDirectory(
    required(invocation, 'from', 'the data directory of the embedded store'),
    storeFile,
  )
  const url = invocation.flags.to ?? databaseUrlOf(invocation)
  if (url === undefined || !/^postgres(ql)?:\/\//.test(url)) {
    throw new UsageError(
      '--to is missing; it names the database, as postgres://user@host/name. You can set DATABASE_URL instead.',
    )
  }
  const began = performance.now()
  const progress = createProgress(invocation.stderr)
  const servedBefore = isServed(directory)
  const source = openStoreForReading(storeFile(directory))
  try {
    beginSnapshot(source)
    const mayGrow = () => servedBefore || isServed(directory)
    await assertNoMirror(source, 'copy the store of that server')
    const target = await connectCommand(url)
    try {
      await prepare(source, target)
      const sent = await copyAll(source, target, mayGrow, progress)
      await copySecrets(directory, target)
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      progress.phase(`Sent ${sent} rows in ${seconds} s; verifying`)
    } finally {
      await target.close()
    }
    const { counts, damage } = await verifyTarget(url, progress)
    progress.end()
    if (damage !== undefined) throw new OperatorError(`The copy is damaged; copy into an empty database. ${damage}`)
    invocation.stdout.write(`The copy in PostgreSQL is intact: all hashes are correct.\n${countLines(counts)}`)
    invocation.stdout.write(`${mayGrow() ? GO_ON : DONE}\n`)
    return EXIT.ok
  } finally {
    progress.end()
    source.close()
  }
}

async function verifyTarget(url: string, progress: Progress): Promise<Verdict> {
  const snapshot = await openDatabaseSnapshot(url)
  try {
    return await verifyStore(snapshot, progress)
  } finally {
    await snapshot.close()
  }
}

const GO_ON =
  'The store is still served. Stop the service, run the same command again for the new records, then start the service with DATABASE_URL.'
const DONE = 'Start the service with DATABASE_URL now. The old directory is unchanged.'

/** Creates the schema in the database. Throws if the database has a store that must not be overwritten. */
async function prepare(source: SqliteConnection, target: PostgresConnection): Promise<void> {
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
  await beginCopying(target, storeId)
}

/** Makes a node on the copy begin another log, because the store may still sign more records. The last copy restores the column. */
const ENDING_LOG = `UPDATE log_epoch SET store_id = '' WHERE number = (SELECT max(number) FROM log_epoch)`

/**
 * Copies all rows. The head is last, with all data that a node needs to start; until then, no node serves the database. `mayGrow` returns
 * whether the store may have more records than its copy.
 */
async function copyAll(
  source: SqliteConnection,
  target: PostgresConnection,
  mayGrow: () => boolean,
  progress: Progress,
): Promise<number> {
  const types = await readColumnTypes(target)
  const columnsOf = (name: string): Columns => {
    const columns = types.get(name)
    if (columns === undefined) throw new Error(`The database has no table ${name}.`)
    return [...columns]
  }
  const newest = 'SELECT max(number) AS n FROM moderation'
  const [known] = await target.query(newest)
  const moderated = known?.n !== source.one<{ n: number | null }>({ text: newest, values: [] })?.n
  let sent = 0
  // The copy is valid only after the last transaction, which waits for the disk.
  await target.exec('SET synchronous_commit = off')
  for (const table of COPIED) sent += await copyTable(source, target, table, columnsOf(table.name), moderated, progress)
  await target.exec('SET synchronous_commit = on; BEGIN')
  for (const name of [...REPLACED, 'head']) await target.send(replacing(source, name, columnsOf(name)))
  await target.send([
    ...limits(source),
    ...COPIED.flatMap(({ by, name }) => (by === 'number' ? [continuing(name)] : [])),
    ...(mayGrow() ? [{ text: ENDING_LOG, values: [] }] : []),
  ])
  const last = source.one<{ at: number | null }>(sql`SELECT max(created_at) AS at FROM activity`)?.at
  await endCopying(target, (await readHead(source)).store_id, last ?? 0)
  await target.exec('COMMIT')
  return sent
}

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

/** Copies the secrets of the directory: the digest of the admin token, and the key of the origins. */
async function copySecrets(directory: string, target: PostgresConnection): Promise<void> {
  const [token, key] = [adminTokenFile(directory), originKeyFile(directory)]
  if (existsSync(token)) await shareTokenDigest(target, hash('sha256', ensureSecret(token), 'hex'))
  if (existsSync(key)) await shareOriginKey(target, ensureSecret(key))
}
