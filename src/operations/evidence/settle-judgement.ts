import type { Reader, Transaction } from '../../database/database.ts'
import { KEPT_FROM, type Text, wordingOf } from '../../domain/retained-text.ts'
import * as rules from '../../domain/standing.ts'
import type { Counted } from '../../store/entry.ts'
import * as store from '../../store/standing.ts'
import type { Added } from './judgement.ts'
import { settleStanding } from './settle-standing.ts'

type Current = Text & { number: number }

/**
 * Brings the standing of an entry up to a judgement that was added. The first judgement of an actor about the text as it stands is added to
 * what the entry counts, in a time that does not grow with the evidence; after any other all is counted again.
 */
export async function settleJudgement(tx: Transaction, entry: Current, counted: Counted, added: Added): Promise<void> {
  const { isFirst, judgement } = added
  const standing = isFirst && !judgement.own ? await standingWith(tx, entry, counted, added) : undefined
  if (standing === undefined) await settleStanding(tx, entry)
  else await store.updateStanding(tx, entry.number, standing, rules.contestOf(standing.tally))
}

/** The standing of an entry with one more judgement; undefined if it can only be computed from all judgements. */
async function standingWith(
  reader: Reader,
  entry: Current,
  { evidence, relations, standing }: Counted,
  { judgement, digest }: Added,
): Promise<store.KeptStanding | undefined> {
  // Past these limits one more judgement can change which of them are counted or compared.
  const most = evidence + relations
  if (most > rules.COUNTED_JUDGEMENTS) return undefined
  const [texts, kept, voice] = await Promise.all([
    most > rules.MEASURED_TEXTS ? store.listJudgedTexts(reader, entry.number, rules.MEASURED_TEXTS + 1) : [],
    keptNow(reader, entry, judgement.text, digest),
    most === 1 || isNewVoice(reader, entry.number, judgement),
  ])
  if (kept === undefined || voice === undefined || texts.length > rules.MEASURED_TEXTS) return undefined
  return counting(store.keptStanding(standing), judgement, { kept, isVoice: voice })
}

/** A standing with one more counted judgement. */
function counting(
  before: store.KeptStanding,
  judgement: rules.Judgement,
  { kept, isVoice }: { kept: number; isVoice: boolean },
): store.KeptStanding {
  const { record, originGroup: group, verdict, at } = judgement
  const tally = rules.tallyWith(before.tally, judgement, isVoice)
  const others = before.contradictions.filter(one => one.group !== group || one.kept < KEPT_FROM)
  const contradictions = rules.isObjection(judgement)
    ? [{ record, group, verdict, kept, addressedBy: null }, ...others].slice(0, rules.OBJECTIONS_SHOWN)
    : before.contradictions
  const against = rules.isAgainst(judgement)
    ? [{ record, group }, ...before.against.filter(one => one.group !== group)].slice(0, rules.AGAINST_NAMED)
    : before.against
  return {
    state: rules.stateOf(tally),
    tally,
    earlier: before.earlier,
    kept,
    checkedAt: at,
    best: tally.supported > 0 ? null : before.best,
    against,
    contradictions: contradictions.map(one => (tally.contradicted > 0 ? { ...one, addressedBy: null } : one)),
  }
}

/** The share of a judged text that is in the current one, if it was computed and is enough to count. */
async function keptNow(reader: Reader, entry: Current, text: number, judged: string): Promise<number | undefined> {
  const { digest } = wordingOf(entry)
  if (digest === judged) return 1
  const row = await store.findJudgedText(reader, entry.number, text)
  return row?.against === digest && row.kept !== null && row.kept >= KEPT_FROM ? row.kept : undefined
}

/** Whether no other actor of this origin judged the entry. False if another one did, with the same verdict only; undefined if unknown. */
async function isNewVoice(reader: Reader, entry: number, judgement: rules.Judgement): Promise<boolean | undefined> {
  const [any, same] = await Promise.all([
    store.findNeighbour(reader, entry, judgement),
    store.findVoice(reader, entry, judgement),
  ])
  if (any === undefined) return true
  if (same === undefined) return undefined
  const texts = await store.listJudgedBy(reader, entry, same.actor)
  return texts.length === 1 ? false : undefined
}
