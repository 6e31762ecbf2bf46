import { only, type Reader, type Transaction } from '../../engine/database.ts'
import { LruCache } from '../lru-cache.ts'
import { type Comparison, type CutText, compareTexts, cutText, type Text } from './pieces-rules.ts'
import {
  type ComparedText,
  type ComputedStanding,
  correctionsToSearch,
  type Evidence,
  isAgainst,
  latestOf,
  standingOf,
  textsToCompare,
} from './rules.ts'
import * as store from './standing-rows.ts'

/** A text to judge by the evidence of its entry, and the number of its revision. */
export type CurrentText = Text & { revision: number }

/** The maximum total length of the cut texts that are cached, in UTF-16 units. */
const CACHED_CHARACTERS = 2_000_000
const cuts = new LruCache<string, CutText>(CACHED_CHARACTERS)
const comparisons = new WeakMap<CutText, WeakMap<CutText, Comparison>>()

/** The pieces of a text. Cuts a text once while it is cached. */
export function cutOf({ title, summary, content }: Text): CutText {
  const key = `${title}\0${summary}\0${content}`
  const known = cuts.get(key)
  if (known !== undefined) return known
  const cut = cutText({ title, summary, content })
  cuts.set(key, cut, key.length)
  return cut
}

/** Compares two texts once while both are cached. */
export function comparisonOf(judged: CutText, current: CutText): Comparison {
  const byJudged = comparisons.get(current) ?? new WeakMap<CutText, Comparison>()
  comparisons.set(current, byJudged)
  const known = byJudged.get(judged) ?? compareTexts(judged, current)
  byJudged.set(judged, known)
  return known
}

/** Reads the evidence of an entry about one of its texts: judgements and revisions up to a record. undefined without judgements. */
export async function evidenceOn(
  reader: Reader,
  entry: store.JudgedEntry,
  { revision: current, ...text }: CurrentText,
  upTo?: number,
): Promise<Evidence | undefined> {
  if (entry.evidence === 0 && entry.relations === 0) return undefined
  const judgements = latestOf(await store.listJudgements(reader, entry, upTo))
  if (judgements.length === 0) return undefined
  const cut = cutOf(text)
  const textOf = async (revision: number): Promise<CutText> =>
    revision === current ? cut : cutOf(only(await store.findText(reader, revision)))
  const compared = new Map(
    await Promise.all(
      textsToCompare(judgements, current).map(async (revision): Promise<[number, ComparedText]> => {
        const judged = await textOf(revision)
        return [revision, { text: judged, comparison: comparisonOf(judged, cut) }]
      }),
    ),
  )
  const objected = judgements.filter(isAgainst).map(({ revision }) => revision)
  if (objected.length === 0) return { judgements, current: cut, compared, corrections: [] }
  const corrections = await store.listCorrections(reader, entry.number, Math.min(...objected), upTo)
  const evidence = { judgements, current: cut, compared, corrections }
  const searched = new Set(correctionsToSearch(evidence))
  return {
    ...evidence,
    corrections: await Promise.all(
      corrections.map(async one => (searched.has(one.number) ? { ...one, text: await textOf(one.number) } : one)),
    ),
  }
}

/** Computes the standing of the current text of an entry from its judgements, and stores it in the same transaction. */
export async function settleStanding(
  tx: Transaction,
  entry: store.JudgedEntry & CurrentText,
): Promise<ComputedStanding | null> {
  const evidence = await evidenceOn(tx, entry, entry)
  const standing = evidence === undefined ? null : standingOf(evidence)
  await store.updateStanding(tx, entry.number, standing)
  return standing
}
