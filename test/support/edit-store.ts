import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import type { TestApp } from './app.ts'
import { withClient } from './cluster.ts'
import { databaseOf, ENGINE } from './engine.ts'

/** Changes the store of a running service directly, without the service. */
export async function editStore(
  { dataDir }: Pick<TestApp, 'dataDir'>,
  ...statements: readonly string[]
): Promise<void> {
  if (ENGINE === 'postgres') {
    await withClient(await databaseOf(dirname(dataDir)), async client => {
      for (const statement of statements) await client.query(statement)
    })
    return
  }
  const database = new DatabaseSync(storeFile(dataDir), { enableForeignKeyConstraints: false, timeout: 5_000 })
  for (const statement of statements) database.exec(statement)
  database.close()
}
