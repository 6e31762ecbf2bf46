import { beginSnapshot } from '../../src/cli/stores/snapshot.ts'
import type { Reader } from '../../src/engine/database.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { beginReadOnly, connectCommand, readerThrough } from '../../src/stores/postgres/session.ts'
import { databaseOf, ENGINE } from './engine.ts'

/** Runs `check` on one state of a PostgreSQL database, in its own session. */
export async function inspectPostgres<T>(url: string, check: (store: Reader) => T | Promise<T>): Promise<T> {
  await using connection = await connectCommand(url)
  await beginReadOnly(connection)
  return await check(readerThrough(connection))
}

/** Runs `check` on one state of the store that a service with this data directory has, on the engine under test, while it may be served. */
export async function inspect<T>(dataDir: string, check: (store: Reader) => T | Promise<T>): Promise<T> {
  if (ENGINE === 'postgres') return inspectPostgres(await databaseOf(dataDir), check)
  using store = openSqlite(storeFile(dataDir), 'read')
  beginSnapshot(store)
  return await check(store)
}
