import type { Revision } from '../contract/resources.ts'
import type { Reader } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { COUNTED_JUDGEMENTS, type Judgement } from '../domain/standing.ts'
import { findActorById } from './actor.ts'
import type { EntryRow } from './entry.ts'
import { findOrigin } from './origin.ts'
import { type JudgementRow, toJudgement } from './standing.ts'

/** A pinned revision, and whether a later revision of its entry changed anything. */
export type PinnedRow = {
  number: number
  ordinal: number
  change_type: Revision['changeType']
  rationale: string
  title: string
  summary: string
  content: string
  changed_after: number
}

/** A revision of an entry by its id, in lower case. */
export const findPinned = (reader: Reader, entry: number, id: string) =>
  reader.one<PinnedRow>(sql`
    SELECT r.number, r.ordinal, r.change_type, r.rationale, r.title, r.summary, r.content,
      CASE WHEN EXISTS (SELECT 1 FROM revision n WHERE n.entry = r.entry AND n.ordinal > r.ordinal AND n.changed = 1) THEN 1 ELSE 0 END AS changed_after
    FROM revision r WHERE r.id = ${id} AND r.entry = ${entry}`)

/** The newest judgements of each kind that are read, at most. */
const JUDGED_MAX = 200

/** The public judgements of an entry above a sequence: verifications, contradictions, and relations of type CONTRADICTS that lead to it. */
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

/** The judgements of an entry about one of its texts. */
export const listJudgementsOfText = async (reader: Reader, entry: number, text: number): Promise<Judgement[]> =>
  (
    await reader.all<JudgementRow>(sql`
      SELECT actor, text, record, verdict, own, origin_group, at FROM judgement
      WHERE entry = ${entry} AND text = ${text} LIMIT ${COUNTED_JUDGEMENTS + 1}`)
  ).map(toJudgement)

/** An actor or an origin that was withdrawn or restored. */
export type ModeratedSource = { type: 'ACTOR' | 'ORIGIN'; number: number }

/** The newest acts of moderation that are looked at. */
const ACTS_MAX = 100

/** The actors and origins that the newest acts of moderation above a record withdrew or restored. */
export async function listModeratedSources(reader: Reader, record: number): Promise<ModeratedSource[]> {
  const acts = await reader.all<{ type: string; id: string; changed: number }>(sql`
    SELECT target_type AS type, target_id AS id, changed FROM moderation WHERE number > ${record} ORDER BY number DESC LIMIT ${ACTS_MAX}`)
  const targets = new Map(acts.filter(({ changed }) => changed === 1).map(({ type, id }) => [id, type]))
  const sources = await Promise.all(
    [...targets].map(async ([id, type]): Promise<ModeratedSource[]> => {
      if (type !== 'ACTOR' && type !== 'ORIGIN') return []
      const found = await (type === 'ACTOR' ? findActorById(reader, id) : findOrigin(reader, id))
      return found === undefined ? [] : [{ type, number: found.number }]
    }),
  )
  return sources.flat()
}

/** Whether an actor or an origin of these judged an entry, publicly or not. */
export async function isJudgedByOneOf(
  reader: Reader,
  entry: number,
  sources: readonly ModeratedSource[],
): Promise<boolean> {
  for (const { type, number } of sources) {
    if (await (type === 'ACTOR' ? findJudgedByActor : findJudgedByOrigin)(reader, entry, number)) return true
  }
  return false
}

const findJudgedByActor = async (reader: Reader, entry: number, actor: number): Promise<boolean> =>
  (await reader.one(sql`
    SELECT v.number FROM evidence v WHERE v.actor = ${actor} AND v.entry = ${entry}
    UNION ALL SELECT l.number FROM relation l WHERE l.actor = ${actor} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS'
    LIMIT 1`)) !== undefined

const findJudgedByOrigin = async (reader: Reader, entry: number, origin: number): Promise<boolean> =>
  (await reader.one(sql`
    SELECT v.number FROM evidence v WHERE v.origin = ${origin} AND v.entry = ${entry}
    UNION ALL SELECT l.number FROM relation l WHERE l.origin = ${origin} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS'
    LIMIT 1`)) !== undefined
