import { randomUUID } from 'node:crypto'
import { chmodSync, constants, copyFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { migrate } from '../../engine/migrate.ts'
import { openSqlite, rewriteFile, type SqliteConnection, transact } from '../../engine/sqlite.ts'
import { createContexts } from '../../memory/commands.ts'
import { renewHead, SEQUENCE_GAP } from '../../memory/head-rows.ts'
import type { LedgerRow } from '../../memory/moderation/erase-rows.ts'
import { applyErasures } from '../../memory/moderation/moderate.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Progress, sizeText } from '../../progress.ts'
import { originKeyFile } from '../../secrets.ts'
import { indexFile, lockDataDirectory, prepareDataDirectory, storeFile } from '../../stores/embedded/directory.ts'
import { readLedger } from '../../stores/erasure-ledger.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'
import { countLines, type Verdict } from '../check/check.ts'
import { EXIT, type Invocation, required } from '../command.ts'
import { verifyCopy } from './backup.ts'
import { readChecksum, removeChecksum } from './checksum.ts'
import { assertEmbedded, dataDirOf, openStoreOfAnySchema } from './snapshot.ts'
import { makeWholeFile } from './whole-file.ts'

const COMPANIONS = ['', '-wal', '-shm', '-journal']

/** Creates a store from a backup. Throws if the directory has a store or files of one. On failure, no file stays. */
export async function restoreStore(invocation: Invocation): Promise<number> {
  assertEmbedded(invocation, 'restore', 'restore PostgreSQL with pg_restore, as docs/operating.md describes')
  const from = resolve(required(invocation, 'from', 'the backup'))
  assertBackup(from)
  const ignoresChecksum = invocation.switches.has('ignore-checksum')
  const wanted = resolve(dataDirOf(invocation))
  const isNew = !existsSync(wanted)
  const directory = prepareDataDirectory(wanted)
  const removeNew = (): void => {
    if (isNew) rmSync(directory, { recursive: true, force: true })
  }
  using progress = createProgress(invocation.stderr)
  using _lock = lockDataDirectory(directory)
  assertEmpty(directory)
  const target = storeFile(directory)
  const ledger = [dirname(from), directory].flatMap(readLedger)
  const fillIn = (partial: string) => fill(partial, { from, checked: !ignoresChecksum, ledger }, progress)
  const { counts, erased } = await makeWholeFile(target, OWNER_ONLY_FILE, fillIn, { onFailure: removeNew })
  // The directory may have the index of another store. The next start builds a new one.
  for (const ending of COMPANIONS) rmSync(indexFile(directory) + ending, { force: true })
  progress.end()
  const unchecked = ignoresChecksum ? ` The checksum was not checked.` : ''
  invocation.stdout.write(
    `${target} is restored and intact: ${sizeText(statSync(target).size)}.${unchecked}\n${countLines(counts)}${erased === 0 ? '' : erasedLine(erased)}${keyAdvice(directory)}\n`,
  )
  return EXIT.ok
}

const erasedLine = (erased: number): string =>
  `${erased} ${erased === 1 ? 'record was' : 'records were'} erased, as the ledger beside the backup says.\n`

type Filling = { from: string; checked: boolean; ledger: readonly LedgerRow[] }
type Filled = Verdict & { erased: number }

async function fill(partial: string, { from, checked, ledger }: Filling, progress: Progress): Promise<Filled> {
  progress.phase('Copying the backup')
  copyFileSync(from, partial, constants.COPYFILE_FICLONE)
  if (checked) await assertChecksum(partial, from)
  removeChecksum(partial)
  // The copy has the mode of the backup.
  chmodSync(partial, OWNER_ONLY_FILE)
  let erased: number
  {
    using connection = openSqlite(partial, 'write')
    for (const step of migrate(connection, Date.now())) progress.phase(`Migrated: ${step}`)
    await renewHead(connection, randomUUID(), SEQUENCE_GAP)
    erased = await eraseAgain(connection, ledger, progress)
    // All data must be in the one file that is renamed.
    connection.exec('PRAGMA journal_mode = DELETE')
  }
  return { ...(await verifyCopy(partial, progress)), erased }
}

/** Erases what was erased after the backup was made. Returns how many records the backup had. */
async function eraseAgain(
  connection: SqliteConnection,
  ledger: readonly LedgerRow[],
  progress: Progress,
): Promise<number> {
  if (ledger.length === 0) return 0
  progress.phase('Applying the ledger of erasures')
  const context = createContexts()({ at: Date.now(), cooldown: 0, dataClass: 'INTERNAL' })
  const erased = await transact(connection, tx => applyErasures(tx, context, ledger))
  if (erased > 0) await rewriteFile(connection)
  return erased
}

/** Throws OperatorError unless the copy of a backup has the bytes of the original backup. */
async function assertChecksum(copy: string, from: string): Promise<void> {
  const { found } = await readChecksum(copy)
  if (found === 'wrong') {
    throw new OperatorError(
      `The checksum of ${from} is wrong: the file was damaged or changed after its creation; restore another backup, or check this one with "palimpsest check --file" and add --ignore-checksum.`,
    )
  }
  if (found === 'none') {
    throw new OperatorError(
      `${from} has no checksum: it is incomplete, or not a backup; add --ignore-checksum if you trust its source.`,
    )
  }
}

function assertBackup(from: string): void {
  if (!existsSync(from)) throw new OperatorError(`There is no file ${from}; name one that "palimpsest backup" created.`)
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0) {
    throw new OperatorError(
      `${from} is a store in use, with its newest part in ${from}-wal; make a backup of it with "palimpsest backup" and restore that.`,
    )
  }
  openStoreOfAnySchema(from).close()
}

function assertEmpty(directory: string): void {
  const found = COMPANIONS.map(ending => storeFile(directory) + ending).find(path => existsSync(path))
  if (found !== undefined) {
    throw new OperatorError(`${directory} has a store already (${found}); restore into another directory.`)
  }
}

const keyAdvice = (directory: string): string =>
  existsSync(originKeyFile(directory))
    ? `Blocks of origins work if ${originKeyFile(directory)} is the key of the original store, which no backup contains.`
    : `Blocks of origins work only with the old key, which no backup contains: copy origin-key to ${originKeyFile(directory)} (mode 0600), or set ORIGIN_KEY, before the first start.`
