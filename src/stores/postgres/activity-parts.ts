import { type Reader, sql } from '../../engine/database.ts'
import { connectPostgres } from '../../engine/postgres.ts'
import { HOUR } from '../../memory/values.ts'
import { errorCode } from '../../operator-error.ts'

/**
 * The partitions of reads and searches. A small store has one, `activity_reads_rest`. Once it is large, nodes create partitions of a range
 * of clock hours ahead of time, and drop each when all of its hours have expired. A row whose hour has no partition goes to the rest.
 */

/** The number of partitions within a retention, and the minimum clock hours of a partition. */
const PARTS = 15
const PART_HOURS_MIN = 24
/** A partition is created at least this many hours before its first one. */
const AHEAD_HOURS = 24
/** The size in bytes from which the rest is large. PostgreSQL reads the rest when a partition is created: this takes about 0.1 s. */
const REST_LARGE = 64 * 1024 * 1024
/** How long the nodes may wait for a change of partitions, in milliseconds. A change that takes longer is tried again a minute later. */
const LOCK_TIMEOUT_MS = 300
const STATEMENT_TIMEOUT_MS = 2_000
/** The advisory lock that lets one node at a time change partitions. */
const LOCK = 7_261_843_206

/** A partition with the reads of the clock hours from `from` up to, without, `to`. Its name has both. */
type SequenceRange = { from: number; to: number }

const nameOf = ({ from, to }: SequenceRange): string => `activity_reads_${from}_${to}`

export const createPart = (part: SequenceRange): string =>
  `CREATE TABLE IF NOT EXISTS ${nameOf(part)} PARTITION OF activity_reads (hour NOT NULL, PRIMARY KEY (sequence)) FOR VALUES FROM (${part.from}) TO (${part.to})`

/** The clock hours of a partition. */
const hoursOfPart = (retentionDays: number): number => Math.max(PART_HOURS_MIN, Math.ceil((retentionDays * 24) / PARTS))

/** The statements that are due in a clock hour: expired partitions are dropped, and the next one is created. */
function changesDue(
  parts: readonly SequenceRange[],
  restBytes: number,
  { hour, retentionDays }: { hour: number; retentionDays: number },
): string[] {
  const dropped = parts
    .filter(({ to }) => to <= hour - retentionDays * 24)
    .map(part => `DROP TABLE IF EXISTS ${nameOf(part)}`)
  const last = Math.max(0, ...parts.map(({ to }) => to))
  if (parts.length === 0 ? restBytes < REST_LARGE : last > hour + AHEAD_HOURS) return dropped
  const from = Math.max(last, hour + 1)
  return [...dropped, createPart({ from, to: from + hoursOfPart(retentionDays) })]
}

async function readParts(reader: Reader): Promise<{ parts: SequenceRange[]; restBytes: number }> {
  const rows = await reader.all<{ name: string; bytes: number }>(sql`
    SELECT c.relname AS name, pg_table_size(c.oid) AS bytes FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(${'activity_reads'})`)
  const parts = rows.flatMap(({ name }) => {
    const [, from, to] = /^activity_reads_(\d+)_(\d+)$/.exec(name) ?? []
    return from === undefined ? [] : [{ from: Number(from), to: Number(to) }]
  })
  return { parts, restBytes: rows.find(({ name }) => name === 'activity_reads_rest')?.bytes ?? 0 }
}

/** Errors after which a change is tried again: a lock was not free or the rest is too large, or it has rows of the new partition. */
const TRIED_AGAIN = new Set(['55P03', '57014', '40P01', '23514'])
const NO_RIGHTS = '42501'

/**
 * Creates and drops the partitions that are due. Returns the first clock hour of a partition: earlier rows are deleted one by one. Without
 * partitions, all expired rows are. A node creates none without the rights of the table's owner, nor while a long transaction, such as a
 * dump, uses the table.
 */
export async function renewParts(reader: Reader, url: string, now: number, retentionDays: number): Promise<number> {
  const { parts, restBytes } = await readParts(reader)
  const changes = changesDue(parts, restBytes, { hour: Math.floor(now / HOUR), retentionDays })
  if (changes.length > 0) await change(url, changes)
  const present = changes.length > 0 ? (await readParts(reader)).parts : parts
  return Math.min(Number.MAX_SAFE_INTEGER, ...present.map(({ from }) => from))
}

async function change(url: string, changes: readonly string[]): Promise<void> {
  const limits = { statementTimeout: STATEMENT_TIMEOUT_MS, idleTimeout: STATEMENT_TIMEOUT_MS }
  await using connection = await connectPostgres({ url, name: 'parts', ...limits })
  for (const one of changes) {
    try {
      const locks = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SELECT pg_advisory_xact_lock(${LOCK})`
      await connection.exec(`BEGIN; ${locks}; ${one}; COMMIT`)
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {})
      const code = errorCode((error as Error).cause) ?? errorCode(error)
      if (code === NO_RIGHTS) return
      if (!TRIED_AGAIN.has(code ?? '')) throw error
    }
  }
}
