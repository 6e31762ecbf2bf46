import { readConfig } from '../../config.ts'
import { migratePostgres } from '../../database/migrate-postgres.ts'
import { OperatorError } from '../../operator-error.ts'
import { assertPrimary, assertTrustworthy } from '../../postgres/checks.ts'
import { readCopyTarget } from '../../postgres/copying.ts'
import { partitionActivity } from '../../postgres/partitions/activity.ts'
import { renewPartitions, withPartitionSessions } from '../../postgres/partitions/maintenance.ts'
import { connectCommand } from '../../postgres/snapshot.ts'
import { EXIT, type Invocation } from '../command.ts'
import { createProgress, type Progress } from '../progress.ts'
import { databaseUrlOf } from './data-dir.ts'

/** Divides the tables of a store in PostgreSQL, also while it is served, and prints from which numbers on. */
export async function partitionStore(invocation: Invocation): Promise<number> {
  const url = databaseUrlOf(invocation)
  if (url === undefined) {
    throw new OperatorError('Only a store in PostgreSQL can be divided; name its database by DATABASE_URL.')
  }
  await prepare(url)
  const progress = createProgress(invocation.stderr)
  const lines = await partition(url, retentionDaysOf(invocation), progress).finally(() => progress.end())
  if (lines === undefined) {
    throw new OperatorError('A node or another command is changing the parts of this store; run the command again.')
  }
  invocation.stdout.write(`${lines.join('\n')}\n`)
  return EXIT.ok
}

const retentionDaysOf = ({ env: { ACTIVITY_RETENTION_DAYS: days } }: Invocation): number =>
  readConfig(days === undefined ? {} : { ACTIVITY_RETENTION_DAYS: days }).activityRetentionDays

const partition = (url: string, retentionDays: number, progress: Progress): Promise<string[] | undefined> =>
  withPartitionSessions(url, async sessions => {
    progress.phase('Reading the activity')
    const first = await partitionActivity(sessions, Date.now())
    if (first !== undefined) {
      return [`The activity is divided from sequence ${first} on: writes stay, and reads are in parts by time.`]
    }
    const { dropped, begun } = await renewPartitions(sessions, Date.now(), retentionDays)
    return [
      'The activity is divided.',
      ...dropped.map(name => `Dropped: ${name}, whose reads have expired.`),
      ...(begun === undefined ? [] : [`Begun: a part of the reads from sequence ${begun} on.`]),
    ]
  })

/** Throws OperatorError unless the database has a store that a node has served, and brings its schema up to date. */
async function prepare(url: string): Promise<void> {
  const connection = await connectCommand(url)
  try {
    await assertTrustworthy(connection)
    await assertPrimary(connection)
    await migratePostgres(connection, Date.now())
    if ((await readCopyTarget(connection)).state === 'written') return
    throw new OperatorError('No node has served this database yet; start one first, and finish a copy before.')
  } finally {
    await connection.close()
  }
}
