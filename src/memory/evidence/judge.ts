import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EvidenceItemInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import type { EvidenceResult } from '../../contract/resources.ts'
import { type Awaitable, only, type Reader, type Transaction } from '../../engine/database.ts'
import { authorOf } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { countOneMore, findAddress, findEntry, findRevision, listTexts } from '../entries/rows.ts'
import { assertNotErased, assertWritable } from '../entries/rules.ts'
import { addToHead } from '../head-rows.ts'
import type { Caller, Context, RemoteCaller, WriteOperation } from '../operation.ts'
import { HOUR } from '../values.ts'
import { beginWrite, endWrite, inOrder, lockEntries, takeOrigin, type Writer } from '../write.ts'
import { hasWritten } from './pieces-rules.ts'
import {
  findText,
  insertEvidence,
  listWritten,
  observedJson,
  takeOriginGroup,
  toContradiction,
  toVerification,
} from './rows.ts'
import { settleStanding, textsOf } from './standing.ts'

/** Records the result of using an exact revision. */
export const verifyRevision: WriteOperation<'verifyRevision'> = async (tx, context, { params, body, caller }) => {
  const item = { ...body, kind: 'VERIFY', entry: params.slug } as const
  const { verification } = await judge(tx, context, caller, item.kind, () => item)
  return { body: only(verification) }
}

/** Records that an exact revision is contradicted, optionally with an entry as its source. */
export const contradictRevision: WriteOperation<'contradictRevision'> = async (tx, context, request) => {
  const item = { ...request.body, kind: 'CONTRADICT', entry: request.params.slug } as const
  const { contradiction } = await judge(tx, context, request.caller, item.kind, () => item)
  return { body: only(contradiction) }
}

/** The rationale of a verification if the reader only reports that the text worked. */
const WORKED = 'It worked as described.'

/** Records that a text that the caller read worked or failed, as a verification or a contradiction of that revision. */
export const sendFeedback: WriteOperation<'sendFeedback'> = async (tx, context, { body, caller, judged: revision }) => {
  const { outcome, observedOn, rationale = outcome === 'WORKED' ? WORKED : undefined } = body
  if (rationale === undefined) throw new Problem('MISSING_MEMBER', { member: 'rationale' })
  const verdict: Pick<EvidenceItemInput, 'kind' | 'result' | 'confidence'> =
    outcome === 'WORKED' ? { kind: 'VERIFY', result: 'SUPPORTED', confidence: 1 } : { kind: 'CONTRADICT' }
  const result = await judge(tx, context, caller, verdict.kind, async () => {
    const address = revision === undefined ? undefined : await findAddress(tx, revision)
    if (address === undefined) throw new Problem('HANDLE_REFUSED')
    return { ...address, ...verdict, rationale, ...(observedOn === undefined ? {} : { observedOn }) }
  })
  return { body: result }
}

/** Records one judgement. `findItem` may look up the judged revision; it runs concurrently with the checks of the caller. */
async function judge(
  tx: Transaction,
  context: Context,
  caller: Caller,
  kind: EvidenceItemInput['kind'],
  findItem: () => Awaitable<EvidenceItemInput>,
): Promise<EvidenceResult> {
  const [writer, { item, judged }] = await beginWrite(tx, context, caller, [kind], async () => {
    const item = await findItem()
    return { item, judged: await findJudged(tx, item) }
  })
  const { rationale, observedOn } = item
  assertNoSecret({ rationale, observedOn })
  return recordJudgement(tx, context, { writer, origin: await takeOrigin(tx, writer) }, judged, item)
}

/**
 * Finds the judged revision and the source of a contradiction. Locks the judged entry until the unit of work ends. Throws
 * REVISION_NOT_FOUND, QUOTE_NOT_FOUND, SOURCE_NOT_FOUND, or the problem of an entry that does not accept writes.
 */
async function findJudged(tx: Transaction, { entry: address, revisionId, quote, sourceEntryId }: EvidenceItemInput) {
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

/** Stores a judgement and updates all derived state. The caller has made all checks. Returns the judgement as the result of its item. */
async function recordJudgement(
  tx: Transaction,
  context: Context,
  { writer, origin }: { writer: Writer; origin: number | null },
  { entry, revision, source }: Awaited<ReturnType<typeof findJudged>>,
  item: EvidenceItemInput,
): Promise<EvidenceResult> {
  const { actor } = writer
  const { kind, result = null, confidence = null, rationale, quote = null } = item
  const at = Math.max(context.at, entry.revised_at)
  const id = context.newId()
  const { record: number } = await addToHead(tx, { record: 1 })
  const counted = await countOneMore(tx, entry.number, 'evidence')
  const position = await positionOf(tx, context, writer, { ...revision, entry: entry.number })
  const observedOn = observedJson(item.observedOn)
  await insertEvidence(tx, {
    ...{ number, id, kind, ordinal: counted.evidence, result, confidence, rationale, quote, observedOn },
    ...{ entry: entry.number, revision: revision.number, actor: actor.number, origin, ...position },
    ...{ sourceEntry: source?.number ?? null, at },
  })
  await settleStanding(tx, { ...entry, ...counted })
  await endWrite(
    tx,
    context,
    writer,
    { action: kind, entry: entry.number, revision: revision.number, subject: number, origin, at },
    kind === 'VERIFY' ? { verifications: 1 } : { contradictions: 1 },
  )
  const about = { entry_id: entry.id, revision_id: revision.id }
  const said = { id, ...about, actor_id: actor.id, rationale, observed_on: observedOn, created_at: at }
  const by = { actor: authorOf(actor) }
  // The schemas and `assertMembers` check that a verification has both members, and a contradiction none.
  return result === null || confidence === null
    ? {
        status: 201,
        contradiction: { ...toContradiction({ ...said, quote, source_entry_id: source?.id ?? null }), ...by },
      }
    : { status: 201, verification: { ...toVerification({ ...said, result, confidence }), ...by } }
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
  let by: { writer: Writer; origin: number | null } | undefined
  const items: EvidenceResult[] = []
  for (const [place, item] of body.items.entries()) {
    try {
      assertMembers(item, place)
      const judged = await findJudged(tx, item)
      const { rationale, quote, observedOn } = item
      assertNoSecret({ items: { [place]: { rationale, quote, observedOn } } })
      by ??= { writer, origin: await takeOrigin(tx, writer) }
      items.push(await recordJudgement(tx, context, by, judged, item))
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
  const textOf = async (number: number) => texts.cut(only(await findText(reader, number)))
  const [first, judged] = [await textOf(by.entry), await textOf(revision)]
  for (const ordinal of written) {
    const [own, ...earlier] = await listTexts(reader, by.entry, Math.max(0, ordinal - EARLIER_MAX - 1), ordinal)
    // A revision that changed nothing is not listed, and wrote nothing.
    if (own?.ordinal !== ordinal) continue
    const before = ordinal === 1 ? [] : [...earlier.map(row => texts.cut(row)), first]
    if (hasWritten(texts.cut(own), before, judged)) return true
  }
  return false
}

const MARK_CHARACTERS = 12
const HANDLE = /^([0-9a-z]{1,11})\.[\w-]{12}$/

type Recipient = Pick<RemoteCaller, 'actor' | 'origin' | 'at'>

/**
 * The handle with which a reader can judge the revision that it read: the record number of the revision, and a mark of it, of the reader's
 * actor (without a token, its network) and of the hour. Nothing is stored.
 */
export function handleOf(key: string, revision: number, { actor, origin, at }: Recipient): string {
  const hour = Math.floor(at / HOUR)
  const read = `feedback ${revision} ${actor ?? origin.networkKey} ${hour}`
  return `${revision.toString(36)}.${createHmac('sha256', key).update(read).digest('base64url').slice(0, MARK_CHARACTERS)}`
}

/**
 * The record number of the revision that a handle names. Returns undefined unless the handle was made in this hour or the one before, for
 * the actor or for its network without a token.
 */
export function revisionOfHandle(key: string, handle: string, { actor, origin, at }: Recipient): number | undefined {
  const [, digits] = HANDLE.exec(handle) ?? []
  if (digits === undefined) return undefined
  const revision = Number.parseInt(digits, 36)
  const made = [actor, null].flatMap(reader =>
    [at, at - HOUR].map(then => handleOf(key, revision, { actor: reader, origin, at: then })),
  )
  return made.some(one => one.length === handle.length && timingSafeEqual(Buffer.from(one), Buffer.from(handle)))
    ? revision
    : undefined
}
