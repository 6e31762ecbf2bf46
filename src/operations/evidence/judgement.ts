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

type Said = Omit<Judgement, 'text' | 'own'>

/**
 * Whether a judgement counts as one by an author of the text. True if its actor wrote the revision. For a judgement that is not against the
 * text, also true if the actor wrote nearly all of its words in an earlier revision. An objection to such a text counts, because another
 * actor changed the words.
 */
async function isOwn(reader: Reader, entry: number, said: Said, revision: store.JudgedRevision): Promise<boolean> {
  const { actor } = said
  if (revision.actor === actor) return true
  if (isAgainst(said)) return false
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
  said: Said,
  texts: TextNumbers,
): Promise<Judgement> {
  const [text, own] = await Promise.all([texts.numberOf(judged), isOwn(reader, entry, said, judged)])
  return { ...said, text, own }
}

/**
 * An added judgement, the digest of its text, the judgement of that text by its actor that it replaced, and whether its actor judged no
 * other text of the entry.
 */
export type Added = { judgement: Judgement; digest: string; replaced: Judgement | undefined; isAlone: boolean }

/** Stores the verdict of an actor about a revision as its latest judgement of that text. */
export async function addJudgement(
  tx: Transaction,
  entry: number,
  judged: store.JudgedRevision,
  said: Said,
): Promise<Added> {
  const [judgement, before] = await Promise.all([
    judgementOf(tx, entry, judged, said, storedTexts(tx, entry)),
    store.listJudgedBy(tx, entry, said.actor),
  ])
  await store.upsertJudgement(tx, entry, judgement)
  const replaced = before.find(({ text }) => text === judgement.text)
  const isAlone = before.length === (replaced === undefined ? 0 : 1)
  return { judgement, digest: wordingOf(judged).digest, replaced, isAlone }
}

type Judging = store.SaidRow & { actor: number }

/** The public records by which an actor judged an entry, oldest first. */
export async function recordsOf(reader: Reader, entry: number, actor: number): Promise<Judging[]> {
  const [said, objected] = await Promise.all([
    store.listSaid(reader, entry, actor),
    store.listObjected(reader, entry, actor),
  ])
  return [...said, ...objected].sort(byRecord).map(one => ({ ...one, actor }))
}

/** The latest judgement of an actor about each text of an entry, by its records, oldest first. */
export async function judgementsOf(
  reader: Reader,
  entry: number,
  records: readonly Judging[],
  texts: TextNumbers,
): Promise<Judgement[]> {
  const latest = new Map<number, Judgement>()
  for (const { origin_group: originGroup, revision, ...one } of records) {
    const judged = await store.findText(reader, revision)
    if (judged === undefined) throw new Error(`Revision number ${revision} was judged and is not there.`)
    const judgement = await judgementOf(reader, entry, judged, { ...one, originGroup }, texts)
    latest.set(judgement.text, judgement)
  }
  return [...latest.values()]
}

/** Computes the judgements of an actor again from its public records, after some were withdrawn or restored. */
export async function rejudge(tx: Transaction, entry: number, actor: number): Promise<void> {
  const judgements = await judgementsOf(tx, entry, await recordsOf(tx, entry, actor), storedTexts(tx, entry))
  await store.deleteJudgements(tx, entry, actor)
  for (const one of judgements) await store.upsertJudgement(tx, entry, one)
}

/** The judgements of an entry, after those past the maximum were deleted. */
export async function countedJudgements(tx: Transaction, entry: number): Promise<Judgement[]> {
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
  for (const one of removed) await deleteJudgement(tx, entry, one)
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
