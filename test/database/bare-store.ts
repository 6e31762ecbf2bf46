import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Reader } from '../../src/engine/database.ts'
import { migrate } from '../../src/engine/migrate.ts'
import { openSqlite, type SqliteConnection, transact } from '../../src/engine/sqlite.ts'
import { createContexts } from '../../src/memory/commands.ts'
import { insertHead } from '../../src/memory/head-rows.ts'
import type { CheckedWrite, WriteAnswer, WriteName } from '../../src/memory/operation.ts'
import { runWrite } from '../../src/memory/run.ts'
import { PostgresStore } from '../../src/stores/postgres/store.ts'
import { databaseWithTables, dropDatabaseOf } from '../support/engine.ts'

/** The operations that write, over an empty store without the service. Its clock does not advance. */
export type BareStore = { reader: Reader; write(name: WriteName, request: CheckedWrite): Promise<WriteAnswer> }

const ENVIRONMENT = { at: 1_000, cooldown: 0, dataClass: 'EXTERNAL' } as const

/** An embedded store that ends with the test. */
export async function openEmbedded(t: TestContext): Promise<BareStore & { connection: SqliteConnection }> {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-bare-'))
  const store = openSqlite(join(directory, 'store.db'), 'write')
  t.after(() => {
    store.close()
    rmSync(directory, { recursive: true, force: true })
  })
  migrate(store, 1)
  await insertHead(store, '01990000-0000-7000-8000-000000000000')
  const contextOf = createContexts()
  return {
    reader: store,
    connection: store,
    write: (name, request) => transact(store, tx => runWrite(name, tx, contextOf(ENVIRONMENT), request)),
  }
}

/** A store in a PostgreSQL database of its own that ends with the test. */
export async function openPostgres(t: TestContext): Promise<BareStore> {
  const url = await databaseWithTables(t.name)
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-bare-'))
  const [indexFile, logHeadFile] = [join(directory, 'search.db'), join(directory, 'log-head')]
  const store = new PostgresStore({
    ...{ url, indexFile, logHeadFile, readUrls: [], groupMax: 256 },
    onIndex() {},
    onReach() {},
  })
  t.after(async () => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
    await dropDatabaseOf(t.name)
  })
  await store.opened
  return { reader: store.reader, write: (name, request) => store.write(name, request, ENVIRONMENT) }
}
