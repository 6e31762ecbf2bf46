import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Sql, sql } from '../../engine/database.ts'
import { GroupCommit } from '../../engine/group-commit.ts'
import { migrate } from '../../engine/migrate.ts'
import { openSqlite, type SqliteConnection, sqliteSession } from '../../engine/sqlite.ts'
import { createContexts } from '../../memory/commands.ts'
import type { ChangedEntryRow } from '../../memory/entries/rows.ts'
import { insertHead } from '../../memory/head-rows.ts'
import { WRITES } from '../../memory/run.ts'
import type { WriteEnvironment } from '../../memory/store.ts'
import { indexedRecord, openIndex } from './file.ts'
import { followChanges } from './follower.ts'

const ENVIRONMENT: WriteEnvironment = { at: Date.parse('2026-01-01'), cooldown: 0, dataClass: 'EXTERNAL' }

/** Runs `check` with a store of so many entries, records 1 and on, and an empty index of it. */
async function withEntries(
  entries: number,
  check: (store: SqliteConnection, index: SqliteConnection) => Promise<void>,
) {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-follower-'))
  const store = openSqlite(join(directory, 'store.db'), 'write')
  migrate(store, 1)
  await insertHead(store, 'store')
  const index = openIndex(join(directory, 'index.db'), { storeId: 'store', record: 0, storeEpoch: 0 })
  try {
    const commits = new GroupCommit(sqliteSession(store))
    const contextOf = createContexts()
    const caller = { requestId: 'r', actor: 1, origin: null }
    await commits.write(tx => WRITES.createActor(tx, contextOf(ENVIRONMENT), { params: {}, body: {}, caller }))
    const create = (n: number) => {
      const body = { title: `Title ${n}`, summary: 'Summary', content: 'Content' }
      return commits.write(tx => WRITES.createEntry(tx, contextOf(ENVIRONMENT), { params: {}, body, caller }))
    }
    await Promise.all(Array.from({ length: entries }, (_, n) => create(n)))
    await check(store, index)
  } finally {
    index.close()
    store.close()
    rmSync(directory, { recursive: true })
  }
}

const readFrom = (store: SqliteConnection) => (statement: Sql) => store.all<ChangedEntryRow>(statement)

/** The records that the index reaches in turn when it was asked for two records. */
async function reachedFrom(store: SqliteConnection, index: SqliteConnection): Promise<number[]> {
  const reached: number[] = []
  await followChanges(readFrom(store), index, 0, 2, { onReached: record => reached.push(record) > 0 })
  return reached
}

test('an entry that was read beyond the requested record is not indexed twice', async () => {
  await withEntries(5, async (store, index) => {
    assert.deepEqual(await reachedFrom(store, index), [5])
    assert.equal(indexedRecord(index), 5)
  })
})

test('the index does not go back to the requested record when the last batch is full', async () => {
  await withEntries(1_000, async (store, index) => {
    assert.deepEqual(await reachedFrom(store, index), [999, 1_000])
    assert.equal(indexedRecord(index), 1_000)
  })
})

test('the log of the store can be cut while entries are put into the index', async () => {
  await withEntries(30, async (store, index) => {
    const reader = openSqlite(String(store.raw.location()), 'read')
    const cut: unknown[] = []
    const cutting: SqliteConnection = {
      ...index,
      one(statement) {
        // A long read would keep later writes in the write-ahead log.
        store.exec("INSERT INTO origin_salt (day, salt) VALUES (cast(random() AS TEXT), 'salt')")
        store.exec('PRAGMA busy_timeout = 10')
        cut.push(store.raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy)
        return index.one(statement)
      },
    }
    try {
      await followChanges(readFrom(reader), cutting, 0, 30, { onReached: () => true })
    } finally {
      reader.close()
    }
    assert.deepEqual(new Set(cut), new Set([0]))
    assert.equal(indexedRecord(index), 30)
  })
})

test('every entry is in the index, however many batches it is behind', async () => {
  await withEntries(2_500, async (store, index) => {
    const reached: number[] = []
    await followChanges(readFrom(store), index, 0, 2_500, { onReached: record => reached.push(record) > 0 })
    assert.equal(reached.at(-1), 2_500)
    const { entries } = index.one<{ entries: number }>(sql`SELECT count(*) AS entries FROM doc`) ?? { entries: 0 }
    assert.equal(entries, 2_500)
  })
})
