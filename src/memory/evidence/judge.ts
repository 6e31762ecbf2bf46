import type { EvidenceItemInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import type { Environment, EvidenceResult } from '../../contract/resources.ts'
import { type Awaitable, only, type Reader, type Transaction } from '../../engine/database.ts'
import { authorOf } from '../actors/rows.ts'
import { countEvidence, type EntryRow, findEntry, findRevision, type RevisionRow } from '../entries/rows.ts'
import { assertWritable } from '../entries/rules.ts'
import { takeRecord } from '../head-rows.ts'
import { assertNoSecret } from '../idempotency/rules.ts'
import type { Context, WriteOperation, WriteRequest } from '../operation.ts'
import { beginWrite, beginWrites, endWrite, inOrder, lockEntries, takeOrigin, type Writer } from '../write.ts'
import { hasWritten } from './pieces-rules.ts'
import { type ContradictionRow, insertEvidence, toContradiction, toVerification, type VerificationRow } from './rows.ts'
import { settleStanding, textsOf } from './standing.ts'
import * as store from './standing-rows.ts'
import { observedJson } from './standing-rows.ts'

/** The maximum number of own revisions that are examined. Who wrote more is taken for an author. */
const WRITTEN_MAX = 4
/** The number of revisions before an own one that are searched for its pieces, next to the first revision. */
const EARLIER_MAX = 16

/** What a judgement is stored with: the number of its voice within the entry, and whether its author wrote a part of the judged text. */
export type Position = { originGroup: number; own: boolean }

/** The position of a judgement by a writer. In a private memory there are no independent voices to protect: nothing is own. */
export async function positionOf(
  tx: Transaction,
  { privateMemory = false }: Context,
  { actor, origin }: Writer,
  { entry, number, ordinal }: { entry: number; number: number; ordinal: number },
): Promise<Position> {
  const voice = origin?.keys.voice ?? null
  const written = { entry, ordinal, actor: actor.number, voice }
  return {
    originGroup: voice === null ? 0 : await store.takeOriginGroup(tx, entry, voice),
    own: privateMemory ? false : await isAuthor(tx, written, number),
  }
}

type Written = Parameters<typeof store.listWritten>[1]

/** Whether an actor, or its network on that day, wrote a part of the text of a revision. */
async function isAuthor(reader: Reader, by: Written, revision: number): Promise<boolean> {
  const written = await store.listWritten(reader, by, WRITTEN_MAX + 1)
  if (written.length === 0) return false
  if (written.length > WRITTEN_MAX) return true
  const texts = textsOf(by.entry)
  const textOf = async (row: Awaitable<store.TextRow | undefined>) => texts.cut(only(await row))
  const text = await textOf(store.findText(reader, revision))
  for (const { number, ordinal } of written) {
    const from = Math.max(2, ordinal - EARLIER_MAX)
    const ordinals = [...(ordinal > 1 ? [1] : []), ...Array.from({ length: ordinal - from }, (_, at) => from + at)]
    const earlier = await Promise.all(ordinals.map(at => textOf(store.findTextByOrdinal(reader, by.entry, at))))
    if (hasWritten(await textOf(store.findText(reader, number)), earlier, text)) return true
  }
  return false
}

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
    if (said.quote !== undefined && textsOf(entry.number).cut(revision).claimOf(said.quote).length === 0)
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

type EvidenceSender = { writer: Writer; origin(): Promise<number | null> }

/**
 * Records several verifications and contradictions in one transaction. A refusal of one item is the result of that item. A refusal of the
 * caller, including a cooldown, refuses the request.
 */
export const recordEvidence: WriteOperation<'recordEvidence'> = async (tx, context, { body, caller }) => {
  const kinds = [...new Set(body.items.map(({ kind }) => kind))]
  // All entries are locked together and in order, so that two requests cannot deadlock.
  const [writer] = await beginWrites(tx, context, caller, kinds, () =>
    lockEntries(tx, [...new Set(body.items.map(({ entry }) => entry))]),
  )
  let taken: Promise<number | null> | undefined
  const origin = (): Promise<number | null> => {
    taken ??= takeOrigin(tx, writer)
    return taken
  }
  const items: EvidenceResult[] = []
  for (const [place, item] of body.items.entries())
    items.push(await resultOf(tx, context, { writer, origin }, item, place))
  return { body: { items } }
}

async function resultOf(
  tx: Transaction,
  context: Context,
  { writer, origin }: EvidenceSender,
  item: EvidenceItemInput,
  place: number,
): Promise<EvidenceResult> {
  try {
    const said = saidIn(item, place)
    const judged = await findJudged(tx, item.entry, said)
    const { rationale, quote, observedOn } = item
    assertNoSecret({ items: { [place]: { rationale, quote, observedOn } } })
    const by = { writer, origin: await origin() }
    const { row } = await recordJudgement(tx, context, by, judged, said)
    const actor = authorOf(writer.actor)
    return row.kind === 'VERIFY'
      ? { status: 201, verification: { ...toVerification(row), actor } }
      : { status: 201, contradiction: { ...toContradiction(row), actor } }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, detail } = error
    const member = detail.member === undefined ? {} : { member: detail.member }
    return { status: PROBLEMS[code].status, error: { code, ...member } }
  }
}

/**
 * Converts an item to a judgement. Throws MISSING_MEMBER or UNKNOWN_MEMBER for a member that the kind of the item requires or excludes. The
 * schema does not check this.
 */
function saidIn(
  { kind, revisionId, rationale, result, confidence, sourceEntryId, quote, observedOn }: EvidenceItemInput,
  place: number,
): Said {
  const at = (name: string) => ({ member: `items.${place}.${name}` })
  const observed = observedOn === undefined ? {} : { observedOn }
  if (kind === 'CONTRADICT') {
    if (result !== undefined) throw new Problem('UNKNOWN_MEMBER', at('result'))
    if (confidence !== undefined) throw new Problem('UNKNOWN_MEMBER', at('confidence'))
    const source = sourceEntryId === undefined ? {} : { sourceEntryId }
    const quoted = quote === undefined ? {} : { quote }
    return { kind, revisionId, rationale, result: null, confidence: null, ...source, ...quoted, ...observed }
  }
  if (quote !== undefined) throw new Problem('UNKNOWN_MEMBER', at('quote'))
  if (sourceEntryId !== undefined) throw new Problem('UNKNOWN_MEMBER', at('sourceEntryId'))
  if (result === undefined) throw new Problem('MISSING_MEMBER', at('result'))
  if (confidence === undefined) throw new Problem('MISSING_MEMBER', at('confidence'))
  return { kind, revisionId, rationale, result, confidence, ...observed }
}
