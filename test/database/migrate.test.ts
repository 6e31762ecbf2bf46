import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { StoreFault, sql } from '../../src/engine/database.ts'
import { appliedMigrations, migrate } from '../../src/engine/migrate.ts'
import { MIGRATIONS, type Migration } from '../../src/engine/schema.ts'
import { openSqlite, type SqliteConnection } from '../../src/engine/sqlite.ts'
import { spawn } from '../support/children.ts'
import { columnOf } from '../support/client.ts'
import { STEPS, TABLES_PER_STEP } from './migrating-steps.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-migrate-'))
after(() => rmSync(directory, { recursive: true, force: true }))

let made = 0
const freshPath = (): string => join(directory, `${made++}.db`)

function withStore<T>(path: string, work: (connection: SqliteConnection) => T): T {
  using connection = openSqlite(path, 'write')
  return work(connection)
}

/** The schema as SQLite stores it, one object per paragraph. */
const dumpOf = (connection: SqliteConnection): string =>
  connection
    .all<{ sql: string }>(sql`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name`)
    .map(row => `${row.sql};\n`)
    .join('\n')

/** Migrates in a process of its own. Returns its outcome. */
function migrateApart(
  path: string,
  crashAt = '',
): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'migrating.ts'), path, crashAt])
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stderr }))
  })
}

test('an empty store migrates to the newest schema, and a second migration changes nothing', () => {
  withStore(freshPath(), connection => {
    assert.deepEqual(appliedMigrations(connection), [])
    assert.deepEqual(
      migrate(connection, 1),
      MIGRATIONS.map(({ name }) => name),
    )
    const [dump, applied] = [dumpOf(connection), appliedMigrations(connection)]
    assert.deepEqual(migrate(connection, 2), [])
    assert.equal(dumpOf(connection), dump)
    assert.deepEqual(appliedMigrations(connection), applied)
  })
})

test('the numbers of the steps are consecutive from 1', () => {
  assert.deepEqual(
    columnOf(MIGRATIONS, 'number'),
    MIGRATIONS.map((_, index) => index + 1),
  )
})

test('the newest schema is the reviewed one (UPDATE=1 rewrites test/database/schema.sql)', () => {
  const file = join(import.meta.dirname, 'schema.sql')
  const dump = withStore(freshPath(), connection => {
    migrate(connection, 1)
    return dumpOf(connection)
  })
  if (process.env.UPDATE === '1') writeFileSync(file, dump)
  assert.equal(dump, readFileSync(file, 'utf8'))
})

test('twenty processes that start at once migrate once', async () => {
  const path = freshPath()
  const ends = await Promise.all(Array.from({ length: 20 }, () => migrateApart(path)))
  for (const { code, stderr } of ends) assert.equal(code, 0, stderr)
  withStore(path, connection => {
    assert.deepEqual(
      columnOf(appliedMigrations(connection), 'number'),
      STEPS.map(({ number }) => number),
    )
    assertWhole(connection)
  })
})

test('the first start in an empty file waits while another process makes that file', async () => {
  const path = freshPath()
  // Its commit waits until the start, which looks at the file again and again, reads nothing from it.
  const other = new DatabaseSync(path, { timeout: 30_000 })
  // The file is not in WAL mode yet, and SQLite does not call its busy handler for a writer of such a file.
  other.exec('CREATE TABLE other (x); BEGIN IMMEDIATE; INSERT INTO other VALUES (1)')
  const start = migrateApart(path)
  await setTimeout(2_000)
  other.exec('COMMIT')
  other.close()
  const { code, stderr } = await start
  assert.equal(code, 0, stderr)
})

test('a start waits for the lock while another process migrates, and no longer', () => {
  const path = freshPath()
  withStore(path, other => {
    withStore(path, connection => {
      for (const { raw } of [other, connection]) raw.function('crash', _number => 0)
      /** The store, locked each time by a process that has taken so many steps before. */
      const lockedAfter = (...steps: number[]): SqliteConnection => ({
        ...connection,
        run(statement) {
          const count = statement.text === 'BEGIN IMMEDIATE' ? steps.shift() : undefined
          if (count === undefined) return connection.run(statement)
          migrate(other, 1, STEPS.slice(0, count))
          throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 })
        },
      })
      assert.throws(() => migrate(lockedAfter(1, 1), 1, STEPS), { name: 'StoreFault', kind: 'unavailable' })
      assert.deepEqual(
        migrate(lockedAfter(2, 3, 5), 1, STEPS),
        STEPS.slice(5).map(({ name }) => name),
      )
    })
  })
})

/** Every step is there with all of its tables and rows, or not at all. */
function assertWhole(connection: SqliteConnection): number {
  const applied = new Set(appliedMigrations(connection).map(({ number }) => number))
  for (const { number } of STEPS.slice(MIGRATIONS.length)) {
    const tables = connection.all<{ name: string }>(
      sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ${`step_${number}_%`}`,
    )
    assert.equal(tables.length, applied.has(number) ? TABLES_PER_STEP : 0, `step ${number}`)
  }
  return applied.size
}

test('after a kill in the middle of any step, the next start continues with that step', async () => {
  for (let round = 0; round < 10; round++) {
    const path = freshPath()
    const step = STEPS[MIGRATIONS.length + (round % (STEPS.length - MIGRATIONS.length))]
    assert.ok(step)
    const end = await migrateApart(path, `${step.number}`)
    assert.equal(end.signal, 'SIGKILL', end.stderr)
    withStore(path, connection => {
      assert.equal(assertWhole(connection), step.number - 1)
      connection.raw.function('crash', _number => 0)
      const taken = migrate(connection, 1, STEPS)
      assert.deepEqual(
        taken,
        STEPS.slice(step.number - 1).map(({ name }) => name),
      )
      assert.equal(assertWhole(connection), STEPS.length)
    })
  }
})

test('a failed step is rolled back, and the steps before it stay', () => {
  withStore(freshPath(), connection => {
    const broken: Migration = {
      number: 2,
      name: 'broken',
      sqlite: 'CREATE TABLE a (b); CREATE TABLE a (b);',
    }
    assert.throws(() => migrate(connection, 1, [...MIGRATIONS, broken]), /already exists/)
    assert.ok(!connection.raw.isTransaction)
    assert.deepEqual(columnOf(appliedMigrations(connection), 'name'), ['initial'])
    assert.equal(connection.one(sql`SELECT name FROM sqlite_schema WHERE name = 'a'`), undefined)
  })
})

test('a store that another version wrote is refused with a sentence that names the remedy, and is not changed', () => {
  withStore(freshPath(), connection => {
    connection.raw.function('crash', _number => 0)
    migrate(connection, 1, STEPS.slice(0, 3))
    const dump = dumpOf(connection)
    assert.throws(
      () => migrate(connection, 2),
      (error: unknown) =>
        error instanceof StoreFault &&
        error.kind === 'broken' &&
        /step 2 \(step-2\).*"palimpsest export".*"palimpsest import"/.test(error.message) &&
        !error.message.includes('\n'),
    )
    assert.equal(dumpOf(connection), dump)
    assert.ok(!connection.raw.isTransaction)
  })
})

test('a store whose first step has another name is refused', () => {
  withStore(freshPath(), connection => {
    migrate(connection, 1, [{ number: 1, name: 'other', sqlite: 'CREATE TABLE a (b)' }])
    assert.throws(() => migrate(connection, 2), /step 1 \(other\)/)
  })
})
