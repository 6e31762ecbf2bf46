import { only, type Reader, type Transaction } from '../../engine/database.ts'
import { LruCache } from '../lru-cache.ts'
import { type CutText, changedPlaces, type Text, Texts } from './pieces-rules.ts'
import * as store from './rows.ts'
import {
  assess,
  type Changes,
  type ComputedStanding,
  type Correction,
  correctionsToSearch,
  type Evidence,
  isAgainst,
  latestOf,
  textsToCompare,
  tracingIn,
  withTracedClaims,
} from './rules.ts'

/** A text to judge by the evidence of its entry, and the number of its revision. */
type CurrentText = Text & { revision: number }

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

/** `upTo` is the last record that counts; `known` are texts that need not be read again. */
type EvidenceScope = { upTo?: number | undefined; known?: KnownTexts | undefined }

/** Evidence, and the function that reads the texts of other revisions. */
type ReadEvidence = Evidence & KnownTexts & { textOf: (revision: number) => Promise<CutText> }

/** Reads the evidence of an entry about one of its texts: judgements and revisions up to a record. undefined without judgements. */
export async function evidenceOn(
  reader: Reader,
  entry: store.JudgedEntry,
  text: CurrentText,
  { upTo, known }: EvidenceScope = {},
): Promise<ReadEvidence | undefined> {
  const counted = latestOf(await store.listJudgements(reader, entry, upTo))
  if (counted.length === 0) return undefined
  const texts = known?.texts ?? textsOf(entry.number)
  const current = texts.cut(text)
  const read = new Map(known?.read).set(text.revision, current)
  const textOf = async (revision: number): Promise<CutText> => {
    const found = read.get(revision) ?? texts.cut(only(await store.findText(reader, revision)))
    read.set(revision, found)
    return found
  }
  const textsOn = async (revisions: readonly number[]): Promise<Map<number, CutText>> =>
    new Map(await Promise.all(revisions.map(async one => [one, await textOf(one)] as const)))
  const toCompare = textsToCompare(counted, text.revision)
  const judgements = withTracedClaims(counted, toCompare)
  const compared = await textsOn(toCompare)
  const evidence = { judgements, current, compared, isIn: tracingIn(compared), corrections: [], texts, read, textOf }
  const objected = judgements.filter(isAgainst).map(({ revision }) => revision)
  if (objected.length === 0) return evidence
  const corrections = await store.listCorrections(reader, entry.number, Math.min(...objected), upTo)
  const searched = await textsOn(correctionsToSearch({ ...evidence, corrections }))
  return { ...evidence, corrections: corrections.map(one => ({ ...one, text: searched.get(one.number) })) }
}

/** Computes the standing of one of the texts of an entry from judgements and revisions up to a record; null without judgements. */
export async function standingOn(
  reader: Reader,
  entry: store.JudgedEntry,
  text: CurrentText,
  scope: EvidenceScope = {},
): Promise<ComputedStanding | null> {
  const evidence = await evidenceOn(reader, entry, text, scope)
  return evidence === undefined ? null : namedStandingOf(reader, entry, text, evidence)
}

/** The number of a revision that is not stored yet. */
const NEXT = Number.MAX_SAFE_INTEGER

/**
 * Reads and compares the texts that the standing of an entry with a new text by an actor needs. The transaction that stores the text then
 * finds them in memory. undefined without judgements.
 */
export async function prepareTexts(
  reader: Reader,
  entry: store.JudgedEntry,
  newText: Text,
  actor: number,
): Promise<KnownTexts | undefined> {
  const text = { ...newText, revision: NEXT }
  const evidence = await evidenceOn(reader, entry, text)
  if (evidence !== undefined) await namedStandingOf(reader, entry, text, evidence, [{ number: NEXT, actor }])
  return evidence
}

/** The standing by some evidence, with the authors of the changes since the nearest supported text. `next` is not stored yet. */
async function namedStandingOf(
  reader: Reader,
  entry: store.JudgedEntry,
  { revision }: CurrentText,
  evidence: ReadEvidence,
  next: readonly Correction[] = [],
): Promise<ComputedStanding> {
  const { standing, changes } = assess(evidence)
  if (changes === undefined || standing.changed === 0) return standing
  const upTo = Math.min(revision, entry.revision)
  const stored = await store.listChanges(reader, entry.number, changes.revision, upTo, CHANGES_COMPARED + 1)
  return { ...standing, changedBy: await changedByOf(evidence, changes, [...next, ...stored]) }
}

/** The maximum number of revisions that are compared to find who changed a supported text. */
const CHANGES_COMPARED = 8

/**
 * Finds who made the changes since the nearest supported text: the newest of these revisions, and the number of other actors. `found` are the
 * revisions that changed something, newest first. All authors of changes before the compared revisions count as one.
 */
async function changedByOf(
  { textOf, current }: ReadEvidence,
  { revision, nearest, unconfirmed, gone }: Changes,
  found: readonly Correction[],
): Promise<ComputedStanding['changedBy']> {
  const changes = found.slice(0, CHANGES_COMPARED)
  const [newest] = changes
  if (newest === undefined) return null
  const { actor } = newest
  if (found.length <= CHANGES_COMPARED && found.every(one => one.actor === actor)) return { actor, others: 0 }
  const numbers = [...found.map(({ number }) => number), revision].slice(0, CHANGES_COMPARED + 1)
  const texts = await Promise.all(numbers.map(textOf))
  const sought = new Set([...numbersAt(current, unconfirmed), ...numbersAt(nearest, gone)])
  const made = changes.filter((_, at) => {
    const [to, from] = [texts[at] as CutText, texts[at + 1] as CutText]
    const { ofCurrent, ofJudged } = to.comparedWith(from)
    const touched = [...numbersAt(to, changedPlaces(ofCurrent)), ...numbersAt(from, changedPlaces(ofJudged))]
    return touched.filter(number => sought.delete(number)).length > 0
  })
  const actors = new Set((made.length === 0 ? [newest] : made).map(one => one.actor))
  return { actor: made[0]?.actor ?? actor, others: actors.size - 1 + (sought.size > 0 ? 1 : 0) }
}

const numbersAt = ({ numbers }: CutText, places: readonly number[]): number[] =>
  places.map(place => numbers[place] as number)

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
