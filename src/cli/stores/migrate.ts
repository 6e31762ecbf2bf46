import { migrate, migratePostgres } from '../../engine/migrate.ts'
import { openSqlite } from '../../engine/sqlite.ts'
import { findDataDirectory, lockDataDirectory, storeFile } from '../../stores/embedded/directory.ts'
import { assertNotForeign, assertPrimary, assertTrustworthy } from '../../stores/postgres/checks.ts'
import { connectCommand } from '../../stores/postgres/session.ts'
import { EXIT, type Invocation } from '../command.ts'
import { databaseUrlOf, dataDirOf, openStoreOfAnySchema } from './snapshot.ts'

/** Applies the missing steps of the schema, and prints them. */
export async function migrateStore(invocation: Invocation): Promise<number> {
  const url = databaseUrlOf(invocation)
  const steps = url === undefined ? migrateEmbedded(invocation) : await migrateDatabase(url)
  const lines = steps.map(step => `Applied to the schema: ${step}`)
  if (lines.length === 0) lines.push('Nothing to do: the schema is the newest.')
  invocation.stdout.write(`${lines.join('\n')}\n`)
  return EXIT.ok
}

async function migrateDatabase(url: string): Promise<string[]> {
  await using connection = await connectCommand(url)
  await assertTrustworthy(connection)
  await assertPrimary(connection)
  await assertNotForeign(connection)
  return await migratePostgres(connection, Date.now())
}

function migrateEmbedded(invocation: Invocation): string[] {
  const directory = findDataDirectory(dataDirOf(invocation), storeFile)
  using _lock = lockDataDirectory(directory)
  openStoreOfAnySchema(storeFile(directory)).close()
  using connection = openSqlite(storeFile(directory), 'write')
  return migrate(connection, Date.now())
}
