import { only, type Reader, type Transaction } from '../../database/database.ts'
import {
  headingOf,
  measurerOf,
  RETAINED_FROM,
  type Text,
  type Wording,
  wordingOf,
} from '../../domain/evidence/retained-text.ts'
import { isAgainst, isObjection, type Judgement, measuredTexts, standingOf } from '../../domain/evidence/standing.ts'
import { listChangedByJudges } from '../../store/authors.ts'
import * as store from '../../store/standing.ts'
import { trimJudgements } from './judgement.ts'

/** Maximum number of revisions after a judged text that are searched for its correction. */
const WALK_MAX = 32

/** Finds the judged texts of an entry and their comparisons with its current text. */
export type TextComparisons = {
  /** The number of the judged text with a digest; undefined if that text is not judged. */
  numberOf(digest: string): Promise<number | undefined>
  comparisonOf(text: number): Promise<store.JudgedTextRow | undefined>
}

const storedComparisonsOf = (reader: Reader, entry: number): TextComparisons => ({
  numberOf: async digest => (await store.findTextByDigest(reader, entry, digest))?.text,
  comparisonOf: async text => store.findJudgedText(reader, entry, text),
})

type Assessed = { standing: store.StoredStanding | null; disputeScore: number; measured: store.JudgedTextRow[] }
type Current = Text & { number: number }

/** Updates the stored standing of an entry from its judgements and its text. The cost does not depend on the number of revisions. */
export async function settleStanding(tx: Transaction, entry: Current): Promise<store.StoredStanding | null> {
  const judgements = await trimJudgements(tx, entry.number)
  const comparisons = storedComparisonsOf(tx, entry.number)
  const { standing, disputeScore, measured } = await assess(tx, entry, judgements, comparisons)
  for (const row of measured) await store.updateJudgedText(tx, entry.number, row)
  await store.updateStanding(tx, entry.number, standing, disputeScore)
  return standing
}

/** Computes the standing of the current text of an entry. `measured` are the rows that changed. */
export async function assess(
  reader: Reader,
  entry: Current,
  judgements: readonly Judgement[],
  comparisons: TextComparisons,
): Promise<Assessed> {
  if (judgements.length === 0) return { standing: null, disputeScore: 0, measured: [] }
  const current = wordingOf(entry)
  const { rows, shares, measured, currentTextNumber } = await measure(reader, judgements, current, comparisons)
  const retainedShareOf = (text: number): number => shares.get(text) ?? 0
  const comparison = { judgements, retainedShareOf, currentTextNumber }
  const countedJudgements = await withAuthors(reader, entry.number, comparison)
  const result = standingOf(countedJudgements, retainedShareOf)
  const { objections, best, supported, against: opposing, disputeScore, ...counted } = result
  const confirmed = await confirmedShare(reader, supported, entry)
  // If the new text is contradicted, it does not count as a correction.
  if (counted.tally.contradicted === 0) {
    const shown = objections.map(({ judgement }) => judgement)
    const answerable = [...shown, ...countedJudgements.filter(one => isObjection(one) && rows.has(one.text))]
    for (const text of new Set(answerable.map(judgement => judgement.text))) {
      if (retainedShareOf(text) < RETAINED_FROM)
        await seekCorrection(reader, entry.number, text, { rows, measured, comparisons })
    }
  }
  const contradictions = objections.map(({ judgement: { record, verdict, text, originGroup }, current }) => {
    const addressedBy = current || counted.tally.contradicted > 0 ? null : (rows.get(text)?.addressed ?? null)
    return { record, group: originGroup, verdict, kept: retainedShareOf(text), addressedBy }
  })
  return {
    standing: { ...counted, confirmed, best: best?.record ?? null, against: opposing.map(namedOf), contradictions },
    disputeScore,
    measured: [...measured],
  }
}

type ComparedJudgements = {
  judgements: readonly Judgement[]
  /** The share of a judged text that the current text retains, from 0 to 1. */
  retainedShareOf(text: number): number
  /** The number of the current text; undefined if it is not judged. */
  currentTextNumber: number | undefined
}

/**
 * Returns the judgements of an entry, with `own` set for its current text. Only revisions up to record `upTo` are considered. An actor that
 * changed the entry after an earlier text is an author of the current text. Its judgement of that earlier text is own, unless the judgement
 * is against the text or the current text retains too little of it.
 */
export async function withAuthors(
  reader: Reader,
  entry: number,
  { judgements, retainedShareOf, currentTextNumber }: ComparedJudgements,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<readonly Judgement[]> {
  const mayBeByAuthor = (judgement: Judgement): boolean =>
    !judgement.own &&
    !isAgainst(judgement) &&
    judgement.text !== currentTextNumber &&
    retainedShareOf(judgement.text) >= RETAINED_FROM
  if (!judgements.some(mayBeByAuthor)) return judgements
  const changed = await listChangedByJudges(reader, entry, upTo)
  const authors = new Set(changed.map(({ actor, text }) => `${actor} ${text}`))
  return judgements.map(judgement =>
    mayBeByAuthor(judgement) && authors.has(`${judgement.actor} ${judgement.text}`)
      ? { ...judgement, own: true }
      : judgement,
  )
}

/**
 * The maximum confirmed share if the supported text and the current text have different digests. Such a text is never fully confirmed,
 * because an omitted or moved word can reverse its meaning.
 */
const MAX_SHARE_OF_DIFFERENT_TEXT = 0.999

/**
 * Returns the largest share (0 to 1) of the current text that one supported text confirms, by `shareConfirmedBy`. Returns null if no text
 * is supported.
 */
export async function confirmedShare(
  reader: Reader,
  supported: readonly number[],
  current: Text,
): Promise<number | null> {
  let largest: number | null = null
  for (const text of supported) {
    if (largest === 1) break
    largest = Math.max(largest ?? 0, await shareConfirmedBy(reader, text, current))
  }
  return largest
}

/**
 * Returns the share (0 to 1) of the current text that one supported text confirms. Computes the share of the whole current text that is in
 * the supported text, and the share of the current title and summary that is in the supported title and summary. Returns the smaller one.
 */
export async function shareConfirmedBy(reader: Reader, supported: number, current: Text): Promise<number> {
  const text = only(await store.findText(reader, supported))
  return Math.min(shareIn(wordingOf(text), wordingOf(current)), shareIn(headingOf(text), headingOf(current)))
}

const shareIn = (judged: Wording, current: Wording): number =>
  judged.digest === current.digest ? 1 : Math.min(MAX_SHARE_OF_DIFFERENT_TEXT, measurerOf(judged)(current))

const namedOf = ({ record, originGroup }: Judgement) => ({ record, group: originGroup })

type Rows = Map<number, store.JudgedTextRow>
type MeasuredRow = store.JudgedTextRow & { kept: number }

/** Whether a row is a comparison with the current text. `row.against` is the digest of the text with which the row was compared. */
const isMeasured = (row: store.JudgedTextRow, current: Wording): row is MeasuredRow =>
  row.kept !== null && row.against === current.digest

/**
 * Compares the judged texts with the current one, unless the comparison is stored. `shares` contains the retained share of each judged
 * text, by its number. `measured` contains the new comparisons.
 */
export async function measure(
  reader: Reader,
  judgements: readonly Judgement[],
  current: Wording,
  comparisons: TextComparisons,
): Promise<{
  rows: Rows
  shares: ReadonlyMap<number, number>
  measured: Set<store.JudgedTextRow>
  currentTextNumber: number | undefined
}> {
  const currentTextNumber = await comparisons.numberOf(current.digest)
  const texts = new Set(measuredTexts(judgements))
  if (currentTextNumber !== undefined) texts.add(currentTextNumber)
  const found = await Promise.all([...texts].map(text => comparisons.comparisonOf(text)))
  const rows = found.filter(row => row !== undefined)
  const stale = rows.filter(row => !isMeasured(row, current))
  if (stale.length > 0) await compare(reader, stale, current, currentTextNumber)
  return {
    rows: new Map(rows.map(row => [row.text, row])),
    shares: new Map(rows.filter(row => isMeasured(row, current)).map(({ text, kept }) => [text, kept])),
    measured: new Set(stale),
    currentTextNumber,
  }
}

/** Compares judged texts with the current one, and writes the result into their rows. */
async function compare(
  reader: Reader,
  stale: readonly store.JudgedTextRow[],
  current: Wording,
  currentTextNumber: number | undefined,
): Promise<void> {
  const shareOf = measurerOf(current)
  await Promise.all(
    stale.map(async row => {
      row.kept = row.text === currentTextNumber ? 1 : shareOf(wordingOf(only(await store.findText(reader, row.text))))
      row.against = current.digest
    }),
  )
}

/** Finds the first CORRECT revision that changed a text with objections, unless that text was restored later. */
async function seekCorrection(
  reader: Reader,
  entry: number,
  text: number,
  { rows, measured, comparisons }: { rows: Rows; measured: Set<store.JudgedTextRow>; comparisons: TextComparisons },
): Promise<void> {
  const row = rows.get(text) ?? (await comparisons.comparisonOf(text))
  if (row === undefined) return
  rows.set(text, row)
  const later = await store.listChangesAbove(reader, entry, row.walked, WALK_MAX - row.steps)
  const judged = later.length === 0 ? undefined : await store.findText(reader, text)
  if (judged === undefined) return
  const wording = wordingOf(judged)
  for (const revision of later) {
    const share = measurerOf(wordingOf(revision))(wording)
    if (share >= RETAINED_FROM) row.addressed = null
    else if (revision.change_type === 'CORRECT') row.addressed ??= revision.number
    row.walked = revision.ordinal
    row.steps += 1
  }
  measured.add(row)
}
