import type { EvidenceItemInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import type { EvidenceResult } from '../../contract/resources.ts'
import { only, type Reader, type Transaction } from '../../engine/database.ts'
import { type AuthorColumns, authorColumnsOf, toAuthor } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { countEvidence, type EntryRow, findEntry, findRevision, listTexts, type RevisionRow } from '../entries/rows.ts'
import { assertNotErased, assertWritable } from '../entries/rules.ts'
import { takeRecord } from '../head-rows.ts'
import type { Context, WriteOperation, WriteRequest } from '../operation.ts'
import { memoized } from '../values.ts'
import { beginWrite, endWrite, inOrder, lockEntries, takeOrigin, type Writer } from '../write.ts'
import { hasWritten } from './pieces-rules.ts'
import { type EvidenceRow, insertEvidence, type SignedEvidence, toContradiction, toVerification } from './rows.ts'
import { settleStanding, textsOf } from './standing.ts'
import { findText, listWritten, observedJson, takeOriginGroup } from './standing-rows.ts'

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
  const voice = origin?.keys.voice ?? ''
  return {
    originGroup: voice === '' ? 0 : await takeOriginGroup(tx, entry, voice),
    own: !privateMemory && (await isAuthor(tx, { entry, ordinal, actor: actor.number, voice }, number)),
  }
}

/** Whether an actor, or its network on that day, wrote a part of the text of a revision. */
async function isAuthor(reader: Reader, by: Parameters<typeof listWritten>[1], revision: number): Promise<boolean> {
  const written = await listWritten(reader, by, WRITTEN_MAX + 1)
  if (written.length === 0 || written.length > WRITTEN_MAX) return written.length > 0
  const texts = textsOf(by.entry)
  const [first, judged] = [await findText(reader, by.entry), await findText(reader, revision)].map(row =>
    texts.cut(only(row)),
  )
  for (const ordinal of written) {
    const changes = await listTexts(reader, by.entry, Math.max(0, ordinal - EARLIER_MAX - 1), ordinal)
    const [own, ...earlier] = changes.map(row => texts.cut(row))
    // A revision that changed nothing is not listed, and wrote nothing.
    if (own === undefined || changes[0]?.ordinal !== ordinal || judged === undefined || first === undefined) continue
    if (hasWritten(own, ordinal === 1 ? [] : [...earlier, first], judged)) return true
  }
  return false
}

/** A judgement of an exact revision, as an item of POST /api/evidence. */
type JudgementInput<K extends EvidenceRow['kind'] = EvidenceRow['kind']> = EvidenceItemInput & { kind: K }
/** The row of a judgement, with its author. */
type RowOf<K extends EvidenceRow['kind']> = Extract<EvidenceRow, { kind: K }> & AuthorColumns

/** Records the result of using an exact revision. */
export const verifyRevision: WriteOperation<'verifyRevision'> = async (tx, context, { params, body, caller }) => {
  const row = await judge(tx, context, caller, { ...body, kind: 'VERIFY', entry: params.slug })
  return { body: { ...toVerification(row), actor: toAuthor(row) } }
}

/** Records that an exact revision is contradicted, optionally with an entry as its source. */
export const contradictRevision: WriteOperation<'contradictRevision'> = async (tx, context, request) => {
  const { params, body, caller } = request
  const row = await judge(tx, context, caller, { ...body, kind: 'CONTRADICT', entry: params.slug })
  return { body: { ...toContradiction(row), actor: toAuthor(row) } }
}

async function judge<K extends EvidenceRow['kind']>(
  tx: Transaction,
  context: Context,
  caller: WriteRequest<'verifyRevision'>['caller'],
  said: JudgementInput<K>,
): Promise<RowOf<K>> {
  const [writer, judged] = await beginWrite(tx, context, caller, [said.kind], () => findJudged(tx, said))
  assertNoSecret({ rationale: said.rationale })
  const origin = await takeOrigin(tx, writer)
  return recordJudgement(tx, context, { writer, origin }, judged, said)
}

/** The judged revision, after it was found and may be judged. */
type JudgedRevision = { entry: EntryRow; revision: RevisionRow; source: EntryRow | undefined }

/**
 * Finds the judged revision and the source of a contradiction. Locks the judged entry until the unit of work ends. Throws
 * REVISION_NOT_FOUND, QUOTE_NOT_FOUND, SOURCE_NOT_FOUND, or the problem of an entry that does not accept writes.
 */
export async function findJudged(
  tx: Transaction,
  { entry: address, revisionId, quote, sourceEntryId }: JudgementInput,
): Promise<JudgedRevision> {
  const findSubject = async () => {
    const [found] = await lockEntries(tx, [address])
    const entry = assertWritable(found)
    const revision = await findRevision(tx, entry.number, revisionId)
    if (revision === undefined) throw new Problem('REVISION_NOT_FOUND')
    assertNotErased(revision)
    if (quote !== undefined && textsOf(entry.number).cut(revision).claimOf(quote).length === 0)
      throw new Problem('QUOTE_NOT_FOUND')
    return { entry, revision }
  }
  const findSource = async () => {
    if (sourceEntryId === undefined) return undefined
    const source = await findEntry(tx, sourceEntryId)
    if (source === undefined || source.withdrawn) throw new Problem('SOURCE_NOT_FOUND')
    return source
  }
  const [subject, source] = await inOrder([findSubject(), findSource()])
  return { ...subject, source }
}

/** Stores a judgement and updates all derived state. The caller has made all checks. */
export async function recordJudgement<K extends EvidenceRow['kind']>(
  tx: Transaction,
  context: Context,
  { writer, origin }: { writer: Writer; origin: number | null },
  { entry, revision, source }: JudgedRevision,
  said: JudgementInput<K>,
): Promise<RowOf<K>> {
  const { actor } = writer
  const { kind, result = null, confidence = null, rationale, quote = null } = said
  const at = Math.max(context.at, entry.revised_at)
  const id = context.newId()
  const number = await takeRecord(tx)
  const counted = await countEvidence(tx, entry.number)
  const position = await positionOf(tx, context, writer, { ...revision, entry: entry.number })
  const judgement = { number, id, kind, ordinal: counted.evidence, result, confidence, rationale, quote }
  const observedOn = observedJson(said.observedOn)
  await insertEvidence(tx, {
    ...{ ...judgement, observedOn, entry: entry.number, revision: revision.number, actor: actor.number },
    ...{ sourceEntry: source?.number ?? null, origin, ...position, at },
  })
  await settleStanding(tx, { ...entry, ...counted })
  await endWrite(
    tx,
    context,
    writer,
    { action: kind, entry: entry.number, revision: revision.number, subject: number, origin, at },
    kind === 'VERIFY' ? { verifications: 1 } : { contradictions: 1 },
  )
  // The schemas of both kinds and `assertMembers` check that the members of the kind are there.
  return {
    ...{ ...judgement, ...authorColumnsOf(actor), entry_id: entry.id, revision_id: revision.id },
    ...{ source_entry_id: source?.id ?? null, observed_on: observedOn, origin_id: null, created_at: at, withdrawn: 0 },
  } as RowOf<K>
}

/** The result of a recorded judgement. */
export function resultOf(row: SignedEvidence): EvidenceResult {
  const actor = toAuthor(row)
  return row.kind === 'VERIFY'
    ? { status: 201, verification: { ...toVerification(row), actor } }
    : { status: 201, contradiction: { ...toContradiction(row), actor } }
}

/**
 * Records several verifications and contradictions in one transaction. A refusal of one item is the result of that item. A refusal of the
 * caller, including a cooldown, refuses the request.
 */
export const recordEvidence: WriteOperation<'recordEvidence'> = async (tx, context, { body, caller }) => {
  const kinds = [...new Set(body.items.map(({ kind }) => kind))]
  // All entries are locked together and in order, so that two requests cannot deadlock.
  const [writer] = await beginWrite(tx, context, caller, kinds, () =>
    lockEntries(tx, [...new Set(body.items.map(({ entry }) => entry))]),
  )
  const originOf = memoized((by: Writer) => takeOrigin(tx, by))
  const items: EvidenceResult[] = []
  for (const [place, item] of body.items.entries()) {
    try {
      assertMembers(item, place)
      const judged = await findJudged(tx, item)
      const { rationale, quote, observedOn } = item
      assertNoSecret({ items: { [place]: { rationale, quote, observedOn } } })
      const by = { writer, origin: await originOf(writer) }
      items.push(resultOf(await recordJudgement(tx, context, by, judged, item)))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { code, detail } = error
      const member = detail.member === undefined ? {} : { member: detail.member }
      items.push({ status: PROBLEMS[code].status, error: { code, ...member } })
    }
  }
  return { body: { items } }
}

/** The members that an item of a kind requires, and those that it excludes. The schema does not check this. */
const MEMBERS = {
  VERIFY: { excluded: ['quote', 'sourceEntryId'], required: ['result', 'confidence'] },
  CONTRADICT: { excluded: ['result', 'confidence'], required: [] },
} as const

/** Throws UNKNOWN_MEMBER or MISSING_MEMBER for a member that the kind of an item excludes or requires. */
function assertMembers(item: EvidenceItemInput, place: number): void {
  const { excluded, required } = MEMBERS[item.kind]
  const named = (name?: string) => ({ member: `items.${place}.${name}` })
  const unknown = excluded.find(name => item[name] !== undefined)
  if (unknown !== undefined) throw new Problem('UNKNOWN_MEMBER', named(unknown))
  const missing = required.find(name => item[name] === undefined)
  if (missing !== undefined) throw new Problem('MISSING_MEMBER', named(missing))
}
