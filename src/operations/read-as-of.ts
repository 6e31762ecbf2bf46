import { Problem } from '../contract/problem.ts'
import type { EntryAsOf } from '../contract/resources.ts'
import { toEntry } from '../store/entry.ts'
import { momentOf, revisionAt, standingAt } from './as-of.ts'
import { etagOf } from './etag.ts'
import type { ReadOperation } from './operation.ts'
import { addressed, readOf } from './pages.ts'

/** Reads an entry as it stood when a sequence was committed. Moderation applies as of now. */
export const readEntryAsOf: ReadOperation = async ({ reader }, request) => {
  const entry = await addressed(reader, request)
  const moment = await momentOf(reader, request)
  const revision = await revisionAt(reader, entry, moment)
  if (revision === undefined) throw new Problem('ENTRY_NOT_YET_CREATED')
  const { id, ordinal, title, summary, content, signals, updated_at } = revision
  const { standing, complete } = await standingAt(reader, entry, revision, moment)
  const body: EntryAsOf = {
    ...toEntry({
      ...{ ...entry, revision_id: id, revisions: ordinal },
      ...{ title, summary, content, signals, updated_at },
    }),
    standing: { state: standing.state, tally: standing.tally },
    asOf: String(moment.sequence),
    complete,
  }
  const etag = `${etagOf(body)}${complete ? '' : '.partial'}`
  return { body, etag, observed: readOf(entry, revision.number) }
}
