import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../src/engine/database.ts'
import { boundLog, openSqlite } from '../../src/engine/sqlite.ts'
import { makeDirectory } from '../support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())

const BOUND = 8_000_000
const COMMITS = 1_500
const ROW = 'x'.repeat(6_000)

for (const mode of ['write', 'derived'] as const) {
  test(`the write-ahead log of a small file stays under 8 MB, also after a large transaction (${mode})`, () => {
    const path = join(directory.path, `${mode}.db`)
    const bytesOfLog = (): number => statSync(`${path}-wal`).size
    const connection = openSqlite(path, mode)
    const reader = openSqlite(path, 'read')
    connection.exec('CREATE TABLE filler (number INTEGER PRIMARY KEY, content TEXT)')
    const insert = (number: number): number =>
      connection.run(sql`INSERT OR REPLACE INTO filler (number, content) VALUES (${number % 300}, ${ROW})`)
    let largest = 0
    for (let n = 0; n < COMMITS; n++) {
      insert(n)
      reader.one(sql`SELECT count(*) AS n FROM filler`)
      largest = Math.max(largest, bytesOfLog())
    }
    assert.ok(largest > 1_000_000 && largest < BOUND, `the log had ${largest} bytes`)

    connection.exec('BEGIN IMMEDIATE')
    for (let n = 0; n < COMMITS; n++) connection.run(sql`INSERT INTO filler (content) VALUES (${ROW})`)
    connection.exec('COMMIT')
    assert.ok(bytesOfLog() > BOUND)
    for (let n = 0; n < 3; n++) insert(n)
    assert.ok(bytesOfLog() < BOUND, `the log still has ${bytesOfLog()} bytes`)
    reader.close()
    connection.close()
  })
}

test('on a slow disk the write-ahead log of a small file may be larger, so that checkpoints are rarer', () => {
  const connection = openSqlite(join(directory.path, 'slow.db'), 'write')
  const boundOf = (): number =>
    (connection.raw.prepare('PRAGMA wal_autocheckpoint').get() as { wal_autocheckpoint: number }).wal_autocheckpoint
  const usual = boundOf()
  boundLog(connection.raw, true)
  assert.ok(boundOf() >= 4 * usual, `${boundOf()} pages instead of ${usual}`)
  boundLog(connection.raw)
  assert.equal(boundOf(), usual)
  connection.close()
})
