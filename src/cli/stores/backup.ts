import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { OperatorError } from '../../operator-error.ts'
import { createProgress, type Progress, percent, sizeText } from '../../progress.ts'
import { findDataDirectory, storeFile } from '../../stores/embedded/directory.ts'
import { saveLedgers } from '../../stores/erasure-ledger.ts'
import { OWNER_ONLY_FILE } from '../../sync-path.ts'
import { countLines, type Verdict, verifyStore } from '../check/check.ts'
import { EXIT, type Invocation, required } from '../command.ts'
import { appendChecksum } from './checksum.ts'
import { assertEmbedded, beginSnapshot, dataDirOf, openFileSnapshot, openStoreForReading } from './snapshot.ts'
import { makeWholeFile } from './whole-file.ts'

/**
 * Removes data from a copy that must not leave the machine. Whole tables are emptied, because only that zeroes every byte of their pages.
 * Therefore origins are copied aside without their network keys, emptied, and inserted again.
 */
const SCRUB = `
PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF;
DELETE FROM origin_salt; DELETE FROM admission; DELETE FROM cooldown; DELETE FROM retry;
CREATE TEMP TABLE kept AS SELECT number, id, day, NULL AS network_key, anonymous_actors, quarantined, blocked, voice FROM origin;
DELETE FROM main.origin;
INSERT INTO main.origin (number, id, day, network_key, anonymous_actors, quarantined, blocked, voice) SELECT * FROM kept;
DROP TABLE kept;
PRAGMA application_id = 0`

/**
 * Copies the present state of the store, also while it is served, and checks the copy before it is renamed. The file ends with a checksum of
 * all its bytes.
 */
export async function backupStore(invocation: Invocation): Promise<number> {
  assertEmbedded(invocation, 'backup', 'dump PostgreSQL with pg_dump, as docs/operating.md describes')
  const file = resolve(required(invocation, 'to', 'the file to create'))
  const source = storeFile(findDataDirectory(dataDirOf(invocation), storeFile))
  const began = performance.now()
  using progress = createProgress(invocation.stderr)
  await saveLedgerOf(source, dirname(file))
  const { counts, digest } = await makeWholeFile(file, OWNER_ONLY_FILE, async partial => {
    await copyStore(source, partial, progress)
    const verdict = await verifyCopy(partial, progress)
    return { ...verdict, digest: await appendChecksum(partial) }
  })
  progress.end()
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  invocation.stdout.write(
    `${file} is a complete copy of the store: ${sizeText(statSync(file).size)} in ${seconds} s.\n${countLines(counts)}Its checksum is SHA-256 ${digest}.\n`,
  )
  return EXIT.ok
}

/** Adds the erasures of a store to the ledger beside its backups, which earlier backups need too. */
async function saveLedgerOf(source: string, directory: string): Promise<void> {
  using connection = openStoreForReading(source)
  await saveLedgers([directory], connection)
}

async function copyStore(source: string, target: string, progress: Progress): Promise<void> {
  {
    using connection = openStoreForReading(source)
    progress.phase('Copying the store')
    // The copy reads inside this transaction, so that a writer does not restart it.
    beginSnapshot(connection)
    await copyDatabase(connection, target, progress)
  }
  using copy = new DatabaseSync(target)
  copy.exec(SCRUB)
}

/** Verifies a copy of a store. Throws if it is damaged. */
export async function verifyCopy(file: string, progress: Progress): Promise<Verdict> {
  await using snapshot = openFileSnapshot(file)
  const verdict = await verifyStore(snapshot, progress)
  if (verdict.damage !== undefined) throw new OperatorError(`The copy is damaged and was deleted. ${verdict.damage}`)
  return verdict
}

/** Pages that are copied in one turn of the event loop. */
const PAGES_PER_STEP = 1_024

/** Copies the state that a connection reads to a new file. The connection is in a transaction, so that a writer does not restart the copy. */
export async function copyDatabase(source: SqliteConnection, target: string, progress: Progress): Promise<void> {
  await backup(source.raw, target, {
    rate: PAGES_PER_STEP,
    progress: ({ totalPages, remainingPages }) =>
      progress.update(() => `Copied ${percent(totalPages - remainingPages, totalPages)}`),
  })
}
