import type { Revision } from '../contract/resources.ts'
import type { Reader } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Text } from '../domain/evidence/retained-text.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from './actor.ts'

export type BlamedRow = Text & { ordinal: number }

/** The revisions of an entry above one ordinal and up to another that changed something, newest first. */
export const listTexts = (reader: Reader, entry: number, above: number, upTo: number) =>
  reader.all<BlamedRow>(sql`
    SELECT ordinal, title, summary, content FROM revision
    WHERE entry = ${entry} AND ordinal > ${above} AND ordinal <= ${upTo} AND changed = 1 ORDER BY ordinal DESC`)

export type WriterRow = AuthorColumns & {
  id: string
  ordinal: number
  change_type: Revision['changeType']
  created_at: number
  signals: number
}

/** A revision of an entry by its ordinal, with its author as declared. */
export const findWriter = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<WriterRow>(sql`
    SELECT r.id, r.ordinal, r.change_type, r.created_at, r.signals, ${AUTHOR_COLUMNS} FROM revision r JOIN actor a ON a.number = r.actor
    WHERE r.entry = ${entry} AND r.ordinal = ${ordinal}`)
