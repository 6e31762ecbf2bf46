import type { Reader } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { COUNTED_JUDGEMENTS } from '../domain/evidence/standing.ts'
import { TEXT, type TextRow } from './standing.ts'

/** The maximum number of texts of an actor that are compared to find out whether it judged its own words. */
const OWN_TEXTS = 4
/** The words of a judged revision are searched in the revisions less than this many ordinals before it. */
const AUTHORS_WINDOW = 32

/** An actor's revisions of an entry before an ordinal: the first revision, if it is the actor's, and the last few of the window. */
export async function listOwnTexts(reader: Reader, entry: number, actor: number, ordinal: number): Promise<TextRow[]> {
  const [first, later] = await Promise.all([
    reader.all<TextRow>(sql`${TEXT} WHERE number = ${entry} AND actor = ${actor}`),
    reader.all<TextRow>(sql`
      ${TEXT} WHERE entry = ${entry} AND ordinal > ${Math.max(1, ordinal - AUTHORS_WINDOW)} AND ordinal < ${ordinal}
        AND actor = ${actor} ORDER BY ordinal DESC LIMIT ${OWN_TEXTS}`),
  ])
  return [...first, ...later]
}

/** Whether an actor changed the text of an entry after the revision with a number. */
export const hasChangedAfter = async (reader: Reader, entry: number, actor: number, text: number): Promise<boolean> =>
  (await reader.one(sql`
    SELECT number FROM revision
    WHERE actor = ${actor} AND entry = ${entry} AND ordinal > 1 AND number > ${text} AND changed = 1 LIMIT 1`)) !==
  undefined

/** The actors that judged a text of an entry and changed the entry later, with that text. Only changes up to the record `upTo` count. */
export const listChangedByJudges = (reader: Reader, entry: number, upTo: number) =>
  reader.all<{ actor: number; text: number }>(sql`
    SELECT j.actor, j.text FROM judgement j WHERE j.entry = ${entry} AND EXISTS (
      SELECT 1 FROM revision r WHERE r.actor = j.actor AND r.entry = j.entry AND r.ordinal > 1 AND r.number > j.text
        AND r.number <= ${upTo} AND r.changed = 1)
    LIMIT ${COUNTED_JUDGEMENTS + 1}`)
