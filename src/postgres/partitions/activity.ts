import { hourNumber } from '../../domain/time.ts'
import { changeWithinBounds, limitAbove, removeBoundCheck } from './bound-check.ts'
import { withLockTimeout } from './lock-timeout.ts'
import { ACTIVITY, isPartitioned, newestOf, partitionsOf, type Sessions } from './partition.ts'
import { beforeOf, closing, partitioning } from './partition-table.ts'

/** Reads may be counted late, so reads of this many hours before the partitioning may have any sequence. */
const LATE_HOURS = 48
/** The table of the reads and searches. Its partitions are dropped when all of their rows have expired. */
const EXPIRING = 'activity_expiring'

/** The statements that create the open partition of reads and searches, with the sequences from `first` on. */
const openPartition = (first: number): string[] => {
  const name = `${EXPIRING}_${first}`
  return [
    `CREATE TABLE ${name} PARTITION OF ${EXPIRING} (hour NOT NULL) FOR VALUES FROM (${first}) TO (MAXVALUE)`,
    `ALTER TABLE ${name} ADD PRIMARY KEY (sequence)`,
    `CREATE UNIQUE INDEX ${name}_observed ON ${name} (hour, actor, action, coalesce(entry, 0))`,
  ]
}

/** The statements that begin to fill `observed_hour`. Reads of the hours around the first sequence are on both sides of it. */
const observedHours = (hour: number): string[] => [
  `INSERT INTO observed_hour (hour, first) SELECT hour, 0 FROM generate_series(${hour - LATE_HOURS}, ${hour + 1}) hour ON CONFLICT (hour) DO UPDATE SET first = 0`,
  `CREATE OR REPLACE FUNCTION note_observed_hour() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO observed_hour AS known (hour, first) SELECT hour, min(sequence) FROM added WHERE hour IS NOT NULL GROUP BY hour
      ON CONFLICT (hour) DO UPDATE SET first = excluded.first WHERE known.first > excluded.first;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER note_observed_hour AFTER INSERT ON activity REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_observed_hour()`,
]

/**
 * Partitions the table of activity while nodes serve it. Existing rows are not moved. Of later rows, reads and searches are in partitions
 * by time, and all others in one partition. Returns the first sequence of the new partitions; undefined if the table was already
 * partitioned.
 */
export async function partitionActivity(sessions: Sessions, now: number): Promise<number | undefined> {
  const { work } = sessions
  if (await isPartitioned(work, ACTIVITY)) return undefined
  const first = await limitAbove(work, 'activity', ACTIVITY)
  await changeWithinBounds(sessions, { name: 'activity', limit: first }, ACTIVITY, [
    ...(await partitioning(work, ACTIVITY, first)),
    removeBoundCheck(beforeOf('activity')),
    `CREATE TABLE activity_after PARTITION OF activity FOR VALUES FROM (${first}) TO (MAXVALUE) PARTITION BY LIST (action)`,
    'CREATE TABLE activity_kept PARTITION OF activity_after (CHECK (hour IS NULL)) DEFAULT',
    'ALTER TABLE activity_kept ADD PRIMARY KEY (sequence)',
    `CREATE TABLE ${EXPIRING} PARTITION OF activity_after (CHECK (hour IS NOT NULL)) FOR VALUES IN ('READ', 'SEARCH') PARTITION BY RANGE (sequence)`,
    ...openPartition(first),
    ...observedHours(hourNumber(now)),
    `INSERT INTO parted (name, first) VALUES ('activity', ${first})`,
  ])
  return first
}

/**
 * Begins a new partition of reads if the oldest read of the open one is at least `hours` hours old. Returns its first sequence,
 * else undefined.
 */
export async function beginActivityPartition(
  sessions: Sessions,
  now: number,
  hours: number,
): Promise<number | undefined> {
  const { work, attemptMs } = sessions
  const open = (await partitionsOf(work, EXPIRING)).at(-1)
  if (open === undefined) return undefined
  const [oldest] = await work.query(`SELECT min(hour) AS hour FROM ${open.name}`)
  if (oldest?.hour === null || Number(oldest?.hour) > hourNumber(now) - hours) return undefined
  // Fails early: under a long transaction, such as a dump, reading the whole partition would be of no use.
  await withLockTimeout(work, `LOCK TABLE ${EXPIRING} IN ACCESS EXCLUSIVE MODE`, { attemptMs })
  const limit = await limitAbove(work, open.name, ACTIVITY)
  const change = [...closing(EXPIRING, open, limit, openPartition), removeBoundCheck(open.name)]
  await changeWithinBounds(sessions, { name: open.name, from: open.from, limit }, ACTIVITY, change)
  return limit
}

/** Drops the partitions whose rows are all of hours before `hour`. Returns their names. */
export async function dropExpiredPartitions({ work, attemptMs }: Sessions, hour: number): Promise<string[]> {
  const dropped: string[] = []
  const closed = (await partitionsOf(work, EXPIRING)).slice(0, -1)
  const newest = await newestOf(work, ACTIVITY)
  for (const { name, to } of closed) {
    if ((to ?? Number.MAX_SAFE_INTEGER) > newest) continue
    const kept = await work.query(`SELECT 1 FROM ${name} WHERE hour >= $1 LIMIT 1`, [hour])
    if (kept.length > 0) continue
    await withLockTimeout(work, `DROP TABLE ${name}`, { attemptMs })
    dropped.push(name)
  }
  await work.query('DELETE FROM observed_hour WHERE hour < $1', [hour - LATE_HOURS])
  return dropped
}
