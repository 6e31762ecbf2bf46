import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { StoreFault } from '../../src/engine/database.ts'
import { appliedToPostgres, migratePostgres } from '../../src/engine/migrate.ts'
import { connectPostgres, type PostgresConnection } from '../../src/engine/postgres.ts'
import { MIGRATIONS, type Migration } from '../../src/engine/schema.ts'
import { PostgresStore } from '../../src/stores/postgres/store.ts'
import { spawn } from '../support/children.ts'
import { columnOf } from '../support/client.ts'
import { databaseOf, dropDatabaseOf, NO_POSTGRES } from '../support/engine.ts'
import { GATE, STEPS, TABLES_PER_STEP } from './migrating-steps.ts'

const skip = NO_POSTGRES
const PATIENCE = 60_000

const connect = (url: string): Promise<PostgresConnection> =>
  connectPostgres({ url, name: 'test', statementTimeout: PATIENCE, idleTimeout: PATIENCE })

/** An empty database with a session, for as long as the test runs. */
async function openDatabase(t: TestContext, name = t.name): Promise<{ url: string; connection: PostgresConnection }> {
  const url = await databaseOf(name)
  const connection = await connect(url)
  t.after(async () => {
    await connection.close()
    await dropDatabaseOf(name)
  })
  return { url, connection }
}

async function ask<R>(connection: PostgresConnection, text: string): Promise<R[]> {
  const [result] = await connection.send([{ text, values: [] }])
  return (result?.rows ?? []) as R[]
}

/** Every table, column, index and function of the schema, and the steps that were applied. */
const dumpOf = async (connection: PostgresConnection): Promise<unknown[]> => [
  ...(await ask(
    connection,
    `SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity
       FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  )),
  ...(await ask(connection, `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`)),
  ...(await ask(connection, 'SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY conname, oid')),
  ...(await ask(connection, 'SELECT number, name, applied_at FROM migration ORDER BY number')),
]

test('an empty database migrates to the newest schema, and a second migration changes nothing', { skip }, async t => {
  const { connection } = await openDatabase(t)
  assert.deepEqual(await appliedToPostgres(connection), [])
  assert.deepEqual(
    await migratePostgres(connection, 1),
    MIGRATIONS.map(({ name }) => name),
  )
  const dump = await dumpOf(connection)
  assert.ok(dump.length > 100)
  assert.deepEqual(await migratePostgres(connection, 2), [])
  assert.deepEqual(await dumpOf(connection), dump)
})

test('no text column is compared by a locale', { skip }, async t => {
  const { connection } = await openDatabase(t)
  await migratePostgres(connection, 1)
  const languages = await ask(
    connection,
    `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C' AND table_name <> 'migration'`,
  )
  assert.deepEqual(languages, [])
})

/** Every step exists with all of its tables, or not at all. Returns the number of steps. */
async function assertWhole(connection: PostgresConnection): Promise<number> {
  const applied = new Set((await appliedToPostgres(connection)).map(({ number }) => number))
  for (const { number } of STEPS.slice(MIGRATIONS.length)) {
    const tables = await ask(connection, `SELECT tablename FROM pg_tables WHERE tablename LIKE 'step\\_${number}\\_%'`)
    assert.equal(tables.length, applied.has(number) ? TABLES_PER_STEP : 0, `step ${number}`)
  }
  return applied.size
}

test('twenty nodes that start at once migrate once', { skip }, async t => {
  const { url, connection } = await openDatabase(t)
  const starters = await Promise.all(Array.from({ length: 20 }, () => connect(url)))
  t.after(() => Promise.all(starters.map(starter => starter.close())))
  const taken = await Promise.all(starters.map(starter => migratePostgres(starter, 1, STEPS)))
  assert.deepEqual(taken.flat().sort(), STEPS.map(({ name }) => name).sort())
  assert.equal(await assertWhole(connection), STEPS.length)
})

/** Waits until a question has an answer with rows, or, with `none`, has one without. */
async function until(connection: PostgresConnection, text: string, none = false): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (((await ask(connection, text)).length === 0) !== none) {
    assert.ok(performance.now() < deadline, `in vain: ${text}`)
    await setTimeout(10)
  }
}

test('after a kill in the middle of any step, the next start continues with that step', { skip }, async t => {
  for (const { number } of STEPS.slice(MIGRATIONS.length)) {
    const { url, connection } = await openDatabase(t, `${t.name} ${number}`)
    const sessions = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'palimpsest migrating'`
    await ask(connection, `SELECT pg_advisory_lock(${GATE + number})`)
    const child = spawn(process.execPath, [join(import.meta.dirname, 'migrating-postgres.ts'), url], {
      stdio: 'ignore',
    })
    t.after(() => child.kill('SIGKILL'))
    await until(connection, `${sessions} AND wait_event_type = 'Lock' AND wait_event = 'advisory'`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await ask(connection, `SELECT pg_advisory_unlock(${GATE + number})`)
    await until(connection, sessions, true)
    assert.equal(await assertWhole(connection), number - 1)
    assert.deepEqual(
      await migratePostgres(connection, 1, STEPS),
      STEPS.slice(number - 1).map(({ name }) => name),
    )
    assert.equal(await assertWhole(connection), STEPS.length)
  }
})

test('a failed step is rolled back, and the steps before it stay', { skip }, async t => {
  const { connection } = await openDatabase(t)
  const broken: Migration = {
    ...{ number: 2, name: 'broken' },
    postgres: 'CREATE TABLE a (b BIGINT); CREATE TABLE a (b BIGINT);',
  }
  await assert.rejects(migratePostgres(connection, 1, [...MIGRATIONS, broken]), /already exists/)
  assert.deepEqual(columnOf(await appliedToPostgres(connection), 'name'), ['initial'])
  assert.deepEqual(await ask(connection, `SELECT tablename FROM pg_tables WHERE tablename = 'a'`), [])
})

const openStore = (t: TestContext, url: string) => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-schema-'))
  const [indexFile, logHeadFile] = [join(directory, 'search.db'), join(directory, 'log-head')]
  const store = new PostgresStore({
    ...{ url, indexFile, logHeadFile, readUrls: [], groupMax: 1 },
    onIndex() {},
    onReach() {},
  })
  t.after(async () => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return store
}

test('a database that another version wrote is refused with a sentence that names the remedy', { skip }, async t => {
  const { url, connection } = await openDatabase(t)
  await migratePostgres(connection, 1, STEPS.slice(0, 3))
  const dump = await dumpOf(connection)
  const isRefusal = (error: unknown): boolean =>
    error instanceof StoreFault &&
    error.kind === 'broken' &&
    /step 2 \(step-2\).*"palimpsest export".*"palimpsest import"/.test(error.message) &&
    !error.message.includes('\n')
  await assert.rejects(migratePostgres(connection, 2), isRefusal)
  const store = openStore(t, url)
  await assert.rejects(store.opened, isRefusal)
  assert.equal(store.readiness().ready, false)
  assert.deepEqual(await dumpOf(connection), dump)
})
