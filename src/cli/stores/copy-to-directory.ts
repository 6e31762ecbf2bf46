import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { only } from '../../engine/database.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Progress, sizeText } from '../../progress.ts'
import { adminTokenFile, digestOf, ensureSecret, logKeyFile, originKeyFile } from '../../secrets.ts'
import {
  findDataDirectory,
  indexFile,
  lockDataDirectory,
  partialStoreFile,
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
import { countLines, type Verdict } from '../check/check.ts'
import { EXIT, type Invocation, required, UsageError } from '../command.ts'
import { verifyCopy } from './backup.ts'
import { copyToDatabase } from './copy.ts'
import { fillStore, stateOfDatabase } from './partial-copy.ts'
import { assertNewestSchema, databaseUrlOf } from './snapshot.ts'
import { makeWholeFile, removePartial } from './whole-file.ts'

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

/**
 * Copies the store of a database into a directory without a store, and verifies the copy. No node may run. A copy that is interrupted leaves
 * a partial file, with which the next run continues.
 */
async function copyToDirectory(invocation: Invocation, url: string, wanted: string): Promise<number> {
  const { stdout, stderr } = invocation
  const isNew = !existsSync(resolve(wanted))
  using progress = createProgress(stderr)
  await using source = await connectCommand(url)
  const directory = prepareDataDirectory(wanted)
  using _lock = lockDataDirectory(directory)
  const [file, partial] = [storeFile(directory), partialStoreFile(directory)]
  const onFailure = (): void => {
    progress.end()
    if (existsSync(partial)) stderr.write(`${partial} has the rows so far; the same command continues.\n`)
    else if (isNew) rmSync(directory, { recursive: true, force: true })
  }
  if (existsSync(file)) throw new OperatorError(`${directory} has a store already; name another directory by --to.`)
  await assertCopyable(source)
  await beginReadOnly(source)
  const secrets = await listSharedSecrets(source)
  assertKeysFit(directory, secrets)
  const work = () => fillAndVerify(partial, source, progress, () => placeSecrets(directory, source, secrets))
  const { counts } = await makeWholeFile(file, OWNER_ONLY_FILE, work, { onFailure, resumes: true })
  for (const ending of ['', '-wal', '-shm']) rmSync(indexFile(directory) + ending, { force: true })
  progress.end()
  stdout.write(
    `${file} is the intact copy of the store in PostgreSQL: ${sizeText(statSync(file).size)}, all hashes are correct.\n${countLines(counts)}${adviceOf(directory, secrets)}`,
  )
  return EXIT.ok
}

/** Fills and verifies the file of a store, and places the secrets once the database is known to be the same as at the beginning. */
async function fillAndVerify(
  partial: string,
  source: PostgresConnection,
  progress: Progress,
  placeSecrets: () => Promise<void>,
): Promise<Verdict> {
  const state = await stateOfDatabase(source)
  await fillStore(partial, source, progress)
  progress.phase('Verifying')
  const verdict = await verifyCopy(partial, progress).catch(error => {
    removePartial(partial)
    throw error
  })
  await source.exec('COMMIT')
  await assertNoNodes(source)
  // Nothing that a node signed since then may be missing in the copy.
  if ((await stateOfDatabase(source)) !== state)
    throw new OperatorError('A node wrote to the database during the copy; stop all nodes, and copy again.')
  // The keys are there before the store has its name: a start without them would make others.
  await placeSecrets()
  return verdict
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
