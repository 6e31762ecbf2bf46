import { Problem } from '../../contract/problem.ts'
import type { Environment } from '../../contract/resources.ts'
import type { Transaction } from '../../database/database.ts'
import { assertWritable } from '../../domain/entry.ts'
import { claimOf } from '../../domain/evidence/pieces.ts'
import { assertNoSecret } from '../../domain/secret.ts'
import { authorOf } from '../../store/actor.ts'
import { countEvidence, type EntryRow, findEntry } from '../../store/entry.ts'
import {
  type ContradictionRow,
  insertEvidence,
  toContradiction,
  toVerification,
  type VerificationRow,
} from '../../store/evidence.ts'
import { takeRecord } from '../../store/head.ts'
import { findRevision, type RevisionRow } from '../../store/revision.ts'
import { observedJson } from '../../store/standing.ts'
import type { Context, WriteOperation, WriteRequest } from '../operation.ts'
import { beginWrite, endWrite, inOrder, lockEntries, takeOrigin, type Writer } from '../writing.ts'
import { positionOf } from './judgement.ts'
import { cutOf, settleStanding } from './settle-standing.ts'

/** A judgement of an exact revision. */
export type Said = SaidOf<VerificationRow> | SaidOf<ContradictionRow>
type SaidOf<Row extends VerificationRow | ContradictionRow> = Pick<
  Row,
  'kind' | 'result' | 'confidence' | 'rationale'
> & {
  revisionId: string
  sourceEntryId?: string
  quote?: string
  observedOn?: readonly Environment[]
}
/** The judged revision, after it was found and may be judged. */
type Judged = { entry: EntryRow; revision: RevisionRow; source: EntryRow | undefined }

/** Records the result of using an exact revision. */
export const verifyRevision: WriteOperation<'verifyRevision'> = async (tx, context, request) => {
  const { row, author } = await judge(tx, context, request, { kind: 'VERIFY', ...request.body })
  return { body: { ...toVerification(row), actor: author } }
}

/** Records that an exact revision is contradicted, optionally with an entry as its source. */
export const contradictRevision: WriteOperation<'contradictRevision'> = async (tx, context, request) => {
  const said = { kind: 'CONTRADICT', result: null, confidence: null, ...request.body } as const
  const { row, author } = await judge(tx, context, request, said)
  return { body: { ...toContradiction(row), actor: author } }
}

async function judge<Judgement extends Said>(
  tx: Transaction,
  context: Context,
  { params, caller }: WriteRequest<'verifyRevision' | 'contradictRevision'>,
  said: Judgement,
) {
  const [writer, judged] = await beginWrite(tx, context, caller, said.kind, () => findJudged(tx, params.slug, said))
  assertNoSecret({ rationale: said.rationale })
  const origin = await takeOrigin(tx, writer)
  return recordJudgement(tx, context, { writer, origin }, judged, said)
}

/**
 * Finds the judged revision and the source of a contradiction. Locks the judged entry until the unit of work ends. Throws
 * REVISION_NOT_FOUND, QUOTE_NOT_FOUND, SOURCE_NOT_FOUND, or the problem of an entry that does not accept writes.
 */
export async function findJudged(tx: Transaction, address: string, said: Said): Promise<Judged> {
  const findSubject = async () => {
    const [found] = await lockEntries(tx, [address])
    const entry = assertWritable(found)
    const revision = await findRevision(tx, entry.number, said.revisionId)
    if (revision === undefined) throw new Problem('REVISION_NOT_FOUND')
    if (said.quote !== undefined && claimOf(cutOf(revision), said.quote).length === 0)
      throw new Problem('QUOTE_NOT_FOUND')
    return { entry, revision }
  }
  const findSource = async () => {
    if (said.sourceEntryId === undefined) return undefined
    const source = await findEntry(tx, said.sourceEntryId)
    if (source === undefined || source.withdrawn) throw new Problem('SOURCE_NOT_FOUND')
    return source
  }
  const [subject, source] = await inOrder([findSubject(), findSource()])
  return { ...subject, source }
}

type By = { writer: Writer; origin: number | null }

/** Stores a judgement and updates all derived state. The caller has made all checks. */
export async function recordJudgement<Judgement extends Said>(
  tx: Transaction,
  context: Context,
  { writer, origin }: By,
  { entry, revision, source }: Judged,
  said: Judgement,
) {
  const { actor } = writer
  const { kind, result, confidence, rationale } = said
  const at = Math.max(context.at, entry.revised_at)
  const id = context.newId()
  const number = await takeRecord(tx)
  const counted = await countEvidence(tx, entry.number)
  const position = await positionOf(tx, context, writer, { ...revision, entry: entry.number })
  const ordinal = counted.evidence
  const quote = said.quote ?? null
  const observedOn = observedJson(said.observedOn)
  await insertEvidence(tx, {
    ...{ number, id, kind, ordinal, result, confidence, rationale, quote, observedOn },
    ...{ entry: entry.number, revision: revision.number, actor: actor.number, sourceEntry: source?.number ?? null },
    ...{ origin, ...position, at },
  })
  await settleStanding(tx, { ...entry, ...counted })
  await endWrite(
    tx,
    context,
    writer,
    { action: kind, entry: entry.number, revision: revision.number, subject: number, origin, at },
    kind === 'VERIFY' ? { verifications: 1 } : { contradictions: 1 },
  )
  const row = {
    ...said,
    ...{ number, id, ordinal, entry_id: entry.id, revision_id: revision.id, actor_id: actor.id },
    ...{ source_entry_id: source?.id ?? null, quote, observed_on: observedOn },
    ...{ origin_id: null, created_at: at, withdrawn: 0 },
  }
  return { row, author: authorOf(actor) }
}
