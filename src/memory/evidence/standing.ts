import { only, type Reader, type Transaction } from '../../engine/database.ts'
import { LruCache } from '../lru-cache.ts'
import { type CutText, type Text, Texts, unmarked } from './pieces-rules.ts'
import {
  assess,
  type Changes,
  type ComparedText,
  type ComputedStanding,
  type Correction,
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
const cached = new LruCache<number, Texts>(CACHED_CHARACTERS)

/** The texts of an entry, by its number. */
export function textsOf(entry: number): Texts {
  const known = cached.get(entry)
  if (known !== undefined) return known
  const texts = new Texts(size => cached.set(entry, texts, size))
  return texts
}

/**
 * The texts of committed revisions that were read, by their numbers. They never change, so that a transaction may use what was read before it.
 */
export type KnownTexts = { texts: Texts; read: ReadonlyMap<number, CutText> }

/** Which records count, and texts that need not be read again. */
type Moment = { upTo?: number | undefined; known?: KnownTexts | undefined }

/** Evidence, and the function that reads the texts of other revisions. */
type ReadEvidence = Evidence & KnownTexts & { textOf: (revision: number) => Promise<CutText> }

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
  const { texts, read, textOf } = evidence
  const nearest = assess(evidence).changes?.nearest.revision
  if (nearest !== undefined) {
    const found = await store.listChanges(reader, entry.number, nearest, entry.revision, CHANGES_COMPARED)
    let after = evidence.current
    for (const number of [...found.map(one => one.number), nearest].slice(0, CHANGES_COMPARED)) {
      const before = await textOf(number)
      texts.compare(before, after)
      after = before
    }
  }
  return { texts, read }
}

/** The number of no revision. */
const NO_REVISION = 0

/** Reads the evidence of an entry about one of its texts: judgements and revisions up to a record. undefined without judgements. */
export async function evidenceOn(
  reader: Reader,
  entry: store.JudgedEntry,
  text: CurrentText,
  { upTo, known }: Moment = {},
): Promise<ReadEvidence | undefined> {
  if (entry.evidence === 0 && entry.relations === 0) return undefined
  const judgements = withTracedClaims(latestOf(await store.listJudgements(reader, entry, upTo)))
  if (judgements.length === 0) return undefined
  const texts = known?.texts ?? textsOf(entry.number)
  const current = texts.cut(text)
  const read = new Map(known?.read).set(text.revision, current)
  const textOf = async (revision: number): Promise<CutText> => {
    const found = read.get(revision) ?? texts.cut(only(await store.findText(reader, revision)))
    read.set(revision, found)
    return found
  }
  const compared = new Map(
    await Promise.all(
      textsToCompare(judgements, text.revision).map(async (revision): Promise<[number, ComparedText]> => {
        const judged = await textOf(revision)
        return [revision, { text: judged, comparison: texts.compare(judged, current) }]
      }),
    ),
  )
  const evidence = { judgements, current, compared, texts, read, textOf }
  const objected = judgements.filter(isAgainst).map(({ revision }) => revision)
  if (objected.length === 0) return { ...evidence, corrections: [] }
  const corrections = await store.listCorrections(reader, entry.number, Math.min(...objected), upTo)
  const searched = new Set(correctionsToSearch({ ...evidence, corrections }))
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
  const assessed = assess(evidence)
  const standing = standingOf(evidence, assessed)
  const { changes } = assessed
  if (changes === undefined || standing.changed === 0) return standing
  const { revision } = changes.nearest
  const found = await store.listChanges(reader, entry.number, revision, text.revision, CHANGES_COMPARED + 1)
  return { ...standing, changedBy: await changedByOf(evidence, changes, found) }
}

/** The maximum number of revisions that are compared to find who changed a supported text. */
const CHANGES_COMPARED = 8

/**
 * Finds who made the changes since the nearest supported text: the newest of these revisions, and the number of other actors. `found` are the
 * revisions that changed something, newest first. All authors of changes before the compared revisions count as one.
 */
async function changedByOf(
  { texts, textOf, current }: ReadEvidence,
  { nearest, unconfirmed, gone }: Changes,
  found: readonly Correction[],
): Promise<ComputedStanding['changedBy']> {
  const changes = found.slice(0, CHANGES_COMPARED)
  const [newest] = changes
  if (newest === undefined) return null
  if (new Set(found.map(({ actor }) => actor)).size === 1 && found.length === changes.length)
    return { actor: newest.actor, others: 0 }
  const before = found[CHANGES_COMPARED]?.number ?? nearest.revision
  const cuts = await Promise.all([...changes.map(({ number }) => number), before].map(textOf))
  const [written, removed] = [texts.marked(current, unconfirmed), texts.marked(nearest.text, gone)]
  /** Deletes the marks of the changes that a revision made; returns whether it made any. */
  const takeChanges = (from: CutText, to: CutText): boolean => {
    const { unchanged, kept } = texts.compare(from, to)
    const taken = [unmark(written, to, unmarked(unchanged)), unmark(removed, from, unmarked(kept))]
    return taken.includes(true)
  }
  const made = changes.filter((_, at) => takeChanges(cuts[at + 1] as CutText, cuts[at] as CutText))
  const actors = new Set(made.map(({ actor }) => actor))
  const earlier = written.includes(1) || removed.includes(1) ? 1 : 0
  return { actor: (made[0] ?? newest).actor, others: Math.max(0, actors.size - 1) + earlier }
}

/** Deletes the marks of the pieces at some places of a text; returns whether there was any. */
function unmark(marks: Uint8Array, { numbers }: CutText, places: readonly number[]): boolean {
  let found = false
  for (const place of places) {
    const number = numbers[place] as number
    found ||= marks[number] === 1
    marks[number] = 0
  }
  return found
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
