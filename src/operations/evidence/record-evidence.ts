import type { EvidenceItemInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import type { EvidenceResult } from '../../contract/resources.ts'
import type { Transaction } from '../../database/database.ts'
import { assertNoSecret } from '../../domain/secret.ts'
import { authorOf } from '../../store/actor.ts'
import { toContradiction, toVerification } from '../../store/evidence.ts'
import type { Context, WriteOperation } from '../operation.ts'
import { beginWrites, lockEntries, takeOrigin, type Writer } from '../writing.ts'
import { findJudged, recordJudgement, type Said } from './judge-revision.ts'

type By = { writer: Writer; origin(): Promise<number | null> }

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
  { writer, origin }: By,
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
