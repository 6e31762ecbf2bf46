import { migrate } from '../database/migrate.ts'
import { openSqlite } from '../database/sqlite.ts'
import { findDataDirectory, lockDataDirectory } from '../embedded/data-directory.ts'
import { storeFile } from '../embedded/files.ts'
import { EXIT, type Invocation } from './command.ts'
import { dataDirOf } from './data-dir.ts'
import { openStoreOfAnySchema } from './open-store.ts'

/** Brings a store to the newest schema and tells the steps it took. */
export async function migrateStore(invocation: Invocation): Promise<number> {
  const directory = findDataDirectory(dataDirOf(invocation), storeFile)
  const unlock = lockDataDirectory(directory)
  try {
    openStoreOfAnySchema(storeFile(directory)).close()
    const connection = openSqlite(storeFile(directory), 'write')
    try {
      const steps = migrate(connection, Date.now())
      const lines =
        steps.length === 0 ? ['Nothing to do: the schema is the newest.'] : steps.map(step => `Taken: ${step}`)
      process.stdout.write(`${lines.join('\n')}\n`)
    } finally {
      connection.close()
    }
    return EXIT.ok
  } finally {
    unlock()
  }
}
