import { Problem } from '../../contract/problem.ts'
import type { EntryAsOf } from '../../contract/resources.ts'
import { toEntry } from '../../store/entry.ts'
import { etagOf } from '../entries/etag.ts'
import type { ReadOperation } from '../operation.ts'
import { findAddressed, observedRead } from '../pagination.ts'
import { momentOf, revisionAt, standingAt } from './as-of.ts'

/** Reads an entry as of a sequence. Moderation applies as of now. */
export const readEntryAsOf: ReadOperation<'readEntryAsOf'> = async ({ reader }, request) => {
  const entry = await findAddressed(reader, request)
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
    standing,
    asOf: String(moment.sequence),
    complete,
  }
  const etag = `${etagOf(body)}${complete ? '' : '.partial'}`
  return { body, etag, observed: observedRead(entry, revision.number) }
}
