import { only, type Reader } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { ChangeKey } from '../domain/change.ts'
import { WRITTEN, writesOf } from './activity.ts'

/** The range of sequences, above `after` and up to `upTo`, and the number of keys. Each list reads an index and ends at the limit. */
export type SequenceRange = { after: number; upTo: number; limit: number }

/** The stored key of a change. A change by moderation has the id of its entry. */
export type StoredKey = ChangeKey & { id?: string }

type WrittenRow = Pick<ChangeKey, 'sequence' | 'action' | 'actor' | 'entry' | 'target'> & { shown: number }

const KEY: Sql = sql`SELECT sequence, action, actor, entry, target,
  CASE WHEN data_class = 'EXTERNAL' AND withdrawn = 0 THEN 1 ELSE 0 END AS shown FROM activity`

async function listKeys(reader: Reader, condition: Sql, { after, upTo, limit }: SequenceRange): Promise<StoredKey[]> {
  const rows = await reader.all<WrittenRow>(sql`
    ${KEY} WHERE ${condition} AND sequence > ${after} AND sequence <= ${upTo} ORDER BY sequence LIMIT ${limit}`)
  return rows.map(row => ({ ...row, shown: row.shown === 1 }))
}

/** The writes that the public feed shows. */
export const listWritten = (reader: Reader, range: SequenceRange) => listKeys(reader, WRITTEN, range)

/** The writes about an entry. */
export const listWrittenOf = (reader: Reader, entry: number, range: SequenceRange) =>
  listKeys(reader, writesOf(entry), range)

/** The relations with an entry as their target. */
export const listWrittenTo = (reader: Reader, entry: number, range: SequenceRange) =>
  listKeys(reader, sql`target = ${entry} AND hour IS NULL`, range)

/** The writes of an actor. */
export const listWrittenBy = (reader: Reader, actor: number, range: SequenceRange) =>
  listKeys(reader, sql`actor = ${actor} AND hour IS NULL AND withdrawn = 0`, range)

export type ModeratedRow = { number: number; id: string; withdrawn: number; moderated: number | null }

const MODERATED: Sql = sql`SELECT number, id, withdrawn, moderated FROM entry`

/** The latest withdrawal or return of an entry; empty if it was never withdrawn. */
export const keysOfEntry = (
  { number, id, withdrawn, moderated }: ModeratedRow,
  { after, upTo }: SequenceRange,
): StoredKey[] =>
  moderated === null || moderated <= after || moderated > upTo
    ? []
    : [
        {
          ...{ sequence: moderated, action: withdrawn === 1 ? 'WITHDRAW' : 'RESTORE' },
          ...{ actor: null, entry: number, target: null, shown: true, id },
        },
      ]

/** The latest withdrawal or return of each entry that was ever withdrawn. */
export async function listModerated(reader: Reader, range: SequenceRange): Promise<StoredKey[]> {
  const rows = await reader.all<ModeratedRow>(sql`
    ${MODERATED} WHERE moderated > ${range.after} AND moderated <= ${range.upTo} ORDER BY moderated LIMIT ${range.limit}`)
  return rows.flatMap(row => keysOfEntry(row, range))
}

/** The state of moderation of an entry, by its number. */
export const findModerated = (reader: Reader, number: number) =>
  reader.one<ModeratedRow>(sql`${MODERATED} WHERE number = ${number}`)

/**
 * The sequence up to which changes are complete: the newest sequence, or, in a mirror, the sequence up to which it has also followed
 * moderation.
 */
export const readSettled = async (reader: Reader): Promise<number> =>
  only(
    await reader.one<{ sequence: number }>(
      sql`SELECT coalesce((SELECT settled FROM mirror WHERE one = 1), sequence) AS sequence FROM head`,
    ),
  ).sequence
