import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { MIGRATIONS, migrate } from '../../src/database/migrate.ts'
import { migratePostgres } from '../../src/database/migrate-postgres.ts'
import { connectPostgres } from '../../src/database/postgres.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-migrate-changes-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === 'changes'),
)
const entryOf = (number: number, withdrawn: number): string => `
  INSERT INTO entry (number, id, slug, tags, actor, data_class, created_at, updated_at, revision, withdrawn, change)
    VALUES (${number}, 'id-${number}', 'slug-${number}', '[]', 1, 'EXTERNAL', 1, 1, ${number}, ${withdrawn}, ${number});
  INSERT INTO activity (sequence, actor, action, entry, revision, request_id, data_class, created_at, withdrawn)
    VALUES (${number}, 1, 'CREATE', ${number}, ${number}, 'r', 'EXTERNAL', 1, ${withdrawn});`
const STORE = `
  INSERT INTO head (one, store_id, sequence, record) VALUES (1, 'store', 6, 5);
  INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at) VALUES (1, 'a', 'AGENT', 'EXTERNAL', 1, 1);
  ${[1, 2, 3, 4].map(number => entryOf(number, number % 2 === 0 ? 1 : 0)).join('')}
  INSERT INTO relation (number, id, source_entry, target_entry, relation_type, actor, rationale, created_at)
    VALUES (5, 'l', 1, 3, 'CONNECT', 1, 'r', 1);
  INSERT INTO activity (sequence, actor, action, entry, subject, request_id, data_class, created_at) VALUES (6, 1, 'CONNECT', 1, 5, 'r', 'EXTERNAL', 1);`

const QUERIES = [
  'SELECT number, moderated FROM entry ORDER BY number',
  'SELECT sequence, record FROM head',
  'SELECT sequence, target FROM activity WHERE target IS NOT NULL',
  'SELECT segment, record FROM export_change',
]
const EXPECTED = [
  [
    { number: 1, moderated: null },
    { number: 2, moderated: 7 },
    { number: 3, moderated: null },
    { number: 4, moderated: 8 },
  ],
  [{ sequence: 8, record: 5 }],
  [{ sequence: 6, target: 3 }],
  [{ segment: 0, record: 6 }],
]

test('entries that were withdrawn before the migration are in the list of changes', () => {
  const connection = openSqlite(join(directory, 'store.db'), 'write')
  try {
    migrate(connection, 1, BEFORE)
    connection.exec(`PRAGMA foreign_keys = OFF; ${STORE}`)
    migrate(connection, 1)
    const found = QUERIES.map(text => connection.all({ text, values: [] }).map(row => ({ ...row })))
    assert.deepEqual(found, EXPECTED)
  } finally {
    connection.close()
  }
})

test('the same on PostgreSQL', { skip: NO_POSTGRES }, async () => {
  const url = await databaseOf('migrate_changes')
  const connection = await connectPostgres({ url, name: 'migrate', statementTimeout: 60_000, idleTimeout: 60_000 })
  try {
    await migratePostgres(connection, 1, BEFORE)
    await connection.exec(STORE)
    await migratePostgres(connection, 1)
    const results = await connection.send(QUERIES.map(text => ({ text, values: [] })))
    assert.deepEqual(
      results.map(({ rows }) => rows.map(row => ({ ...row }))),
      EXPECTED,
    )
  } finally {
    await connection.close()
  }
})
