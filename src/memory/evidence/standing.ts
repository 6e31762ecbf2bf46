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
  withTracedClaims,
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

/**
 * The texts of committed revisions, by their numbers, and a text that is going to be current. They never change, so that a transaction may
 * use what was read before it.
 */
export type KnownTexts = { current: CutText; earlier: ReadonlyMap<number, CutText> }

/** Which records count, and texts that need not be read again. */
type Moment = { upTo?: number | undefined; known?: KnownTexts | undefined }

/**
 * Reads and compares the texts that the standing of an entry with a new text needs. The transaction that stores this text then finds them in
 * memory. undefined without judgements.
 */
export async function prepareTexts(
  reader: Reader,
  entry: store.JudgedEntry & { revision: number },
  text: Text,
): Promise<KnownTexts | undefined> {
  const evidence = await evidenceOn(reader, entry, { ...text, revision: NO_REVISION })
  if (evidence === undefined) return undefined
  const { current, compared, corrections } = evidence
  const earlier = new Map([...compared].map(([number, one]) => [number, one.text]))
  for (const { number, text: corrected } of corrections) if (corrected !== undefined) earlier.set(number, corrected)
  const since = changesSinceSupport(evidence)
  if (since === undefined) return { current, earlier }
  const found = await store.listChanges(reader, entry.number, since.revision, entry.revision, CHANGES_COMPARED)
  const changes = [...found.map(({ number }) => number), ...(found.length < CHANGES_COMPARED ? [since.revision] : [])]
  let after = current
  for (const number of changes) {
    const before = earlier.get(number) ?? cutOf(only(await store.findText(reader, number)))
    earlier.set(number, before)
    comparisonOf(before, after)
    after = before
  }
  return { current, earlier }
}

/** The number of no revision. */
const NO_REVISION = 0

/** Returns the function that returns the text of a revision. */
const createTexts =
  (reader: Reader, { revision: current, ...text }: CurrentText, known: KnownTexts | undefined) =>
  async (revision: number): Promise<CutText> => {
    if (revision === current) return known?.current ?? cutOf(text)
    return known?.earlier.get(revision) ?? cutOf(only(await store.findText(reader, revision)))
  }

/** Reads the evidence of an entry about one of its texts: judgements and revisions up to a record. undefined without judgements. */
export async function evidenceOn(
  reader: Reader,
  entry: store.JudgedEntry,
  text: CurrentText,
  { upTo, known }: Moment = {},
): Promise<Evidence | undefined> {
  if (entry.evidence === 0 && entry.relations === 0) return undefined
  const judgements = withTracedClaims(latestOf(await store.listJudgements(reader, entry, upTo)))
  if (judgements.length === 0) return undefined
  const textOf = createTexts(reader, text, known)
  const cut = await textOf(text.revision)
  const compared = new Map(
    await Promise.all(
      textsToCompare(judgements, text.revision).map(async (revision): Promise<[number, ComparedText]> => {
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
  moment: Moment = {},
): Promise<ComputedStanding | null> {
  const evidence = await evidenceOn(reader, entry, text, moment)
  if (evidence === undefined) return null
  const standing = standingOf(evidence)
  return standing.changed === 0
    ? standing
    : { ...standing, changedBy: await changedByOf(reader, entry.number, evidence, text, moment.known) }
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
  text: CurrentText,
  known: KnownTexts | undefined,
): Promise<ComputedStanding['changedBy']> {
  const since = changesSinceSupport(evidence)
  if (since === undefined) return null
  const found = await store.listChanges(reader, entry, since.revision, text.revision, CHANGES_COMPARED + 1)
  const changes = found.slice(0, CHANGES_COMPARED)
  const [newest] = changes
  if (newest === undefined) return null
  if (new Set(found.map(({ actor }) => actor)).size === 1 && found.length === changes.length)
    return { actor: newest.actor, others: 0 }
  const textOf = createTexts(reader, text, known)
  const before = found[CHANGES_COMPARED]?.number ?? since.revision
  const texts = await Promise.all([...changes.map(({ number }) => number), before].map(textOf))
  const made = changes.filter((_, at) => takeChanges(since, texts[at + 1] as CutText, texts[at] as CutText))
  const actors = new Set(made.map(({ actor }) => actor))
  const earlier = since.written.size + since.removed.size > 0 ? 1 : 0
  return { actor: (made[0] ?? newest).actor, others: Math.max(0, actors.size - 1) + earlier }
}

/** Deletes the changes that a revision made from the sets of wanted ones; returns whether it made any. */
function takeChanges(
  { written, removed }: { written: Set<string>; removed: Set<string> },
  before: CutText,
  after: CutText,
): boolean {
  const left = written.size + removed.size
  if (left === 0) return false
  const { unchanged, gone } = comparisonOf(before, after)
  for (const [place, key] of after.keys.entries()) if (!unchanged[place]) written.delete(key)
  for (const place of gone) removed.delete(before.keys[place] as string)
  return written.size + removed.size < left
}

/**
 * Computes the standing of the current text of an entry, and stores it in the same transaction. `known` saves the time to read and compare
 * texts.
 */
export async function settleStanding(
  tx: Transaction,
  entry: store.JudgedEntry & CurrentText,
  known?: KnownTexts,
): Promise<ComputedStanding | null> {
  const standing = await standingOn(tx, entry, entry, { known })
  await store.updateStanding(tx, entry.number, standing)
  return standing
}
