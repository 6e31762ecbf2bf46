import { Problem } from '../../contract/problem.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { isUnavailable, only, type Reader } from '../../engine/database.ts'
import { authorColumnsOf } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { NOT_JUDGED, standingColumns } from '../evidence/rows.ts'
import { type KnownTexts, prepareTexts, settleStanding } from '../evidence/standing.ts'
import { addToHead } from '../head-rows.ts'
import type { Prepared, WriteOperation, WriteRequest } from '../operation.ts'
import { signalsOf, signalsOfTags } from '../signals/signals.ts'
import { isoTime } from '../values.ts'
import { beginWrite, endWrite, inOrder, lockEntries, takeOrigin } from '../write.ts'
import {
  advanceEntry,
  citedSources,
  type EntryRow,
  etagOf,
  findEntry,
  findLink,
  findUnflagged,
  insertRevision,
  isSame,
  tagsOf,
  toEntry,
} from './rows.ts'
import { assertLatest, assertWritable, evidenceHash } from './rules.ts'

/** Computes the signals of the texts of a revision. With a reader, also compares them with the judged texts of the entry. */
export async function prepareRevision(request: WriteRequest<'reviseEntry'>, reader?: Reader): Promise<Prepared> {
  const signals = signalsOf(request.body)
  return { signals, known: reader === undefined ? undefined : await knownTexts(reader, request) }
}

/**
 * The texts that the standing after a revision needs; none if it will be refused as stale, if the entry has no judgements, or if the database
 * is away, for which the transaction waits.
 */
async function knownTexts(
  reader: Reader,
  { params, body, caller }: WriteRequest<'reviseEntry'>,
): Promise<KnownTexts | undefined> {
  try {
    const entry = await findEntry(reader, params.slug)
    const isJudged = entry !== undefined && entry.standing !== null
    const isLatest = entry?.revision_id === body.previousRevisionId.toLowerCase()
    return isJudged && isLatest ? await prepareTexts(reader, entry, body, caller.actor ?? 0) : undefined
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

/**
 * Commits a revision on top of the latest one. Throws STALE_REVISION with the id of the latest if the request names another. A revision
 * with the same texts leaves updatedAt unchanged.
 */
export const reviseEntry: WriteOperation<'reviseEntry'> = async (tx, context, request) => {
  const { params, body, caller } = request
  const findLatest = async (): Promise<EntryRow> => {
    const [found] = await lockEntries(tx, [params.slug])
    const entry = assertWritable(found)
    assertLatest(entry, body.previousRevisionId)
    return entry
  }
  const [writer, [entry, sources]] = await beginWrite(tx, context, caller, [body.changeType], () =>
    inOrder([findLatest(), citedSources(tx, body.sources)]),
  )
  const previous = only(await findLink(tx, entry.revision))

  const { actor } = writer
  assertNoSecret(body)
  const origin = await takeOrigin(tx, writer)
  const at = Math.max(context.at, entry.revised_at)
  const { title, summary, content, changeType, rationale } = body
  const texts = { title, summary, content, changeType, rationale }
  const ids = { id: context.newId(), entryId: entry.id, previousRevisionId: entry.revision_id, actorId: actor.id }
  const unhashed = { ...ids, ...texts, createdAt: isoTime(at), sources, ...TRUST }
  const revision = { ...unhashed, evidenceHash: evidenceHash(unhashed, previous.evidence_hash) }
  const ordinal = previous.ordinal + 1
  const changed = !isSame({ ...entry, sources: previous.sources }, revision)
  const prepared = request.prepared ?? (await prepareRevision(request))
  const signals = prepared.signals | signalsOfTags(tagsOf(entry))
  const { record: number } = await addToHead(tx, { record: 1 })
  const place = { number, entry: entry.number, ordinal }
  const written = { action: changeType, entry: entry.number, revision: number, subject: null, origin, at }
  const [advanced] = await Promise.all([
    advanceEntry(tx, entry, { revision: number, at, changed }),
    insertRevision(tx, { ...place, actor: actor.number, origin, at, changed, revision, signals }),
    endWrite(tx, context, writer, written, { revisions: 1 }),
  ])
  // Cannot happen while the entry is locked: `assertLatest` has refused a stale revision.
  if (!advanced) throw new Problem('STALE_REVISION')
  const revised = { ...entry, title, summary, content, revision: number, revision_id: revision.id, revisions: ordinal }
  const isJudged = entry.standing !== null
  const judged = isJudged ? await standingColumns(tx, await settleStanding(tx, revised, prepared.known)) : NOT_JUDGED
  const unflagged = signals === 0 ? null : await findUnflagged(tx, entry.number, { ordinal, signals })
  const updatedAt = changed ? at : entry.updated_at
  const shown = toEntry({ ...revised, ...judged, signals, unflagged, updated_at: updatedAt }, authorColumnsOf(actor))
  return { location: `/api/entries/${entry.slug}`, etag: etagOf(shown), body: shown }
}
