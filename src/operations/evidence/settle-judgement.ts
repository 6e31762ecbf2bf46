import type { Reader, Transaction } from '../../database/database.ts'
import { RETAINED_FROM, type Text, wordingOf } from '../../domain/evidence/retained-text.ts'
import * as rules from '../../domain/evidence/standing.ts'
import { hasChangedAfter } from '../../store/authors.ts'
import type { Counted } from '../../store/entry.ts'
import * as store from '../../store/standing.ts'
import { type Added, removeSurplus } from './judgement.ts'
import { settleStanding, shareConfirmedBy } from './settle-standing.ts'

type Current = Text & { number: number }

/**
 * Updates the standing of an entry after a judgement was added. If its actor judged no other text of the entry, the counts are adjusted, in
 * a time that does not depend on the amount of evidence. Otherwise, or if the new counts are unknown, the standing is computed from all
 * judgements.
 */
export async function settleJudgement(tx: Transaction, entry: Current, counted: Counted, added: Added): Promise<void> {
  const standing = added.isOnlyJudgedText ? await standingWith(tx, entry, counted, added) : undefined
  if (standing === undefined) await settleStanding(tx, entry)
  else await store.updateStanding(tx, entry.number, standing, rules.disputeScoreOf(standing.tally))
}

/** The standing of an entry with one more judgement; undefined if it can only be computed from all judgements. */
async function standingWith(
  tx: Transaction,
  entry: Current,
  { evidence, relations, standing }: Counted,
  { judgement, digest, replaced }: Added,
): Promise<store.StoredStanding | undefined> {
  const most = evidence + relations
  const surplus = most > rules.COUNTED_JUDGEMENTS ? await removeSurplus(tx, entry.number) : []
  const [texts, share] = await Promise.all([
    // If there are more texts than are measured, one more judgement can change the selection of measured texts.
    most > rules.MEASURED_TEXTS ? store.listJudgedTexts(tx, entry.number, rules.MEASURED_TEXTS + 1) : [],
    retainedShareNow(tx, entry, judgement.text, digest),
  ])
  if (share === undefined || texts.length > rules.MEASURED_TEXTS) return undefined
  if (await hasAuthor(tx, entry, digest, [judgement, ...surplus])) return undefined
  const before = store.storedStanding(standing)
  let { tally } = before
  for (const gone of replaced === undefined ? surplus : [replaced, ...surplus]) {
    if (!(await isReplaceable(tx, entry.number, before, gone, judgement))) return undefined
    const isVoice = await isOnlyVoice(tx, entry.number, gone, judgement.actor)
    if (isVoice === undefined) return undefined
    tally = rules.tallyWithout(tally, gone, { isVoice })
  }
  const isVoice = most === 1 || (await isOnlyVoice(tx, entry.number, judgement, judgement.actor))
  if (isVoice === undefined) return undefined
  tally = rules.tallyWith(tally, judgement, { isVoice })
  // When the last support or contradiction of the current text is removed, those of earlier texts are shown instead.
  if (before.tally.supported > 0 && tally.supported === 0) return undefined
  if (before.tally.contradicted > 0 && tally.contradicted === 0) return undefined
  const confirmed = isSupport(judgement) ? await confirmedWith(tx, entry, before, judgement) : before.confirmed
  return counting({ ...before, tally, confirmed }, judgement, share)
}

/** Whether an actor of these judgements changed the entry after the judged text. False if the judged text is the current one. */
async function hasAuthor(
  reader: Reader,
  entry: Current,
  digest: string,
  judgements: readonly rules.Judgement[],
): Promise<boolean> {
  if (wordingOf(entry).digest === digest) return false
  for (const { actor, text } of judgements) {
    if (await hasChangedAfter(reader, entry.number, actor, text)) return true
  }
  return false
}

const isSupport = ({ verdict, own }: rules.Judgement): boolean => verdict === 'SUPPORTED' && !own

/** The share of the current text that is confirmed with one more support. */
const confirmedWith = async (
  reader: Reader,
  entry: Current,
  { confirmed }: store.StoredStanding,
  { text }: rules.Judgement,
): Promise<number> => Math.max(confirmed ?? 0, await shareConfirmedBy(reader, text, entry))

/** Whether the removal of a judgement affects only the tally of a standing and values that the added judgement replaces. */
async function isReplaceable(
  reader: Reader,
  entry: number,
  { contradictions, against }: store.StoredStanding,
  gone: rules.Judgement,
  added: rules.Judgement,
): Promise<boolean> {
  if (gone.text !== added.text || gone.own !== added.own) return false
  // Another support may confirm less of the text.
  if (isSupport(gone) && !isSupport(added)) return false
  const isIn = (list: readonly { record: number }[]): boolean => list.some(({ record }) => record === gone.record)
  const isSameVoice = gone.originGroup === added.originGroup
  if (isIn(contradictions) && !(isSameVoice && rules.isObjection(added))) return false
  if (isIn(against) && !(isSameVoice && rules.isAgainst(added))) return false
  return gone.actor === added.actor || (await store.listJudgedBy(reader, entry, gone.actor)).length === 0
}

/** A standing with one more judgement of the current text, which its tally already counts. */
function counting(before: store.StoredStanding, judgement: rules.Judgement, share: number): store.StoredStanding {
  const { record, originGroup: group, verdict, at, own } = judgement
  const { tally } = before
  if (own) return before
  const others = before.contradictions.filter(one => one.group !== group || one.kept < RETAINED_FROM)
  const contradictions = rules.isObjection(judgement)
    ? [{ record, group, verdict, kept: share, addressedBy: null }, ...others].slice(0, rules.OBJECTIONS_SHOWN)
    : before.contradictions
  const against = rules.isAgainst(judgement)
    ? [{ record, group }, ...before.against.filter(one => one.group !== group)].slice(0, rules.AGAINST_NAMED)
    : before.against
  return {
    state: rules.stateOf(tally),
    tally,
    earlier: before.earlier,
    kept: share,
    checkedAt: at,
    confirmed: before.confirmed,
    best: tally.supported > 0 ? null : before.best,
    against,
    contradictions: contradictions.map(one => (tally.contradicted > 0 ? { ...one, addressedBy: null } : one)),
  }
}

/** The share of a judged text that the current one retains; undefined if it was not computed or is less than `RETAINED_FROM`. */
async function retainedShareNow(
  reader: Reader,
  entry: Current,
  text: number,
  judged: string,
): Promise<number | undefined> {
  const { digest } = wordingOf(entry)
  if (digest === judged) return 1
  const row = await store.findJudgedText(reader, entry.number, text)
  return row?.against === digest && row.kept !== null && row.kept >= RETAINED_FROM ? row.kept : undefined
}

/**
 * Whether a judgement is the only one of its origin about the entry, apart from those of `actor`. False if another actor of the origin has
 * the same verdict only; undefined if unknown.
 */
async function isOnlyVoice(
  reader: Reader,
  entry: number,
  judgement: rules.Judgement,
  actor: number,
): Promise<boolean | undefined> {
  if (judgement.own) return false
  const [any, same] = await Promise.all([
    store.findNeighbour(reader, entry, { ...judgement, actor }),
    store.findVoice(reader, entry, { ...judgement, actor }),
  ])
  if (any === undefined) return true
  if (same === undefined) return undefined
  const texts = await store.listJudgedBy(reader, entry, same.actor)
  return texts.length === 1 ? false : undefined
}
