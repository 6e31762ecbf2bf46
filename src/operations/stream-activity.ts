import { listActivityAfter, toActivity } from '../store/activity.ts'
import { readHead } from '../store/head.ts'
import type { StreamOperation } from './operation.ts'

/** The public feed, upwards by sequence. */
export const streamActivity: StreamOperation = {
  newest: async reader => (await readHead(reader)).sequence,
  after: async (reader, sequence, limit) =>
    (await listActivityAfter(reader, sequence, limit)).map(row => ({
      id: row.sequence,
      event: 'activity',
      data: toActivity(row),
    })),
}
