import type { CheckedLine } from '../contract/resources.ts'
import { type Static, Type, uuid, words } from '../contract/schema.ts'
import { CHANGE_TYPES } from '../contract/vocabulary.ts'
import { type Facts, type Leaf, leafOf, type RecordKind, statementOf } from '../tlog/rules/statement.ts'

/** The kind of the record that a line of the export is about; undefined for a line without a record. */
export function kindOfLine({ type, record, ordinal, ends }: CheckedLine): RecordKind | undefined {
  if (record === undefined) return undefined
  if (type === 'moderation' || type === 'continuation') return type
  // A tombstone has only the numbers that belong to its kind.
  if (ends !== undefined) return 'relation'
  return ordinal === undefined ? 'revision' : 'evidence'
}

/** The statement of the record that a line of the export is about; undefined for a tombstone and for a line without a record. */
export function statementOfLine(line: CheckedLine): string | undefined {
  switch (line.type) {
    case 'entry':
    case 'revision':
      return statementOf('revision', revisionFacts(line))
    case 'verification':
    case 'contradiction':
      return statementOf('evidence', evidenceFacts(line))
    case 'relation':
      return statementOf('relation', relationFacts(line))
    case 'continuation':
      return line.statement
    default:
      return undefined
  }
}

/** The leaf of the record that a line of the export is about; undefined if the line has neither its salt nor its commitment. */
export function leafOfLine(line: CheckedLine): Leaf | undefined {
  const kind = kindOfLine(line)
  if (kind === undefined) return undefined
  const statement = statementOfLine(line)
  const given = statement === undefined ? line.commitment : line.salt
  if (given === undefined) return undefined
  const bytes = Buffer.from(given, 'base64')
  return statement === undefined ? { kind, commitment: bytes } : leafOf(kind, bytes, statement)
}

/** A line of a record with its feed row. */
export type RecordLine = CheckedLine<'entry' | 'revision' | 'verification' | 'contradiction' | 'relation'>

const actedOfLine = ({ record, sequence, dataClass }: RecordLine, actorId: string) => ({
  record,
  actorId,
  sequence,
  dataClass,
})

function revisionFacts(line: CheckedLine<'entry' | 'revision'>): Facts['revision'] {
  const { actorId, entryId, evidenceHash } = line.revision
  const facts = { ...actedOfLine(line, actorId), entryId, evidenceHash }
  return line.type === 'entry'
    ? { ...facts, entryRecord: line.record, slug: line.slug, tags: line.tags }
    : { ...facts, entryRecord: line.entryRecord }
}

/** The place of an erased revision in the history of a public entry. */
export const Identity = Type.Object(
  {
    id: uuid('Its id.'),
    entryId: uuid('Its entry.'),
    previousRevisionId: Type.Union([uuid('The one before.'), Type.Null()]),
    changeType: words(['CREATE', ...CHANGE_TYPES], 'The kind of change.'),
    createdAt: Type.String(),
    evidenceHash: Type.String({ pattern: '^[0-9a-f]{64}$|^$' }),
  },
  { additionalProperties: false },
)
export type Identity = Static<typeof Identity>
/** The identity of a line, whose members were checked. */
export const identityOf = ({ identity }: CheckedLine): Identity | undefined => identity as Identity | undefined

/** The judgement of a line, with the members of both kinds. */
export const judgementOf = (line: CheckedLine<'verification' | 'contradiction'>) =>
  line.type === 'verification'
    ? { ...line.verification, action: 'VERIFY' as const, sourceRecord: null, quote: undefined }
    : {
        ...line.contradiction,
        ...{ action: 'CONTRADICT' as const, result: null, confidence: null, sourceRecord: line.sourceRecord },
      }

function evidenceFacts(line: CheckedLine<'verification' | 'contradiction'>): Facts['evidence'] {
  const { id, entryId, revisionId, actorId, action, result, confidence, ...rest } = judgementOf(line)
  const { rationale, sourceRecord, createdAt, quote, observedOn } = rest
  return {
    ...actedOfLine(line, actorId),
    ...{ id, entryRecord: line.entryRecord, entryId, revisionId, ordinal: line.ordinal },
    ...{ action, result, confidence, rationale, sourceRecord, createdAt },
    ...(quote === undefined ? {} : { quote }),
    ...(observedOn === undefined ? {} : { observedOn: observedOn.map(({ name, version }) => ({ name, version })) }),
  }
}

/** The record numbers of a relation's source and target. The contract checks that there are two. */
export function endsOf(ends: readonly string[]): [source: string, target: string] {
  const [source, target] = ends
  if (source === undefined || target === undefined) throw new Error('A relation has two ends.')
  return [source, target]
}

function relationFacts(line: CheckedLine<'relation'>): Facts['relation'] {
  const { id, relationType, actorId, rationale, createdAt } = line.relation
  const [sourceEntryRecord, targetEntryRecord] = endsOf(line.ends)
  return {
    ...actedOfLine(line, actorId),
    ...{ id, relationType, sourceEntryRecord, targetEntryRecord, rationale, createdAt },
  }
}
