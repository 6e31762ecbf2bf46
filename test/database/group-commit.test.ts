import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Problem } from '../../src/contract/problem.ts'
import { type Loadable, type Reader, sql, type Transaction } from '../../src/engine/database.ts'
import { GroupCommit } from '../../src/engine/group-commit.ts'
import { readColumnTypes } from '../../src/engine/migrate.ts'
import { connectPostgres } from '../../src/engine/postgres.ts'
import { openSqlite, sqliteSession } from '../../src/engine/sqlite.ts'
import { PostgresGroupSession } from '../../src/stores/postgres/group-session.ts'
import { prepareDatabase, type Server } from '../../src/stores/postgres/prepare.ts'
import { readerThrough, Session } from '../../src/stores/postgres/session.ts'
import { databaseWithTables, dropDatabaseOf, NO_POSTGRES } from '../support/engine.ts'

const GROUP = 8
const TIMEOUT = 5_000

type World = { commits: GroupCommit; reader: Reader; committed(): number }

async function openSqliteWorld(t: TestContext): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-groups-'))
  const [connection, reader] = (['write', 'read'] as const).map(mode => {
    const one = openSqlite(join(directory, 'notes.db'), mode)
    if (mode === 'write')
      one.exec(`CREATE TABLE note (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE tally (n INTEGER NOT NULL) STRICT; INSERT INTO tally (n) VALUES (0);`)
    return one
  }) as [ReturnType<typeof openSqlite>, ReturnType<typeof openSqlite>]
  t.after(() => {
    connection.close()
    reader.close()
    rmSync(directory, { recursive: true, force: true })
  })
  let committed = 0
  const session = sqliteSession(connection, {
    commit() {
      connection.run(sql`COMMIT`)
      committed += 1
    },
  })
  return { commits: new GroupCommit(session, GROUP), reader, committed: () => committed }
}

async function openPostgresWorld(t: TestContext): Promise<World> {
  const url = await databaseWithTables(t.name)
  const timeouts = { statementTimeout: TIMEOUT, idleTimeout: TIMEOUT }
  const other = await connectPostgres({ url, name: 'test', ...timeouts })
  let server: Server | undefined
  const session = new Session({ url, name: 'writer', ...timeouts }, async connection => {
    const prepared = await prepareDatabase(connection)
    await connection.exec(`CREATE TABLE note (number BIGINT GENERATED ALWAYS AS IDENTITY, text TEXT NOT NULL UNIQUE);
      CREATE TABLE tally (n BIGINT NOT NULL); INSERT INTO tally (n) VALUES (0);`)
    server = { ...prepared, columns: await readColumnTypes(connection) }
  })
  const groups = new PostgresGroupSession(session, () => server as Server)
  t.after(async () => {
    await session.close()
    await other.close()
    await dropDatabaseOf(t.name)
  })
  return {
    commits: new GroupCommit(groups, GROUP),
    reader: readerThrough(other),
    committed: () => groups.counted().commits,
  }
}

const add = (tx: Transaction, text: string) => tx.run(sql`INSERT INTO note (text) VALUES (${text})`)
const textsOf = async (reader: Reader): Promise<string[]> =>
  (await reader.all<{ text: string }>(sql`SELECT text FROM note ORDER BY number`)).map(({ text }) => text)

/** Counts works in memory; added to the table by each commit. */
const TALLY: Loadable<{ n: number }> = {
  load: () => ({ n: 0 }),
  save: (saver, { n }) => saver.run(sql`UPDATE tally SET n = n + ${n}`),
}
const count = async (tx: Transaction): Promise<void> => {
  const tally = await tx.load(TALLY)
  tally.n += 1
}
const countedOf = async (reader: Reader) => (await reader.one<{ n: number }>(sql`SELECT n FROM tally`))?.n

function onBoth(title: string, run: (world: World) => Promise<void>): void {
  test(title, async t => run(await openSqliteWorld(t)))
  test(`${title}, on PostgreSQL`, { skip: NO_POSTGRES }, async t => run(await openPostgresWorld(t)))
}

onBoth('works that arrive together share one commit and are answered after it, in order', async world => {
  const { commits, reader, committed } = world
  const order: number[] = []
  await Promise.all(
    Array.from({ length: GROUP }, async (_, n) => {
      const value = await commits.write(async tx => {
        await add(tx, `${n}`)
        return n
      })
      assert.equal(committed(), 1)
      order.push(value)
    }),
  )
  assert.deepEqual(order, [...order.keys()])
  assert.equal(committed(), 1)
  assert.deepEqual(await textsOf(reader), order.map(String))
})

onBoth('a group has a maximum size', async ({ commits, reader, committed }) => {
  const works = 2 * GROUP + 1
  const written = Array.from({ length: works }, (_, n) => commits.write(tx => add(tx, `${n}`)))
  assert.equal(commits.waiting, works)
  await Promise.all(written)
  assert.equal(committed(), 3)
  assert.equal((await textsOf(reader)).length, works)
  await commits.idle()
  assert.deepEqual([commits.waiting, commits.pending, commits.waited()], [0, 0, 0])
})

onBoth('a work that is refused before it wrote anything fails alone, and no work runs twice', async world => {
  const { commits, reader, committed } = world
  const runs = [0, 0, 0, 0]
  const settled = await Promise.allSettled(
    runs.map((_, n) =>
      commits.write(async tx => {
        runs[n] = (runs[n] ?? 0) + 1
        await tx.one(sql`SELECT n FROM tally`)
        if (n === 1) throw new Problem('COOLDOWN')
        await count(tx)
        await add(tx, `${n}`)
      }),
    ),
  )
  assert.deepEqual(
    settled.map(one => (one.status === 'rejected' ? one.reason.code : 'stored')),
    ['stored', 'COOLDOWN', 'stored', 'stored'],
  )
  assert.deepEqual(runs, [1, 1, 1, 1])
  assert.deepEqual(await textsOf(reader), ['0', '2', '3'])
  assert.equal(await countedOf(reader), 3)
  assert.equal(committed(), 1)
})

const CHANGES: Record<string, (tx: Transaction) => Promise<unknown>> = {
  'it inserted a row': async tx => add(tx, 'of the failed one'),
  'it inserted a row and read it': async tx =>
    tx.one(sql`INSERT INTO note (text) VALUES ('of the failed one') RETURNING number`),
  'it changed a loaded value': count,
  'a statement of it failed': async tx => add(tx, '0'),
}
for (const [when, change] of Object.entries(CHANGES)) {
  onBoth(`a work that fails after ${when} leaves nothing, and the others are stored`, async world => {
    const { commits, reader } = world
    await commits.write(tx => add(tx, '0'))
    const answers: string[] = []
    const works = 6
    await Promise.all(
      Array.from({ length: works }, async (_, at) => {
        const n = at + 1
        const written = commits.write(async tx => {
          if (n === 3 || n === 6) {
            await change(tx)
            throw new Problem('COOLDOWN')
          }
          await count(tx)
          await add(tx, `${n}`)
          return `${n} stored`
        })
        answers.push(await written.catch(error => (when === 'a statement of it failed' ? `${n} failed` : error.code)))
      }),
    )
    const failed = (n: number) => (when === 'a statement of it failed' ? `${n} failed` : 'COOLDOWN')
    assert.deepEqual(answers, ['1 stored', '2 stored', failed(3), '4 stored', '5 stored', failed(6)])
    assert.deepEqual(await textsOf(reader), ['0', '1', '2', '4', '5'])
    assert.equal(await countedOf(reader), 4)
  })
}

onBoth('an unfinished statement of a failed work throws, and stores nothing', async ({ commits, reader }) => {
  let stray: Promise<unknown> | undefined
  const ended = Promise.withResolvers<void>()
  const failed = commits.write(async tx => {
    stray = ended.promise.then(() => add(tx, 'stray'))
    throw new Problem('COOLDOWN')
  })
  const other = commits.write(async tx => {
    await add(tx, 'other')
    ended.resolve()
    await Promise.allSettled([stray])
  })
  await assert.rejects(failed, { code: 'COOLDOWN' })
  await other
  await assert.rejects(stray ?? Promise.resolve(), /has ended/)
  assert.deepEqual(await textsOf(reader), ['other'])
})

onBoth('a work that arrives during a commit is in the next one, which begins after the answers', async world => {
  const { commits, reader, committed } = world
  let answered = false
  let late: Promise<boolean> | undefined
  await commits.write(async tx => {
    await add(tx, 'early')
    late = commits.write(async other => {
      await add(other, 'late')
      return answered
    })
  })
  answered = true
  assert.equal(await late, true)
  assert.equal(committed(), 2)
  assert.deepEqual(await textsOf(reader), ['early', 'late'])
})

onBoth('a work that runs alone shares its commit with no other, and runs in its order', async world => {
  const { commits, reader, committed } = world
  const written = [false, true, false, false, true, true].map((alone, n) =>
    commits.write(tx => add(tx, `${n}`), { alone }),
  )
  await Promise.all(written)
  assert.equal(committed(), 5)
  assert.deepEqual(await textsOf(reader), ['0', '1', '2', '3', '4', '5'])
})

onBoth('works that are in no group can be refused; those of a group are stored', async ({ commits, reader }) => {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const first = commits.write(async tx => {
    begun.resolve()
    await gate.promise
    return add(tx, 'first')
  })
  await begun.promise
  const second = commits.write(tx => add(tx, 'second'))
  assert.deepEqual([commits.waiting, commits.pending], [1, 2])
  commits.refuse(new Error('the connection is lost'))
  gate.resolve()
  await assert.rejects(second, /the connection is lost/)
  assert.equal(await first, 1)
  assert.deepEqual(await textsOf(reader), ['first'])
})
