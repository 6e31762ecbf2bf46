import { only, type Reader, type Transaction } from '../../engine/database.ts'
import { LruCache } from '../lru-cache.ts'
import { type Comparison, type CutText, compareTexts, cutText, type Text } from './pieces-rules.ts'
import {
  type ComparedText,
  type ComputedStanding,
  changesSinceSupport,
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

/** Computes the standing of one of the texts of an entry from judgements and revisions up to a record; null without judgements. */
export async function standingOn(
  reader: Reader,
  entry: store.JudgedEntry,
  text: CurrentText,
  upTo?: number,
): Promise<ComputedStanding | null> {
  const evidence = await evidenceOn(reader, entry, text, upTo)
  if (evidence === undefined) return null
  const standing = standingOf(evidence)
  return standing.changed === 0
    ? standing
    : { ...standing, changedBy: await changedByOf(reader, entry.number, evidence, text.revision) }
}

/** The maximum number of revisions that are compared to find who changed a supported text. */
const CHANGES_COMPARED = 8

/**
 * Finds who made the changes since the nearest supported text: the newest of these revisions, and the number of other actors. All authors of
 * changes before the compared revisions count as one.
 */
async function changedByOf(
  reader: Reader,
  entry: number,
  evidence: Evidence,
  current: number,
): Promise<ComputedStanding['changedBy']> {
  const since = changesSinceSupport(evidence)
  if (since === undefined) return null
  const found = await store.listChanges(reader, entry, since.revision, current, CHANGES_COMPARED + 1)
  const changes = found.slice(0, CHANGES_COMPARED)
  const [newest] = changes
  if (newest === undefined) return null
  if (new Set(found.map(({ actor }) => actor)).size === 1 && found.length === changes.length)
    return { revision: newest.number, others: 0 }
  const textOf = async (revision: number): Promise<CutText> => cutOf(only(await store.findText(reader, revision)))
  const before = found[CHANGES_COMPARED]?.number ?? since.revision
  const texts = await Promise.all([...changes.map(({ number }) => number), before].map(textOf))
  const made = changes.filter((_, at) => takeChanges(since, texts[at + 1] as CutText, texts[at] as CutText))
  const actors = new Set(made.map(({ actor }) => actor))
  const earlier = since.written.size + since.removed.size > 0 ? 1 : 0
  return { revision: (made[0] ?? newest).number, others: Math.max(0, actors.size - 1) + earlier }
}

/** Deletes the changes that a revision made from the sets of wanted ones; returns whether it made any. */
function takeChanges(
  { written, removed }: { written: Set<string>; removed: Set<string> },
  before: CutText,
  after: CutText,
): boolean {
  const { unchanged, gone } = comparisonOf(before, after)
  const left = written.size + removed.size
  for (const [place, key] of after.keys.entries()) if (!unchanged[place]) written.delete(key)
  for (const place of gone) removed.delete(before.keys[place] as string)
  return written.size + removed.size < left
}

/** Computes the standing of the current text of an entry, and stores it in the same transaction. */
export async function settleStanding(
  tx: Transaction,
  entry: store.JudgedEntry & CurrentText,
): Promise<ComputedStanding | null> {
  const standing = await standingOn(tx, entry, entry)
  await store.updateStanding(tx, entry.number, standing)
  return standing
}
