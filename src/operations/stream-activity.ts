import { listActivityAfter, toActivity } from '../store/activity.ts'
import { readHead } from '../store/head.ts'
import type { StreamOperation } from './operation.ts'

/** The public feed, upwards by sequence. */
export const streamActivity: StreamOperation = {
  newest: async reader => (await readHead(reader)).sequence,
  async after(reader, sequence, limit, newest) {
    const rows = await listActivityAfter(reader, sequence, limit)
    const events = rows.map(row => ({ id: row.sequence, event: 'activity', data: toActivity(row) }))
    const last = rows.at(-1)?.sequence ?? sequence
    return { events, place: rows.length < limit ? Math.max(last, newest) : last }
  },
}
