import assert from 'node:assert/strict'
import type { PostgresConnection } from '../../src/database/postgres.ts'
import { beginActivityPartition, partitionActivity } from '../../src/postgres/partitions/activity.ts'
import { withPartitionSessions } from '../../src/postgres/partitions/maintenance.ts'

/** The number of parts of the reads: those of 90 days, and the open one. */
export const PARTS = 16
const HOUR = 3_600_000
const FIRST_HOUR = 1_000
export const NEWEST_HOUR = FIRST_HOUR + PARTS - 1
/** Numbers that a part gets; more than those between the newest number and the limit of a part. */
const SIZE = 25_000
const ROWS = 200

/** Divides the tables of a filled database into parts, each with rows about its first entries. */
export async function dividePostgres(connection: PostgresConnection, url: string): Promise<void> {
  await withPartitionSessions(url, async sessions => {
    let now = FIRST_HOUR * HOUR
    assert.ok((await partitionActivity(sessions, now)) !== undefined)
    for (let n = 0; n < PARTS; n++) {
      await connection.exec(`
        UPDATE head SET sequence = sequence + ${SIZE};
        INSERT INTO activity (sequence, actor, origin, action, entry, request_id, data_class, created_at, hour)
          SELECT h.sequence - g, 1 + g / 10, 1 + g / 10, 'READ', 1 + g % 10, 'request', 'EXTERNAL', ${now}, ${now / HOUR}
          FROM head h, generate_series(0, ${ROWS - 1}) g`)
      now += HOUR
      if (n < PARTS - 1) assert.ok((await beginActivityPartition(sessions, now, 1)) !== undefined)
    }
  })
  await connection.exec('ANALYZE')
  await connection.exec('VACUUM')
}
