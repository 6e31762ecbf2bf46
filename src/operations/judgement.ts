import type { Reader, Transaction } from '../database/database.ts'
import { KEPT_FROM, measurerOf, wordingOf } from '../domain/kept.ts'
import { type Judgement, surplusOf } from '../domain/standing.ts'
import * as store from '../store/standing.ts'

/** Texts of an actor that are looked at to find out whether it judged its own words: its newest. */
const OWN_TEXTS = 4

/** Gives the texts of an entry their numbers: the same for revisions that have the same words. */
export type TextNumbers = { numberOf(revision: store.TextRow): Promise<number> }

/** The numbers that the store keeps; a text that nobody judged before gets one. */
export const keptTexts = (tx: Transaction, entry: number): TextNumbers => ({
  async numberOf(revision) {
    const { digest } = wordingOf(revision)
    const known = await store.findTextByDigest(tx, entry, digest)
    if (known !== undefined) return known.text
    await store.insertJudgedText(tx, entry, { text: revision.number, digest, ordinal: revision.ordinal })
    return revision.number
  },
})

/** Whether an actor wrote a revision, or an earlier one that nearly all of its words come from. */
async function isOwn(reader: Reader, entry: number, actor: number, revision: store.TextRow): Promise<boolean> {
  if (revision.actor === actor) return true
  const texts = await store.listOwnTexts(reader, entry, actor, revision.ordinal, OWN_TEXTS)
  const judged = wordingOf(revision)
  return texts.some(text => measurerOf(wordingOf(text))(judged) >= KEPT_FROM)
}

type Said = Omit<store.SaidRow, 'origin_group'> & { actor: number; originGroup: number }

async function judgementOf(reader: Reader, entry: number, said: Said, texts: TextNumbers): Promise<Judgement> {
  const { revision, ...rest } = said
  const judged = await store.findText(reader, revision)
  if (judged === undefined) throw new Error(`Revision number ${revision} was judged and is not there.`)
  const [text, own] = await Promise.all([texts.numberOf(judged), isOwn(reader, entry, said.actor, judged)])
  return { ...rest, text, own }
}

/** Makes what an actor said of a revision its latest judgement of that text. */
export async function addJudgement(tx: Transaction, entry: number, said: Said): Promise<void> {
  await store.upsertJudgement(tx, entry, await judgementOf(tx, entry, said, keptTexts(tx, entry)))
}

/** The latest judgement of an actor about each text of an entry, by its public records. */
export async function judgementsOf(
  reader: Reader,
  entry: number,
  actor: number,
  texts: TextNumbers,
): Promise<Judgement[]> {
  const [said, objected] = await Promise.all([
    store.listSaid(reader, entry, actor),
    store.listObjected(reader, entry, actor),
  ])
  const latest = new Map<number, Judgement>()
  for (const { origin_group: originGroup, ...one } of [...said, ...objected].sort((a, b) => a.record - b.record)) {
    const judgement = await judgementOf(reader, entry, { ...one, actor, originGroup }, texts)
    latest.set(judgement.text, judgement)
  }
  return [...latest.values()]
}

/** Judges anew by the public records of an actor, after some of them were withdrawn or came back. */
export async function rejudge(tx: Transaction, entry: number, actor: number): Promise<void> {
  const judgements = await judgementsOf(tx, entry, actor, keptTexts(tx, entry))
  await store.deleteJudgements(tx, entry, actor)
  for (const one of judgements) await store.upsertJudgement(tx, entry, one)
}

/** The judgements of an entry, without one where there is one too many. */
export async function countedJudgements(tx: Transaction, entry: number): Promise<Judgement[]> {
  const judgements = await store.listJudgements(tx, entry)
  const surplus = surplusOf(judgements)
  if (surplus === undefined) return judgements
  await store.deleteJudgement(tx, entry, surplus)
  return judgements.filter(one => one !== surplus)
}

/** The group of the origin of a judgement within the entry that it is about, made now if the origin is new to it. */
export async function originGroupOf(
  tx: Transaction,
  entry: { number: number; origins: number },
  { origin, imported = 0 }: { origin: number | null; imported?: number | undefined },
): Promise<number> {
  const known = origin === null ? imported : await store.findOriginGroup(tx, entry.number, origin)
  const group = known ?? entry.origins + 1
  if (group > entry.origins) await store.raiseOrigins(tx, entry.number, group)
  return group
}
