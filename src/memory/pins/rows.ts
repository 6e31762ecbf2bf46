import type { Revision } from '../../contract/resources.ts'
import { type Reader, sql } from '../../engine/database.ts'
import type { EntryRow } from '../entries/rows.ts'

/** A pinned revision, and whether a later revision of its entry changed anything. `change_type` and `rationale` are those of the latest. */
export type PinnedRow = {
  number: number
  ordinal: number
  change_type: Revision['changeType']
  rationale: string
  title: string
  summary: string
  content: string
  signals: number
  changed_after: number
  /** The record number of the latest act of moderation that withdrew or restored evidence about the entry; 0 if there is none. */
  evidence_moderated: number
}

/** A revision of an entry by its id, in lower case. */
export const findPinned = (reader: Reader, { number, revision }: Pick<EntryRow, 'number' | 'revision'>, id: string) =>
  reader.one<PinnedRow>(sql`
    SELECT r.number, r.ordinal, l.change_type, l.rationale, r.title, r.summary, r.content, r.signals,
      CASE WHEN EXISTS (SELECT 1 FROM revision n WHERE n.entry = r.entry AND n.ordinal > r.ordinal AND n.changed = 1) THEN 1 ELSE 0 END AS changed_after,
      coalesce(e.evidence_moderated, 0) AS evidence_moderated
    FROM revision r JOIN entry e ON e.number = r.entry JOIN revision l ON l.number = ${revision}
    WHERE r.id = ${id} AND r.entry = ${number}`)

/** The maximum number of newest judgements of each kind that are read. */
const JUDGED_MAX = 200

/**
 * The public judgements of an entry above a sequence: verifications, contradictions, and relations of type CONTRADICTS with the entry as
 * target.
 */
export async function listJudgedAfter(
  reader: Reader,
  { number, evidence, relations }: Pick<EntryRow, 'number' | 'evidence' | 'relations'>,
  since: number,
): Promise<{ record: number }[]> {
  const [said, objected] = await Promise.all([
    reader.all<{ record: number }>(sql`
      SELECT v.number AS record FROM evidence v JOIN activity s ON s.subject = v.number AND s.hour IS NULL
      WHERE v.entry = ${number} AND v.ordinal > ${evidence - JUDGED_MAX} AND v.withdrawn = 0
        AND s.sequence > ${since} AND s.action IN ('VERIFY', 'CONTRADICT')`),
    reader.all<{ record: number }>(sql`
      SELECT l.number AS record FROM relation_end x JOIN relation l ON l.number = x.relation JOIN activity s ON s.subject = l.number AND s.hour IS NULL
      WHERE x.entry = ${number} AND x.ordinal > ${relations - JUDGED_MAX} AND l.target_entry = ${number}
        AND l.relation_type = 'CONTRADICTS' AND l.withdrawn = 0 AND s.sequence > ${since} AND s.action = 'CONNECT'`),
  ])
  return [...said, ...objected]
}
