import { resolve } from 'node:path'
import { findDataDirectory } from '../embedded/data-directory.ts'
import { storeFile } from '../embedded/files.ts'
import { EXIT, type Invocation } from './command.ts'
import { dataDirOf } from './data-dir.ts'
import { beginSnapshot, openStoreForReading } from './open-store.ts'
import { createProgress } from './progress.ts'
import { countLines, verifyStore } from './verify-store.ts'

/** Verifies a store in place, or a backup, and tells what it holds. */
export async function verify(invocation: Invocation): Promise<number> {
  const { file } = invocation.flags
  const path = file === undefined ? storeFile(findDataDirectory(dataDirOf(invocation), storeFile)) : resolve(file)
  const connection = openStoreForReading(path)
  const progress = createProgress()
  try {
    beginSnapshot(connection)
    const { counts, damage } = await verifyStore(connection, progress)
    progress.end()
    if (damage !== undefined) {
      process.stderr.write(`${damage}\n`)
      return EXIT.failed
    }
    process.stdout.write(`${path} is whole: every hash is as recomputed.\n${countLines(counts)}`)
    return EXIT.ok
  } finally {
    progress.end()
    connection.close()
  }
}
