import type { Relation } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from '../actors/rows.ts'
import { isoTime } from '../values.ts'

export type RelationRow = {
  number: number
  id: string
  ordinal: number
  source_entry_id: string
  target_entry_id: string
  relation_type: Relation['relationType']
  actor_id: string
  origin_id: string | null
  rationale: string
  created_at: number
  withdrawn: number
}

const RELATION: Sql = sql`
  SELECT l.number, l.id, x.ordinal, s.id AS source_entry_id, t.id AS target_entry_id, l.relation_type, ${AUTHOR_COLUMNS}, o.id AS origin_id,
    l.rationale, l.created_at, l.withdrawn
  FROM relation_end x JOIN relation l ON l.number = x.relation JOIN entry s ON s.number = l.source_entry
    JOIN entry t ON t.number = l.target_entry JOIN actor a ON a.number = l.actor LEFT JOIN origin o ON o.number = l.origin`

/** Public relations that start or end at the entry, from `newest` (an ordinal, from 1) downwards. */
export const listRelations = (reader: Reader, entry: number, newest: number, limit: number) =>
  reader.all<RelationRow & AuthorColumns>(sql`
    ${RELATION} WHERE x.entry = ${entry} AND x.ordinal <= ${newest} AND l.withdrawn = 0 ORDER BY x.ordinal DESC LIMIT ${limit}`)

/** All relations at an entry, newest first: for administrators. */
export const listAllRelations = (reader: Reader, entry: number, limit: number) =>
  reader.all<RelationRow>(sql`${RELATION} WHERE x.entry = ${entry} ORDER BY x.ordinal DESC LIMIT ${limit}`)

export type RelationEnd = { entry: number; ordinal: number; revision: number | null }
export type NewRelation = {
  number: number
  id: string
  /** Each entry, the place of the relation among those of the entry, and the current revision of the entry. */
  source: RelationEnd
  target: RelationEnd
  relationType: Relation['relationType']
  actor: number
  origin: number | null
  /** Of a relation of type CONTRADICTS: the group of its origin at the target. */
  originGroup: number
  /** Of such a relation: whether its author wrote a part of the text of the target. */
  own: boolean
  rationale: string
  at: number
}

/** Inserts a relation and its place in the streams of both its ends. */
export async function insertRelation(tx: Transaction, row: NewRelation): Promise<void> {
  await tx.run(sql`
    INSERT INTO relation (number, id, source_entry, target_entry, relation_type, actor, origin, rationale, created_at,
      origin_group, own, source_revision, target_revision)
    VALUES (${row.number}, ${row.id}, ${row.source.entry}, ${row.target.entry}, ${row.relationType}, ${row.actor}, ${row.origin},
      ${row.rationale}, ${row.at}, ${row.originGroup}, ${row.own ? 1 : 0}, ${row.source.revision}, ${row.target.revision})`)
  await tx.run(sql`
    INSERT INTO relation_end (entry, ordinal, relation)
    VALUES (${row.source.entry}, ${row.source.ordinal}, ${row.number}), (${row.target.entry}, ${row.target.ordinal}, ${row.number})`)
}

export const toRelation = (row: Omit<RelationRow, 'number' | 'ordinal' | 'origin_id' | 'withdrawn'>): Relation => ({
  id: row.id,
  sourceEntryId: row.source_entry_id,
  targetEntryId: row.target_entry_id,
  relationType: row.relation_type,
  actorId: row.actor_id,
  rationale: row.rationale,
  createdAt: isoTime(row.created_at),
  ...TRUST,
})
