import { readerOf } from '../../src/database/batch.ts'
import type { Reader } from '../../src/database/database.ts'
import { mergeStatements } from '../../src/database/merge.ts'
import { connectPostgres } from '../../src/database/postgres.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { storeFile } from '../../src/embedded/files.ts'
import { databaseOf, ENGINE } from './engine.ts'

const STATEMENT_TIMEOUT = 60_000

/** Runs `check` on a PostgreSQL database, through a session of its own. */
export async function inspectPostgres<T>(url: string, check: (store: Reader) => T | Promise<T>): Promise<T> {
  const session = { url, name: 'test', statementTimeout: STATEMENT_TIMEOUT, idleTimeout: STATEMENT_TIMEOUT }
  const connection = await connectPostgres(session)
  try {
    const reader = readerOf(async statement => {
      const { queries, split } = mergeStatements([statement], new Map())
      const [result] = split(await connection.send(queries))
      if (result === undefined || result instanceof Error) throw result ?? new Error('No answer.')
      return result
    })
    return await check(reader)
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
