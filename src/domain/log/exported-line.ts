import type { ExportLine } from '../../contract/resources.ts'
import { type Facts, type Leaf, leafOf, type RecordKind, statementOf } from './statement.ts'

/** The kind of the record that a line of the export is about; undefined for a line without a record. */
export function kindOfLine({ type, record, ordinal, ends }: ExportLine): RecordKind | undefined {
  if (record === undefined) return undefined
  if (type === 'moderation' || type === 'continuation') return type
  // A tombstone has the numbers of its kind only.
  if (ends !== undefined) return 'relation'
  return ordinal === undefined ? 'revision' : 'evidence'
}

/** The statement of the record that a line of the export is about; undefined for a line that does not say what the record is. */
export function statementOfLine(line: ExportLine): string | undefined {
  const { type, revision, verification, contradiction, relation } = line
  if (type === 'continuation') return line.statement
  if (revision !== undefined) return statementOf('revision', revisionFacts(line, revision))
  const evidence = verification ?? contradiction
  if (evidence !== undefined) return statementOf('evidence', evidenceFacts(line, evidence))
  return relation === undefined ? undefined : statementOf('relation', relationFacts(line, relation))
}

/** The leaf of the record that a line of the export is about; undefined if the line has neither its salt nor its commitment. */
export function leafOfLine(line: ExportLine): Leaf | undefined {
  const kind = kindOfLine(line)
  if (kind === undefined) return undefined
  const statement = statementOfLine(line)
  const given = statement === undefined ? line.commitment : line.salt
  if (given === undefined) return undefined
  const bytes = Buffer.from(given, 'base64')
  return statement === undefined ? { kind, commitment: bytes } : leafOf(kind, bytes, statement)
}

const actedOf = ({ record = '', sequence = '', dataClass }: ExportLine, actorId: string) => ({
  record,
  actorId,
  sequence,
  dataClass: dataClass ?? '',
})

const revisionFacts = (
  line: ExportLine,
  { actorId, entryId, evidenceHash }: NonNullable<ExportLine['revision']>,
): Facts['revision'] => ({
  ...actedOf(line, actorId),
  entryRecord: line.entryRecord ?? line.record ?? '',
  entryId,
  evidenceHash,
  ...(line.type === 'entry' ? { slug: line.slug ?? '', tags: line.tags ?? [] } : {}),
})

function evidenceFacts(
  line: ExportLine,
  evidence: NonNullable<ExportLine['verification'] | ExportLine['contradiction']>,
): Facts['evidence'] {
  const { id, entryId, revisionId, actorId, rationale, createdAt } = evidence
  const { result, confidence } = 'result' in evidence ? evidence : { result: null, confidence: null }
  return {
    ...actedOf(line, actorId),
    ...{ id, entryRecord: line.entryRecord ?? '', entryId, revisionId, ordinal: line.ordinal ?? 0 },
    ...{ action: line.type === 'verification' ? 'VERIFY' : 'CONTRADICT', result, confidence },
    ...{ rationale, sourceRecord: line.sourceRecord ?? null, createdAt },
  }
}

function relationFacts(
  line: ExportLine,
  { id, relationType, actorId, rationale, createdAt }: NonNullable<ExportLine['relation']>,
): Facts['relation'] {
  const [sourceEntryRecord = '', targetEntryRecord = ''] = line.ends ?? []
  return {
    ...actedOf(line, actorId),
    ...{ id, relationType, sourceEntryRecord, targetEntryRecord, rationale, createdAt },
  }
}
