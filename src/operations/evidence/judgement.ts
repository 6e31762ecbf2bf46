import type { Reader, Transaction } from '../../database/database.ts'
import { measurerOf, RETAINED_FROM, wordingOf } from '../../domain/evidence/retained-text.ts'
import { COUNTED_JUDGEMENTS, isAgainst, type Judgement } from '../../domain/evidence/standing.ts'
import { listOwnTexts } from '../../store/authors.ts'
import type { Counted } from '../../store/entry.ts'
import * as store from '../../store/standing.ts'
import { countJudgements, deleteJudgement, listSurplus } from '../../store/surplus.ts'

/** Assigns numbers to the texts of an entry. Revisions with the same words have the same number. */
export type TextNumbers = { numberOf(revision: store.JudgedRevision): Promise<number> }

/** The stored number of a text. A text that is judged for the first time gets a new one. */
export const storedTexts = (tx: Transaction, entry: number): TextNumbers => ({
  async numberOf(revision) {
    const { digest } = wordingOf(revision)
    const known = await store.findTextByDigest(tx, entry, digest)
    if (known !== undefined) return known.text
    await store.insertJudgedText(tx, entry, { text: revision.number, digest, ordinal: revision.ordinal })
    return revision.number
  },
})

/** A judgement as its record states it: without the number of its text, and without whether its actor wrote the text. */
type Statement = Omit<Judgement, 'text' | 'own'>

/**
 * Whether a judgement is by an author of the judged text. True if its actor wrote the revision. A judgement in favour or without a decision
 * is also own if one earlier revision by the actor contains nine tenths of the judged words. A judgement against such a text counts as
 * independent, because another actor changed the text.
 */
async function isOwn(
  reader: Reader,
  entry: number,
  statement: Statement,
  revision: store.JudgedRevision,
): Promise<boolean> {
  const { actor } = statement
  if (revision.actor === actor) return true
  if (isAgainst(statement)) return false
  const texts = revision.ordinal === 1 ? [] : await listOwnTexts(reader, entry, actor, revision.ordinal)
  if (texts.length === 0) return false
  const judged = wordingOf(revision)
  return texts.some(text => measurerOf(wordingOf(text))(judged) >= RETAINED_FROM)
}

const byRecord = (a: store.SaidRow, b: store.SaidRow): number => a.record - b.record

async function judgementOf(
  reader: Reader,
  entry: number,
  judged: store.JudgedRevision,
  statement: Statement,
  texts: TextNumbers,
): Promise<Judgement> {
  const [text, own] = await Promise.all([texts.numberOf(judged), isOwn(reader, entry, statement, judged)])
  return { ...statement, text, own }
}

export type Added = {
  judgement: Judgement
  /** The digest of the judged text. */
  digest: string
  /** The earlier judgement of this text by the same actor. */
  replaced: Judgement | undefined
  /** Whether the actor has judged no other text of the entry. */
  isOnlyJudgedText: boolean
}

/** Stores the verdict of an actor about a revision as its latest judgement of that text. */
export async function addJudgement(
  tx: Transaction,
  entry: number,
  judged: store.JudgedRevision,
  statement: Statement,
): Promise<Added> {
  const [judgement, before] = await Promise.all([
    judgementOf(tx, entry, judged, statement, storedTexts(tx, entry)),
    store.listJudgedBy(tx, entry, statement.actor),
  ])
  await store.upsertJudgement(tx, entry, judgement)
  const replaced = before.find(({ text }) => text === judgement.text)
  const isOnlyJudgedText = before.length === (replaced === undefined ? 0 : 1)
  return { judgement, digest: wordingOf(judged).digest, replaced, isOnlyJudgedText }
}

/** A public record by which an actor judged an entry. */
type JudgementRecord = store.SaidRow & { actor: number }

/** The public records by which an actor judged an entry, oldest first. */
export async function judgementRecordsOf(reader: Reader, entry: number, actor: number): Promise<JudgementRecord[]> {
  const [evidence, relations] = await Promise.all([
    store.listSaid(reader, entry, actor),
    store.listObjected(reader, entry, actor),
  ])
  return [...evidence, ...relations].sort(byRecord).map(row => ({ ...row, actor }))
}

/** The latest judgement of each actor about each text of an entry, by its records, oldest first. */
export async function judgementsOf(
  reader: Reader,
  entry: number,
  records: readonly JudgementRecord[],
  texts: TextNumbers,
): Promise<Judgement[]> {
  const latest = new Map<string, Judgement>()
  for (const { origin_group: originGroup, revision, ...statement } of records) {
    const judged = await store.findText(reader, revision)
    if (judged === undefined) throw new Error(`Revision number ${revision} was judged and is not there.`)
    const judgement = await judgementOf(reader, entry, judged, { ...statement, originGroup }, texts)
    latest.set(`${judgement.actor} ${judgement.text}`, judgement)
  }
  return [...latest.values()]
}

/**
 * Computes the judgements of actors again from their public records, after some were withdrawn or restored. A text that had no number gets
 * that of the revision that was judged first, whatever the order of the actors.
 */
export async function rejudge(tx: Transaction, entry: number, actors: readonly number[]): Promise<void> {
  const byActor: JudgementRecord[][] = []
  for (const actor of new Set(actors)) {
    byActor.push(await judgementRecordsOf(tx, entry, actor))
    await store.deleteJudgements(tx, entry, actor)
  }
  const records = byActor.flat().sort(byRecord)
  for (const judgement of await judgementsOf(tx, entry, records, storedTexts(tx, entry))) {
    await store.upsertJudgement(tx, entry, judgement)
  }
}

/** Deletes the judgements of an entry past the maximum. Returns the others. */
export async function trimJudgements(tx: Transaction, entry: number): Promise<Judgement[]> {
  const judgements = await store.listJudgements(tx, entry)
  if (judgements.length <= COUNTED_JUDGEMENTS) return judgements
  await removeSurplus(tx, entry)
  return store.listJudgements(tx, entry)
}

/** Deletes the judgements of an entry past the maximum, and returns them. */
export async function removeSurplus(tx: Transaction, entry: number): Promise<Judgement[]> {
  const surplus = (await countJudgements(tx, entry)) - COUNTED_JUDGEMENTS
  if (surplus <= 0) return []
  const removed = await listSurplus(tx, entry, surplus)
  for (const judgement of removed) await deleteJudgement(tx, entry, judgement)
  return removed
}

/**
 * Returns the group of the origin of a judgement within its entry. A new origin gets a new group; an unknown origin has group 0. The counts
 * include the judgement itself.
 */
export async function originGroupOf(
  tx: Transaction,
  entry: number,
  { evidence, relations, origins }: Counted,
  origin: number | null,
): Promise<number> {
  const first = evidence + relations === 1
  const known = origin === null ? 0 : first ? undefined : await store.findOriginGroup(tx, entry, origin)
  const group = known ?? origins + 1
  if (group > origins) await store.raiseOrigins(tx, entry, group)
  return group
}
