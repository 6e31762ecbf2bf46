import type { ActorType } from '../../contract/vocabulary.ts'
import { only, type Reader, type Sql, sql } from '../../engine/database.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from '../actors/rows.ts'
import type { Text } from '../evidence/pieces-rules.ts'
import { JOINED_STANDING, type ObjectorRow, STANDING_COLUMNS, type StandingColumns } from '../evidence/rows.ts'

/** Rows that only pages show. Every list reads an index up to its LIMIT. */

type HeadingRow = StandingColumns & {
  id: string
  slug: string
  title: string
  summary: string
  withdrawn: number
}

/** The present title and slug of an entry, by its id; withdrawn ones too. */
export const findHeading = (reader: Reader, id: string) =>
  reader.one<HeadingRow>(sql`
    SELECT e.id, e.slug, e.withdrawn, r.title, r.summary, ${STANDING_COLUMNS} FROM entry e JOIN revision r ON r.number = e.revision
    WHERE e.id = ${id.toLowerCase()}`)

type FacetRow = {
  number: number
  tags: string
  updated_at: number
  standing: string | null
  actor_type: ActorType
  signals: number
}

/** The properties of a public entry by which lists are filtered and ordered. */
export const findFacets = (reader: Reader, number: number) =>
  reader.one<FacetRow>(sql`
    SELECT e.number, e.tags, e.updated_at, e.standing, a.actor_type, r.signals
    FROM entry e JOIN actor a ON a.number = e.actor JOIN revision r ON r.number = e.revision WHERE e.number = ${number} AND e.withdrawn = 0`)

/** A revision of an entry: its text, and its author as declared. */
export const findRevisionAuthor = (reader: Reader, entry: number, revisionId: string) =>
  reader.one<AuthorColumns & Text & { number: number; ordinal: number; signals: number }>(sql`
    SELECT r.number, r.ordinal, r.signals, r.title, r.summary, r.content, ${AUTHOR_COLUMNS} FROM revision r JOIN actor a ON a.number = r.actor
    WHERE r.id = ${revisionId.toLowerCase()} AND r.entry = ${entry}`)

/** A public piece of evidence, or a public relation that contradicts the entry. */
export const findEvidence = (reader: Reader, entry: number, id: string) =>
  reader.one<{ id: string; record: number; quote: string | null; rationale: string }>(sql`
    SELECT id, number AS record, quote, rationale FROM evidence WHERE id = ${id} AND entry = ${entry} AND withdrawn = 0
    UNION ALL
    SELECT id, number AS record, NULL AS quote, rationale FROM relation
    WHERE id = ${id} AND target_entry = ${entry} AND relation_type = 'CONTRADICTS' AND withdrawn = 0 AND target_revision IS NOT NULL`)

/** A revision as the answer to an objection, by the number of its record. */
export const findAnswer = (reader: Reader, number: number) =>
  reader.one<AuthorColumns & { id: string; ordinal: number; rationale: string; created_at: number }>(sql`
    SELECT r.id, r.ordinal, r.rationale, r.created_at, ${AUTHOR_COLUMNS} FROM revision r JOIN actor a ON a.number = r.actor WHERE r.number = ${number}`)

/** The number of public pieces of evidence of an entry, at most `most`. */
export const countEvidence = async (reader: Reader, entry: number, most: number): Promise<number> =>
  only(
    await reader.one<{ n: number }>(sql`
      SELECT count(*) AS n FROM (SELECT v.number FROM evidence v WHERE v.entry = ${entry} AND v.withdrawn = 0 LIMIT ${most}) AS page`),
  ).n

/** The number of public relations at an entry, at most `most`, and how many of them contradict the entry. */
export const countRelations = async (reader: Reader, entry: number, most: number) =>
  only(
    await reader.one<{ relations: number; objections: number }>(sql`
      SELECT count(*) AS relations, coalesce(sum(page.objects), 0) AS objections FROM (
        SELECT CASE WHEN l.relation_type = 'CONTRADICTS' AND l.target_entry = ${entry} THEN 1 ELSE 0 END AS objects
        FROM relation_end x JOIN relation l ON l.number = x.relation
        WHERE x.entry = ${entry} AND x.ordinal > 0 AND l.withdrawn = 0 LIMIT ${most}) AS page`),
  )

type StepRow = {
  number: number
  ordinal: number
  id: string
  change_type: string
  created_at: number
  actor_id: string
}

/** The act of moderation that withdrew an entry. */
export const findWithdrawal = (reader: Reader, entry: number) =>
  reader.one<{ number: number; created_at: number }>(sql`
    SELECT m.number, m.created_at FROM entry e JOIN moderation m ON m.number = e.change
    WHERE e.number = ${entry} AND e.withdrawn = 1`)

/** The newest revisions of an entry, newest first, without their texts. */
export const listSteps = (reader: Reader, entry: number, limit: number) =>
  reader.all<StepRow>(sql`
    SELECT r.number, r.ordinal, r.id, r.change_type, r.created_at, a.id AS actor_id FROM revision r JOIN actor a ON a.number = r.actor
    WHERE r.entry = ${entry} AND r.ordinal > 0 ORDER BY r.ordinal DESC LIMIT ${limit}`)

export type ContestedRow = HeadingRow & { number: number; actor: number; origin: number | null }

/** The most contested public entries without signals, with the actors that published them. */
export const listMostContested = (reader: Reader, limit: number) =>
  reader.all<ContestedRow>(sql`
    SELECT e.number, e.id, e.slug, r.title, r.summary, e.withdrawn, e.actor, e.origin, ${STANDING_COLUMNS}
    FROM entry e JOIN revision r ON r.number = e.revision
    WHERE e.contest > 0 AND e.withdrawn = 0 AND r.signals = 0 ORDER BY e.contest DESC, e.number DESC LIMIT ${limit}`)

type SupporterRow = Pick<ObjectorRow, 'actor' | 'rationale' | 'first_seen_at'>

/** The newest public supports of a revision that are not by its authors. */
export const listSupporters = (reader: Reader, revision: number, limit: number) =>
  reader.all<SupporterRow>(sql`
    SELECT v.actor, v.rationale, a.first_seen_at FROM evidence v JOIN actor a ON a.number = v.actor
    WHERE v.revision = ${revision} AND v.result = 'SUPPORTED' AND v.withdrawn = 0 AND v.own = 0 ORDER BY v.number DESC LIMIT ${limit}`)

export type ChangeRow = AuthorColumns &
  StandingColumns & {
    number: number
    id: string
    slug: string
    ordinal: number
    title: string
    summary: string
    rationale: string
    change_type: string
    created_at: number
    hidden: number
  }

/** The newest revisions of all entries, newest first. Those with `hidden` are not public. */
export const listRecentChanges = (reader: Reader, before: number, limit: number) =>
  reader.all<ChangeRow>(sql`
    SELECT r.number, r.id, e.slug, r.ordinal, r.title, r.summary, r.rationale, r.change_type, r.created_at, ${AUTHOR_COLUMNS}, ${JOINED_STANDING},
      CASE WHEN e.withdrawn = 1 OR r.title = '' OR e.data_class <> 'EXTERNAL' OR a.quarantined = 1 OR coalesce(o.quarantined, 0) = 1 THEN 1 ELSE 0 END AS hidden
    FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor LEFT JOIN origin o ON o.number = r.origin
      LEFT JOIN actor c ON c.number = e.changed_by
    WHERE r.number < ${before} ORDER BY r.number DESC LIMIT ${limit}`)

/** The time of the newest revision whose record number is at most `number`. */
export const findRecordTime = (reader: Reader, number: number) =>
  reader.one<{ number: number; created_at: number }>(
    sql`SELECT number, created_at FROM revision WHERE number <= ${number} ORDER BY number DESC LIMIT 1`,
  )

/** Addresses of the public entries with numbers from `first` to below `end`. */
export const listAddresses = (reader: Reader, first: number, end: number, limit: number) =>
  reader.all<{ slug: string; updated_at: number }>(sql`
    SELECT slug, updated_at FROM entry WHERE number >= ${first} AND number < ${end} AND withdrawn = 0 ORDER BY number LIMIT ${limit}`)

/** Touches the pages of an entry and its current revision. Used for prefetching; the result is discarded. */
export const pagesOfEntry = (number: number): Sql =>
  sql`SELECT r.ordinal FROM entry e JOIN revision r ON r.number = e.revision WHERE e.number = ${number}`
