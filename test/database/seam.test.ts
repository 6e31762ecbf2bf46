import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Loadable, StoreFault, type Transaction } from '../../src/database/database.ts'
import { sql } from '../../src/database/sql.ts'
import { assertDurable, openSqlite, type SqliteConnection } from '../../src/database/sqlite.ts'
import { createWriteQueue } from '../../src/database/write-queue.ts'

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
let write: ReturnType<typeof createWriteQueue>

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
  write = createWriteQueue(connection, {
    onGroup() {
      groups++
    },
    onCommitting() {},
    onCommit() {
      commits++
    },
    onEnd() {},
  })
})

const add = (tx: Transaction, text: string) => tx.run(sql`INSERT INTO note (text) VALUES (${text})`)
const texts = (from = reader): string[] =>
  from.all<{ text: string }>(sql`SELECT text FROM note ORDER BY number`).map(({ text }) => text)
const isFault = (kind: 'full' | 'broken') => (error: unknown) => error instanceof StoreFault && error.kind === kind

test('a work gives its result once another connection can read what it wrote', async () => {
  const result = await write(async tx => {
    assert.equal(await add(tx, 'a'), 1)
    assert.deepEqual(texts(), [], 'nobody sees a transaction before its commit')
    return 'done'
  })
  assert.equal(result, 'done')
  assert.deepEqual(texts(), ['a'])
})

test('whoever holds writes up is asked once for each group, however many works wait', async () => {
  const works = 300
  await Promise.all(Array.from({ length: works }, (_, n) => write(tx => add(tx, `${n}`))))
  assert.equal(commits, 2)
  assert.equal(groups, 2)
})

test('works that arrive together share one commit, in the order they came', async () => {
  const order: number[] = []
  const works = Array.from({ length: 100 }, (_, n) =>
    write(async tx => {
      await add(tx, `${n}`)
      return n
    }).then(value => {
      assert.equal(commits, 1, 'nobody is answered before the commit')
      assert.equal(texts().length, 100)
      order.push(value)
    }),
  )
  await Promise.all(works)
  assert.equal(commits, 1)
  assert.deepEqual(order, [...order.keys()])
  assert.deepEqual(texts(), [...order.keys()].map(String))
})

test('a group is bounded: 600 works take three commits', async () => {
  await Promise.all(Array.from({ length: 600 }, (_, n) => write(tx => add(tx, `${n}`))))
  assert.equal(commits, 3)
  assert.equal(texts().length, 600)
})

test('of a work that throws nothing remains, and its neighbours are not touched', async () => {
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
  assert.equal(commits, 1)
})

const COUNT: Loadable<{ n: number }> = {
  load: () => ({ n: 0 }),
  mark(count) {
    const { n } = count
    return () => {
      count.n = n
    }
  },
  save: (saver, { n }) => saver.run(sql`INSERT INTO note (text) VALUES (${`${n} loaded`})`),
}

for (const spoils of [false, true]) {
  const when = spoils ? 'behind what it wrote has its group run once more' : 'before it wrote anything fails alone'
  test(`a work that fails ${when}, and each is answered once with what holds`, async () => {
    const runs = [0, 0, 0, 0]
    const works = runs.map((_, at) =>
      write(async tx => {
        runs[at] = (runs[at] ?? 0) + 1
        const count = await tx.load(COUNT)
        count.n += 1
        if (at === 1 && !spoils) throw new Error('refused')
        await add(tx, `${at} of ${runs[at]} runs`)
        if (at === 1) throw new Error('refused')
        return texts(connection).length
      }),
    )
    const settled = await Promise.allSettled(works)
    // Those behind it had not run yet.
    const expected = spoils ? [2, 2, 1, 1] : [1, 1, 1, 1]
    assert.deepEqual(
      settled.map(one => (one.status === 'fulfilled' ? one.value : one.reason.message)),
      [1, 'refused', 2, 3],
    )
    assert.deepEqual(runs, expected)
    assert.deepEqual(texts(), [...[0, 2, 3].map(at => `${at} of ${expected[at]} runs`), '3 loaded'])
    assert.equal(commits, 1)
    assert.equal(groups, 1)
  })
}

test('a statement that a failed work left under way throws, and stores nothing', async () => {
  let stray: Promise<unknown> | undefined
  const failed = write(async tx => {
    stray = setImmediate().then(() => add(tx, 'stray'))
    throw new Error('refused')
  })
  await assert.rejects(failed, /refused/)
  await assert.rejects(stray ?? Promise.resolve(), /has ended/)
  assert.deepEqual(texts(), [])
})

test('where SQLite itself undoes the transaction in the middle of a group, nothing of the group remains', async () => {
  const group = await Promise.allSettled([
    write(tx => add(tx, 'before')),
    write(tx => tx.run(sql`INSERT OR ROLLBACK INTO note (text) VALUES ('before')`)),
    write(tx => add(tx, 'behind')),
  ])
  for (const one of group) assert.ok(one.status === 'rejected' && isFault('broken')(one.reason))
  assert.deepEqual(texts(), [])
})

test('a reference that leads nowhere fails its own work only, though SQLite counts it until the commit', async () => {
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

test('works do not mix, however long they wait for something else', async () => {
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

test('works that arrive during a commit are taken up by the next', async () => {
  const late: Promise<unknown>[] = []
  await write(async tx => {
    await add(tx, 'early')
    late.push(write(one => add(one, 'late')))
  })
  await Promise.all(late)
  assert.deepEqual(texts(), ['early', 'late'])
  await write.idle()
})

test('when the commit fails every work of it fails as a StoreFault, and so does all that follows', async () => {
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

test('a full disk refuses the whole group, keeps nothing of it, and passes when there is space', async () => {
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

test('a writer is durable, and one that is not is told so', () => {
  assertDurable(connection)
  assert.throws(() => assertDurable(open(join(directory, 'derived.db'), 'derived')), isFault('broken'))
  connection.exec('PRAGMA synchronous = NORMAL')
  assert.throws(() => assertDurable(connection), isFault('broken'))
})

test('a reader cannot write', () => {
  assert.throws(() => reader.run(sql`INSERT INTO note (text) VALUES ('x')`), /readonly/)
})

test('a file that is no database is a broken store', () => {
  const path = join(directory, 'garbage.db')
  writeFileSync(path, 'no database at all, and long enough to have a header of its own '.repeat(4))
  assert.throws(() => openSqlite(path, 'write'), isFault('broken'))
})

test('one, all and each give the same rows; run tells how many changed', () => {
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
