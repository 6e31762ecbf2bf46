import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Reader } from '../../src/database/database.ts'
import { migratePostgres } from '../../src/database/migrate-postgres.ts'
import { connectPostgres, type PostgresConnection } from '../../src/database/postgres.ts'
import {
  beginActivityPartition,
  dropExpiredPartitions,
  partitionActivity,
} from '../../src/postgres/partitions/activity.ts'
import { withPartitionSessions } from '../../src/postgres/partitions/maintenance.ts'
import type { Sessions } from '../../src/postgres/partitions/partition.ts'
import { readerThrough } from '../../src/postgres/snapshot.ts'
import { deleteObservations, findContribution, isUnobserved, listActivity } from '../../src/store/activity.ts'
import { createDatabase, findBinaries, startCluster } from '../support/cluster.ts'
import { NO_POSTGRES } from '../support/engine.ts'

const ROWS = Number(process.env.ROWS ?? 10_000_000)
const HOUR = 3_600_000
/** The parts of a retention of 90 days, and the open one. */
const PARTS = 16
const PART_HOURS = 144
const FIRST_HOUR = 490_000
const TIMES = 400
const SLOWER_MAX = 1.5
/** The look-up of a read in its hour finds its parts when it runs, which costs more than the look-up. */
const LOOK_SLOWER_MAX = 3
const ACTORS = 1_000
const ENTRIES = 10_000

const cluster = NO_POSTGRES ? undefined : await startCluster(String(findBinaries()))
after(() => cluster?.close())

async function openDatabase(): Promise<{ url: string; connection: PostgresConnection }> {
  assert.ok(cluster)
  const { url } = await createDatabase(cluster.url('postgres'))
  const connection = await connectPostgres({ url, name: 'parts', statementTimeout: HOUR, idleTimeout: HOUR })
  await migratePostgres(connection, 1)
  await connection.exec(`
    INSERT INTO head (one, store_id) VALUES (1, 'store');
    INSERT INTO actor (number, id, actor_type, data_class, first_seen_at, last_seen_at)
      SELECT g, 'actor' || g, 'AGENT', 'EXTERNAL', 1, 1 FROM generate_series(1, ${ACTORS}) g;
    INSERT INTO entry (number, id, slug, tags, actor, data_class, created_at, updated_at, revision, change)
      SELECT g, 'entry' || g, 'slug' || g, '[]', 1, 'EXTERNAL', 1, 1, g, g FROM generate_series(1, ${ENTRIES}) g`)
  return { url, connection }
}

/** Loads the reads of one part by COPY: each hour has its share, and no actor reads an entry twice in an hour. */
async function load(connection: PostgresConnection, part: number): Promise<void> {
  const rows = ROWS / PARTS
  const perHour = Math.ceil(rows / PART_HOURS)
  const [head] = await connection.send([{ text: 'SELECT sequence FROM head', values: [] }])
  const before = Number(head?.rows[0]?.sequence)
  const line = 'print s+NR, 1+n%a, "READ", 1+int(n/a)%e, "request", "EXTERNAL", h*3600 "000", h'
  const values = `-v s=${before} -v a=${ACTORS} -v e=${ENTRIES} -v p=${perHour} -v f=${FIRST_HOUR + part * PART_HOURS}`
  const program = `seq ${rows} | awk ${values} '{n=(NR-1)%p; h=f+int((NR-1)/p); OFS="\\t"; ${line}}'`
  await connection.exec(`
    COPY activity (sequence, actor, action, entry, request_id, data_class, created_at, hour) FROM PROGRAM $q$${program}$q$;
    UPDATE head SET sequence = ${before + rows + 30_000}`)
}

type Times = { one: number; look: number; page: number }

const medianOf = (times: number[]): number => times.sort((a, b) => a - b)[times.length / 2] ?? 0

/**
 * Median milliseconds of the look-ups of a read by its sequence and by its hour, and of a page of the feed, for the table of each connection.
 * The tables take turns, so that other work of the machine slows them alike.
 */
async function measure(connections: readonly PostgresConnection[]): Promise<Times[]> {
  const measured = []
  for (const connection of connections) {
    await connection.exec('VACUUM ANALYZE activity')
    await connection.exec('CHECKPOINT')
    const [head] = await connection.send([{ text: 'SELECT sequence FROM head', values: [] }])
    const times: Record<keyof Times, number[]> = { one: [], look: [], page: [] }
    measured.push({ reader: readerThrough(connection), most: Number(head?.rows[0]?.sequence), times })
  }
  const newest = FIRST_HOUR + PARTS * PART_HOURS - 1
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return 1 + (seed % below)
  }
  const reads: Record<keyof Times, (reader: Reader, most: number) => unknown> = {
    one: (reader, most) => findContribution(reader, random(most)),
    look: reader => isUnobserved(reader, newest, random(ACTORS), 'READ', random(ENTRIES)),
    page: (reader, most) => listActivity(reader, random(most), 50),
  }
  for (const name of ['one', 'look', 'page'] as const) {
    for (let n = 0; n < TIMES; n++) {
      for (const { reader, most, times } of measured) {
        const began = performance.now()
        await reads[name](reader, most)
        times[name].push(performance.now() - began)
      }
    }
  }
  return measured.map(({ times: { one, look, page } }) => ({
    one: medianOf(one),
    look: medianOf(look),
    page: medianOf(page),
  }))
}

/** Expires the first part of the reads of an undivided table, 2,000 rows each time as the sweep does. Returns milliseconds. */
async function expireRows(connection: PostgresConnection): Promise<number> {
  const reader = readerThrough(connection)
  const tx = {
    ...reader,
    run: async ({ text, values }: { text: string; values: readonly (string | number | null)[] }) => {
      let place = 0
      const [result] = await connection.send([{ text: text.replaceAll('?', () => `$${++place}`), values }])
      return result?.count ?? 0
    },
  } as unknown as Parameters<typeof deleteObservations>[0]
  const began = performance.now()
  while ((await deleteObservations(tx, FIRST_HOUR + PART_HOURS, 0, 2_000)) === 2_000);
  return performance.now() - began
}

async function undivided(): Promise<PostgresConnection> {
  const { connection } = await openDatabase()
  for (let part = 0; part < PARTS; part++) await load(connection, part)
  return connection
}

/** Calls `use` with a divided table, while its sessions are open. */
async function withDivided(use: (parts: PostgresConnection, sessions: Sessions) => Promise<void>): Promise<void> {
  const { url, connection } = await openDatabase()
  await withPartitionSessions(url, async sessions => {
    await partitionActivity(sessions, FIRST_HOUR * HOUR)
    await connection.exec('UPDATE head SET sequence = sequence + 30000')
    for (let part = 0; part < PARTS; part++) {
      await load(connection, part)
      const now = (FIRST_HOUR + (part + 1) * PART_HOURS) * HOUR
      if (part < PARTS - 1) await beginActivityPartition(sessions, now, PART_HOURS)
      // The rows up to the limit of a part belong to it.
      await connection.exec(`UPDATE head SET sequence = sequence + ${30_000 + ROWS / 20}`)
    }
    await use(connection, sessions)
    await connection.close()
  })
}

test(`one of ${ROWS} reads is found in ${PARTS} parts in at most ${SLOWER_MAX} times the time of one table, and a part is dropped at once`, {
  skip: NO_POSTGRES,
}, async t => {
  const whole = await undivided()
  await withDivided(async (parts, sessions) => {
    const [one, many] = (await measure([whole, parts])) as [Times, Times]
    const rowByRow = await expireRows(whole)
    await whole.close()
    const began = performance.now()
    const dropped = await dropExpiredPartitions(sessions, FIRST_HOUR + PART_HOURS)
    const atOnce = performance.now() - began
    t.diagnostic(`one table: ${JSON.stringify({ ...one, expire: rowByRow })}`)
    t.diagnostic(`${PARTS} parts: ${JSON.stringify({ ...many, expire: atOnce })}`)
    assert.equal(dropped.length, 1)
    assert.ok(many.one <= one.one * SLOWER_MAX, `${many.one} ms, ${one.one} ms in one table`)
    assert.ok(many.look <= one.look * LOOK_SLOWER_MAX, `${many.look} ms, ${one.look} ms in one table`)
    assert.ok(atOnce * 10 < rowByRow, `${atOnce} ms, ${rowByRow} ms in one table`)
  })
})
