import type { Reader } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { authorOf, findActorById } from '../store/actor.ts'
import { isCitable } from '../store/revision.ts'

type Row = { number: number; actor_id: string }
type RevisionRow = Row & {
  id: string
  entry_id: string
  previous_id: string | null
  title: string
  summary: string
  content: string
  change_type: string
  rationale: string
  sources: string
  tags: string
}
type EvidenceRow = Row & {
  id: string
  kind: 'VERIFY' | 'CONTRADICT'
  entry_id: string
  revision_id: string
  result: string
  confidence: number
  rationale: string
  source_entry_id: string | null
  origin_group: number
}
type RelationRow = Row & {
  id: string
  source_entry_id: string
  target_entry_id: string
  relation_type: string
  rationale: string
  origin_group: number
}

/** Record numbers per read. It bounds the memory. */
const RANGE = 200

/**
 * All public records, in the order of their numbers, each actor before its first record. Withdrawn records, and records that refer to them,
 * are omitted. The caller has an open transaction, so that all records are of one state.
 */
export async function* publicRecords(store: Reader, newest: number): AsyncGenerator<object[]> {
  const shown = new Set<string>()
  for (let after = 0; after < newest; after += RANGE) {
    const rows = [
      ...(await revisionsIn(store, after)).map(row => ({ row, record: () => revisionRecord(store, row) })),
      ...(await evidenceIn(store, after)).map(row => ({ row, record: () => evidenceRecord(row) })),
      ...(await relationsIn(store, after)).map(row => ({ row, record: () => relationRecord(row) })),
    ].sort((a, b) => a.row.number - b.row.number)
    const records: object[] = []
    for (const { row, record } of rows) {
      if (!shown.has(row.actor_id)) {
        shown.add(row.actor_id)
        records.push(await actorRecord(store, row.actor_id))
      }
      records.push(await record())
    }
    yield records
  }
}

const revisionsIn = (store: Reader, after: number) =>
  store.all<RevisionRow>(sql`
    SELECT r.number, r.id, e.id AS entry_id, p.id AS previous_id, a.id AS actor_id, r.title, r.summary, r.content, r.change_type,
      r.rationale, r.sources, e.tags
    FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor
      LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1
    WHERE r.number > ${after} AND r.number <= ${after + RANGE} AND e.withdrawn = 0`)

const evidenceIn = (store: Reader, after: number) =>
  store.all<EvidenceRow>(sql`
    SELECT v.number, v.id, v.kind, e.id AS entry_id, r.id AS revision_id, a.id AS actor_id, v.result, v.confidence, v.rationale,
      v.origin_group,
      CASE WHEN s.withdrawn = 0 THEN s.id END AS source_entry_id
    FROM evidence v JOIN entry e ON e.number = v.entry JOIN revision r ON r.number = v.revision JOIN actor a ON a.number = v.actor
      LEFT JOIN entry s ON s.number = v.source_entry
    WHERE v.number > ${after} AND v.number <= ${after + RANGE} AND v.withdrawn = 0 AND e.withdrawn = 0`)

const relationsIn = (store: Reader, after: number) =>
  store.all<RelationRow>(sql`
    SELECT l.number, l.id, s.id AS source_entry_id, t.id AS target_entry_id, l.relation_type, a.id AS actor_id, l.rationale, l.origin_group
    FROM relation l JOIN entry s ON s.number = l.source_entry JOIN entry t ON t.number = l.target_entry JOIN actor a ON a.number = l.actor
    WHERE l.number > ${after} AND l.number <= ${after + RANGE} AND l.withdrawn = 0 AND s.withdrawn = 0 AND t.withdrawn = 0`)

async function actorRecord(store: Reader, id: string): Promise<object> {
  const actor = await findActorById(store, id)
  if (actor === undefined) throw new Error(`Actor ${id} vanished.`)
  const { name, model, provider } = authorOf(actor).declared
  return {
    type: 'actor',
    id,
    actorType: actor.actor_type,
    ...(name === null ? {} : { declaredName: name }),
    ...(model === null ? {} : { declaredModel: model }),
    ...(provider === null ? {} : { declaredProvider: provider }),
  }
}

async function revisionRecord(store: Reader, row: RevisionRow): Promise<object> {
  const { id, title, summary, content } = row
  const sources = await publicSources(store, row.sources)
  if (row.previous_id === null) {
    const tags = JSON.parse(row.tags) as string[]
    return {
      type: 'entry',
      id: row.entry_id,
      revisionId: id,
      actorId: row.actor_id,
      title,
      summary,
      content,
      tags,
      sources,
    }
  }
  return {
    type: 'revision',
    id,
    entryId: row.entry_id,
    actorId: row.actor_id,
    previousRevisionId: row.previous_id,
    title,
    summary,
    content,
    changeType: row.change_type,
    rationale: row.rationale,
    sources,
  }
}

async function publicSources(store: Reader, text: string): Promise<object[]> {
  const sources: object[] = []
  for (const source of JSON.parse(text) as { entryId: string; revisionId: string }[]) {
    if (await isCitable(store, source.entryId, source.revisionId)) sources.push(source)
  }
  return sources
}

function evidenceRecord(row: EvidenceRow): object {
  const { id, rationale } = row
  const common = { id, entryId: row.entry_id, revisionId: row.revision_id, actorId: row.actor_id, ...groupOf(row) }
  if (row.kind === 'VERIFY') {
    return { type: 'verification', ...common, result: row.result, confidence: row.confidence, rationale }
  }
  const source = row.source_entry_id === null ? {} : { sourceEntryId: row.source_entry_id }
  return { type: 'contradiction', ...common, rationale, ...source }
}

const relationRecord = (row: RelationRow): object => ({
  type: 'relation',
  id: row.id,
  actorId: row.actor_id,
  sourceEntryId: row.source_entry_id,
  targetEntryId: row.target_entry_id,
  relationType: row.relation_type,
  rationale: row.rationale,
  ...groupOf(row),
})

/** The group of its origin within the judged entry. In an import, too, judgements of one origin are then one voice. */
const groupOf = ({ origin_group: group }: { origin_group: number }): object =>
  group === 0 ? {} : { originGroup: group }
