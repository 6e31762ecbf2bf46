import { only, type Reader, sql } from '../../engine/database.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from '../actors/rows.ts'
import type { Text } from '../evidence/pieces-rules.ts'

/** The maximum number of writes in one commit. Within a commit, the orders of sequences and of records may differ. */
const GROUP_MAX = 256

/** The newest record that was committed when a sequence was assigned; 0 if there is none. Later records have later sequences. */
export const findRecordAt = async (reader: Reader, sequence: number): Promise<number> =>
  only(
    await reader.one<{ record: number | null }>(sql`
      SELECT max(record) AS record FROM (
        SELECT coalesce(s.subject, s.revision) AS record FROM activity s
        WHERE s.hour IS NULL AND s.sequence <= ${sequence} AND s.action NOT IN ('READ', 'SEARCH')
        ORDER BY s.sequence DESC LIMIT ${GROUP_MAX}) AS w`),
  ).record ?? 0

/** The record number of the revision of an entry with an ordinal. */
const findNumber = async (reader: Reader, entry: number, ordinal: number): Promise<number | undefined> =>
  (
    await reader.one<{ number: number }>(
      sql`SELECT number FROM revision WHERE entry = ${entry} AND ordinal = ${ordinal}`,
    )
  )?.number

/** The ordinal of the newest revision of an entry whose record is at most `record`. Binary search, one look-up a step. */
export async function findOrdinalAt(
  reader: Reader,
  { number: entry, revisions }: { number: number; revisions: number },
  record: number,
): Promise<number> {
  let least = 1
  let most = revisions
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    const number = await findNumber(reader, entry, middle)
    if (number !== undefined && number <= record) least = middle
    else most = middle - 1
  }
  return least
}

/** The maximum number of revisions after a record that are read. */
const LATER_MAX = 200

/** Whether no text was changed after a record; false if more than LATER_MAX revisions follow it. */
export async function areTextsAsAt(reader: Reader, record: number): Promise<boolean> {
  const later = await reader.all<{ ordinal: number; changed: number }>(
    sql`SELECT ordinal, changed FROM revision WHERE number > ${record} ORDER BY number LIMIT ${LATER_MAX + 1}`,
  )
  return later.length <= LATER_MAX && later.every(({ ordinal, changed }) => ordinal === 1 || changed === 0)
}

export type RevisionThen = Text &
  AuthorColumns & {
    number: number
    id: string
    ordinal: number
    created_at: number
    changed: number
    signals: number
  }

export const findRevisionAt = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<RevisionThen>(sql`
    SELECT r.number, r.id, r.ordinal, r.created_at, r.changed, r.signals, r.title, r.summary, r.content, ${AUTHOR_COLUMNS}
    FROM revision r JOIN actor a ON a.number = r.actor WHERE r.entry = ${entry} AND r.ordinal = ${ordinal}`)

/** At most this many consecutive revisions without a change are skipped. */
const UNCHANGED_MAX = 1_000

/** The time of the newest revision of an entry before an ordinal that changed something. */
export const findChangeBefore = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<{ created_at: number }>(sql`
    SELECT created_at FROM revision WHERE entry = ${entry} AND ordinal < ${ordinal} AND ordinal >= ${ordinal - UNCHANGED_MAX} AND changed = 1
    ORDER BY ordinal DESC LIMIT 1`)

/** The records of the newest judgement and of the newest relation of an entry; null where there is none. */
export const findNewestAbout = (
  reader: Reader,
  { number, evidence, relations }: { number: number; evidence: number; relations: number },
) =>
  reader.one<{ judged: number | null; related: number | null }>(sql`
    SELECT (SELECT v.number FROM evidence v WHERE v.entry = ${number} AND v.ordinal = ${evidence}) AS judged,
      (SELECT x.relation FROM relation_end x WHERE x.entry = ${number} AND x.ordinal = ${relations}) AS related`)
