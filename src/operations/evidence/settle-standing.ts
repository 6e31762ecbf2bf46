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
import { countedJudgements } from './judgement.ts'

/** Maximum number of revisions after a judged text that are searched for its correction. */
const WALK_MAX = 32

/** The stored comparisons of the judged texts of an entry. */
export type TextMemory = {
  textOf(digest: string): Promise<number | undefined>
  rowOf(text: number): Promise<store.JudgedTextRow | undefined>
}

const storedMemory = (reader: Reader, entry: number): TextMemory => ({
  textOf: async digest => (await store.findTextByDigest(reader, entry, digest))?.text,
  rowOf: async text => store.findJudgedText(reader, entry, text),
})

type Assessed = { standing: store.StoredStanding | null; disputeScore: number; measured: store.JudgedTextRow[] }
type Current = Text & { number: number }

/** Updates the stored standing of an entry from its judgements and its text. The cost does not depend on the number of revisions. */
export async function settleStanding(tx: Transaction, entry: Current): Promise<store.StoredStanding | null> {
  const judgements = await countedJudgements(tx, entry.number)
  const { standing, disputeScore, measured } = await assess(tx, entry, judgements, storedMemory(tx, entry.number))
  for (const row of measured) await store.updateJudgedText(tx, entry.number, row)
  await store.updateStanding(tx, entry.number, standing, disputeScore)
  return standing
}

/** The result of the judgements about the text of an entry, and the judged texts that were compared for it. */
export async function assess(
  reader: Reader,
  entry: Current,
  judgements: readonly Judgement[],
  memory: TextMemory,
): Promise<Assessed> {
  if (judgements.length === 0) return { standing: null, disputeScore: 0, measured: [] }
  const current = wordingOf(entry)
  const { rows, shares, measured, here } = await measure(reader, judgements, current, memory)
  const retainedShareOf = (text: number): number => shares.get(text) ?? 0
  const counting = await withAuthors(reader, entry.number, { judgements, retainedShareOf, here })
  const { objections, best, supported, against, disputeScore, ...counted } = standingOf(counting, retainedShareOf)
  const confirmed = await confirmedShare(reader, supported, entry)
  // If the new text is contradicted, it does not count as a correction.
  if (counted.tally.contradicted === 0) {
    const shown = objections.map(({ judgement }) => judgement)
    const answerable = [...shown, ...counting.filter(one => isObjection(one) && rows.has(one.text))]
    for (const text of new Set(answerable.map(one => one.text))) {
      if (retainedShareOf(text) < RETAINED_FROM)
        await seekCorrection(reader, entry.number, text, { rows, measured, memory })
    }
  }
  const contradictions = objections.map(({ judgement: { record, verdict, text, originGroup }, current }) => {
    const addressedBy = current || counted.tally.contradicted > 0 ? null : (rows.get(text)?.addressed ?? null)
    return { record, group: originGroup, verdict, kept: retainedShareOf(text), addressedBy }
  })
  return {
    standing: { ...counted, confirmed, best: best?.record ?? null, against: against.map(namedOf), contradictions },
    disputeScore,
    measured: [...measured],
  }
}

type Counting = {
  judgements: readonly Judgement[]
  retainedShareOf(text: number): number
  /** The number of the current text, if it is judged. */
  here: number | undefined
}

/**
 * Returns the judgements of an entry as they count for its current text, which is that of record `upTo`. An actor that changed the entry
 * after a judged text is an author of the current one. Its support of that text is marked as `own`.
 */
export async function withAuthors(
  reader: Reader,
  entry: number,
  { judgements, retainedShareOf, here }: Counting,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<readonly Judgement[]> {
  const mayBeAuthors = (one: Judgement): boolean =>
    !one.own && !isAgainst(one) && one.text !== here && retainedShareOf(one.text) >= RETAINED_FROM
  if (!judgements.some(mayBeAuthors)) return judgements
  const changed = await listChangedByJudges(reader, entry, upTo)
  const authors = new Set(changed.map(({ actor, text }) => `${actor} ${text}`))
  return judgements.map(one =>
    mayBeAuthors(one) && authors.has(`${one.actor} ${one.text}`) ? { ...one, own: true } : one,
  )
}

/** The maximum share for a text with another digest: omitted or moved words can reverse the meaning of a text. */
const OTHER_MOST = 0.999

/**
 * Returns the largest share (0 to 1) of the current text that is in one supported text; null if no text is supported. The share is at most
 * the same share of the title and the summary.
 */
export async function confirmedShare(
  reader: Reader,
  supported: readonly number[],
  current: Text,
): Promise<number | null> {
  let most: number | null = null
  for (const text of supported) {
    if (most === 1) break
    most = Math.max(most ?? 0, await shareConfirmedBy(reader, text, current))
  }
  return most
}

/** The share (0 to 1) of the current text that is in one supported text, at most the same share of the title and the summary. */
export async function shareConfirmedBy(reader: Reader, supported: number, current: Text): Promise<number> {
  const text = only(await store.findText(reader, supported))
  return Math.min(shareIn(wordingOf(text), wordingOf(current)), shareIn(headingOf(text), headingOf(current)))
}

const shareIn = (judged: Wording, current: Wording): number =>
  judged.digest === current.digest ? 1 : Math.min(OTHER_MOST, measurerOf(judged)(current))

const namedOf = ({ record, originGroup }: Judgement) => ({ record, group: originGroup })

type Rows = Map<number, store.JudgedTextRow>
type MeasuredRow = store.JudgedTextRow & { kept: number }

const isMeasured = (row: store.JudgedTextRow, current: Wording): row is MeasuredRow =>
  row.kept !== null && row.against === current.digest

/**
 * Compares the judged texts with the current one, unless the comparison is stored. `shares` contains the retained share of each text, and
 * `measured` the new comparisons.
 */
export async function measure(
  reader: Reader,
  judgements: readonly Judgement[],
  current: Wording,
  memory: TextMemory,
): Promise<{
  rows: Rows
  shares: ReadonlyMap<number, number>
  measured: Set<store.JudgedTextRow>
  here: number | undefined
}> {
  const here = await memory.textOf(current.digest)
  const wanted = new Set(measuredTexts(judgements))
  if (here !== undefined) wanted.add(here)
  const found = (await Promise.all([...wanted].map(text => memory.rowOf(text)))).filter(row => row !== undefined)
  const stale = found.filter(row => !isMeasured(row, current))
  if (stale.length > 0) await compare(reader, stale, current, here)
  return {
    rows: new Map(found.map(row => [row.text, row])),
    shares: new Map(found.filter(row => isMeasured(row, current)).map(({ text, kept }) => [text, kept])),
    measured: new Set(stale),
    here,
  }
}

/** Compares judged texts with the current one, whose number is `here` if it is judged. */
async function compare(
  reader: Reader,
  stale: readonly store.JudgedTextRow[],
  current: Wording,
  here: number | undefined,
): Promise<void> {
  const shareOf = measurerOf(current)
  await Promise.all(
    stale.map(async row => {
      row.kept = row.text === here ? 1 : shareOf(wordingOf(only(await store.findText(reader, row.text))))
      row.against = current.digest
    }),
  )
}

/** Finds the first CORRECT revision that changed a text with objections, unless that text was restored later. */
async function seekCorrection(
  reader: Reader,
  entry: number,
  text: number,
  { rows, measured, memory }: { rows: Rows; measured: Set<store.JudgedTextRow>; memory: TextMemory },
): Promise<void> {
  const row = rows.get(text) ?? (await memory.rowOf(text))
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
