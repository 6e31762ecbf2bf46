import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { StoreFault, sql, type Transaction } from '../../src/engine/database.ts'
import { GroupCommit, type Work } from '../../src/engine/group-commit.ts'
import { assertDurable, openSqlite, type SqliteConnection, sqliteSession } from '../../src/engine/sqlite.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-seam-'))
after(() => {
  for (const one of opened) if (one.raw.isOpen) one.close()
  rmSync(directory, { recursive: true, force: true })
})

const opened: SqliteConnection[] = []
let made = 0
let connection: SqliteConnection
let reader: SqliteConnection
let groups = 0
let commits: number
let write: <T>(work: Work<T>) => Promise<T>

const open = (path: string, mode: 'read' | 'write' | 'derived'): SqliteConnection => {
  const one = openSqlite(path, mode)
  opened.push(one)
  return one
}

beforeEach(() => {
  const path = join(directory, `${made++}.db`)
  connection = open(path, 'write')
  connection.exec(`
    CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE reply (note INTEGER NOT NULL REFERENCES note DEFERRABLE INITIALLY DEFERRED) STRICT;`)
  reader = open(path, 'read')
  commits = 0
  groups = 0
  const session = sqliteSession(connection, {
    onGroup() {
      groups++
    },
    commit() {
      connection.run(sql`COMMIT`)
      commits++
    },
  })
  const group = new GroupCommit(session)
  write = work => group.write(work)
})

const add = (tx: Transaction, text: string) => tx.run(sql`INSERT INTO note (text) VALUES (${text})`)
const texts = (from = reader): string[] =>
  from.all<{ text: string }>(sql`SELECT text FROM note ORDER BY number`).map(({ text }) => text)
const isFault = (kind: 'full' | 'broken') => (error: unknown) => error instanceof StoreFault && error.kind === kind

test('a work resolves once another connection can read its rows', async () => {
  const result = await write(async tx => {
    assert.equal(await add(tx, 'a'), 1)
    assert.deepEqual(texts(), [], 'no reader sees a transaction before its commit')
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual(texts(), ['a'])
})

test('the hook before a group is called once per group, for any number of works', async () => {
  const works = 300
  await Promise.all(Array.from({ length: works }, (_, n) => write(tx => add(tx, `${n}`))))
  assert.equal(commits, 2)
  assert.equal(groups, 2)
})

test('a group has a maximum size: 600 works take three commits', async () => {
  await Promise.all(Array.from({ length: 600 }, (_, n) => write(tx => add(tx, `${n}`))))
  assert.equal(commits, 3)
  assert.equal(texts().length, 600)
})

test('a work that throws is rolled back, and the other works of its group commit', async () => {
  const refusal = new Error('refused')
  const [first, second, third, fourth] = await Promise.allSettled([
    write(tx => add(tx, 'first')),
    write(async tx => {
      await add(tx, 'second')
      throw refusal
    }),
    write(tx => add(tx, 'first')),
    write(tx => add(tx, 'fourth')),
  ])
  assert.equal(first.status, 'fulfilled')
  assert.equal(second.status === 'rejected' && second.reason, refusal)
  assert.match(String(third.status === 'rejected' && third.reason), /UNIQUE/)
  assert.equal(fourth.status, 'fulfilled')
  assert.deepEqual(texts(), ['first', 'fourth'])
  assert.equal(commits, 2, 'each half of the group has one that is stored')
})

test('a work for which SQLite rolls back the whole transaction fails alone', async () => {
  const group = await Promise.allSettled([
    write(tx => add(tx, 'before')),
    write(tx => tx.run(sql`INSERT OR ROLLBACK INTO note (text) VALUES ('before')`)),
    write(tx => add(tx, 'after')),
  ])
  assert.deepEqual(
    group.map(one => (one.status === 'rejected' ? one.reason.code : one.value)),
    [1, 'ERR_SQLITE_ERROR', 1],
  )
  assert.deepEqual(texts(), ['before', 'after'])
})

test('a violated foreign key fails its own work only, although SQLite reports it at the commit', async () => {
  connection.exec(`CREATE TABLE twice (
    later INTEGER REFERENCES note DEFERRABLE INITIALLY DEFERRED, now INTEGER REFERENCES note) STRICT`)
  const [bad, good] = await Promise.allSettled([
    write(tx => tx.run(sql`INSERT INTO twice (later, now) VALUES (98, 99)`)),
    write(tx => add(tx, 'good')),
  ])
  assert.match(String(bad.status === 'rejected' && bad.reason), /FOREIGN KEY/)
  assert.equal(good.status, 'fulfilled')
  assert.deepEqual(texts(), ['good'])
})

test('works that wait for something else do not interleave', async () => {
  const works = Array.from({ length: 20 }, (_, n) =>
    write(async tx => {
      await add(tx, `${n} begins`)
      await setImmediate()
      await add(tx, `${n} ends`)
    }),
  )
  await Promise.all(works)
  assert.deepEqual(
    texts(),
    works.flatMap((_, n) => [`${n} begins`, `${n} ends`]),
  )
})

test('a failed commit fails every work of its group and all later ones as a StoreFault', async () => {
  const group = await Promise.allSettled([
    write(tx => add(tx, 'a')),
    write(tx => tx.run(sql`INSERT INTO reply (note) VALUES (99)`)),
  ])
  for (const one of group) assert.ok(one.status === 'rejected' && isFault('broken')(one.reason))
  await assert.rejects(
    write(tx => add(tx, 'b')),
    isFault('broken'),
  )
  assert.deepEqual(texts(), [])
  assert.equal(commits, 0)
  assert.ok(!connection.raw.isTransaction)
})

test('a full disk refuses the whole group without effect, and writes succeed once there is space', async () => {
  const pages = (connection.raw.prepare('PRAGMA page_count').get() as { page_count: number }).page_count
  connection.exec(`PRAGMA max_page_count = ${pages + 2}`)
  const group = await Promise.allSettled([
    write(tx => add(tx, 'small')),
    write(tx => add(tx, 'x'.repeat(100_000))),
    write(tx => add(tx, 'behind')),
  ])
  for (const one of group) assert.ok(one.status === 'rejected' && isFault('full')(one.reason), JSON.stringify(one))
  assert.deepEqual(texts(), [])
  connection.exec('PRAGMA max_page_count = 100000')
  await write(tx => add(tx, 'x'.repeat(100_000)))
  assert.equal(texts().length, 1)
})

test('a writer is durable, and a connection that is not durable is refused', () => {
  assertDurable(connection)
  assert.throws(() => assertDurable(open(join(directory, 'derived.db'), 'derived')), isFault('broken'))
  connection.exec('PRAGMA synchronous = NORMAL')
  assert.throws(() => assertDurable(connection), isFault('broken'))
})

test('a reader cannot write', () => {
  assert.throws(() => reader.run(sql`INSERT INTO note (text) VALUES ('x')`), /readonly/)
})

test('a file that is not a database is a broken store', () => {
  const path = join(directory, 'garbage.db')
  writeFileSync(path, 'no database at all, and long enough to have a header of its own '.repeat(4))
  assert.throws(() => openSqlite(path, 'write'), isFault('broken'))
})

test('one, all and each return the same rows; run returns the number of changes', () => {
  for (const text of ['a', 'b', 'c']) assert.equal(connection.run(sql`INSERT INTO note (text) VALUES (${text})`), 1)
  const statement = sql`SELECT number, text FROM note WHERE number >= ${2} ORDER BY number`
  const rows = reader.all(statement)
  assert.deepEqual(
    rows.map(row => ({ ...row })),
    [
      { number: 2, text: 'b' },
      { number: 3, text: 'c' },
    ],
  )
  assert.deepEqual(reader.one(statement), rows[0])
  assert.deepEqual([...reader.each(statement)], rows)
  assert.equal(reader.one(sql`SELECT number FROM note WHERE number = ${9}`), undefined)
  assert.equal(connection.run(sql`UPDATE note SET text = text || '!' WHERE number > ${1}`), 2)
})
