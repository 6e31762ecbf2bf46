import { LIMITS } from '../../contract/limits.ts'
import { sequenceOf } from '../../domain/cursor.ts'
import { listAllReports, listOpenReports, toAdminReport } from '../../store/report.ts'
import type { ReadOperation } from '../operation.ts'
import { nextQuery } from '../pagination.ts'

/** One page of the reports, newest first: those that are open, or all. */
export const listReports: ReadOperation<'listReports'> = async ({ reader }, { query }) => {
  const { limit = LIMITS.pageDefault, before, state = 'open' } = query
  const list = state === 'open' ? listOpenReports : listAllReports
  const found = await list(reader, sequenceOf(before), limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const nextCursor = found.length > limit && last !== undefined ? String(last.number) : null
  return { body: { items: rows.map(toAdminReport), nextCursor }, ...nextQuery(nextCursor) }
}
