import type { Reader } from '../../src/database/database.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { storeFile } from '../../src/embedded/files.ts'
import { connectCommand, readerThrough } from '../../src/postgres/snapshot.ts'
import { databaseOf, ENGINE } from './engine.ts'

/** Runs `check` on a PostgreSQL database, through a session of its own. */
export async function inspectPostgres<T>(url: string, check: (store: Reader) => T | Promise<T>): Promise<T> {
  const connection = await connectCommand(url)
  try {
    return await check(readerThrough(connection))
  } finally {
    await connection.close()
  }
}

/** Runs `check` on the store that a service with this data directory has, on the engine under test, through a connection of its own that only reads. */
export async function inspect<T>(dataDir: string, check: (store: Reader) => T | Promise<T>): Promise<T> {
  if (ENGINE === 'postgres') return inspectPostgres(await databaseOf(dataDir), check)
  const store = openSqlite(storeFile(dataDir), 'read')
  try {
    return await check(store)
  } finally {
    store.close()
  }
}
