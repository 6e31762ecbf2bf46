import { LIMITS } from '../../contract/limits.ts'
import type { Author } from '../../contract/resources.ts'
import type { ObjectionStatus, Signal } from '../../contract/vocabulary.ts'
import { only, type Reader } from '../../engine/database.ts'
import { toAuthor } from '../actors/rows.ts'
import { findAnswer, findEvidence } from '../entries/view-rows.ts'
import { findAddressed, type Reads } from '../operation.ts'
import { signalsMember } from '../signals/signals.ts'
import { isoTime, memoized } from '../values.ts'
import { findStatement } from './rows.ts'
import { countsNow, objectionsOf, type Reply, repliesOf } from './rules.ts'
import { evidenceOn } from './standing.ts'

type WithReader = Pick<Reads, 'reader'>

/** A reply to an objection, as a page shows it. An answer has the position of its revision. */
export type ShownReply = {
  kind: Reply['kind']
  id: string
  ordinal: number | undefined
  rationale: string
  signals?: Signal[]
  at: string
  author: Author
}

/** Maximum number of replies that are shown with an objection. */
export const REPLIES_SHOWN = 4

/** How a piece of evidence counts for the current text of its entry. */
export type Weight = {
  /** REPLACED by a later judgement of its actor about the same revision. */
  about: 'CURRENT' | 'EARLIER' | 'REPLACED'
  quote: string | null
  rationale: string
  /** Whether its actor, or its network on that day, wrote a part of the judged text. */
  own: boolean
  /** The status of an objection; null for other pieces. */
  status: ObjectionStatus | null
  /** The first replies to an objection, oldest first, and the number of the others. */
  replies: ShownReply[]
  more: number
}

/**
 * Returns how pieces of evidence about an entry count, by id, and what followed the objections. Ignores ids after the first
 * 2 × `LIMITS.pageMax`.
 */
export async function readWeights({ reader }: WithReader, slug: string, ids: readonly string[]) {
  const weights = new Map<string, Weight>()
  const entry = await findAddressed(reader, { params: { slug } })
  const evidence = await evidenceOn(reader, entry, entry)
  if (evidence === undefined) return weights
  const rows = await Promise.all(ids.slice(0, 2 * LIMITS.pageMax).map(id => findEvidence(reader, entry.number, id)))
  const found = rows.filter(row => row !== undefined)
  const judgements = new Map(evidence.judgements.map(one => [one.record, one]))
  const objections = new Map(objectionsOf(evidence).map(one => [one.judgement.record, one]))
  const replies = repliesOf(evidence, new Set(found.map(({ record }) => record)))
  const replyOf = new Map([...replies.values()].flat().map(one => [one.number, one]))
  // Objections to the same text have the same replies.
  const rowOf = memoized((number: number) => findReply(reader, only(replyOf.get(number))))
  const weigh = async ({ id, record, ...said }: (typeof found)[number]): Promise<void> => {
    const [judgement, objection, all = []] = [judgements.get(record), objections.get(record), replies.get(record)]
    const isCurrent =
      objection === undefined ? judgement && countsNow(evidence, judgement) : objection.status === 'STANDING'
    const shown = all
      .slice(0, REPLIES_SHOWN)
      .map(async ({ kind, number }): Promise<ShownReply> => ({ kind, ...(await rowOf(number)) }))
    weights.set(id, {
      ...said,
      about: judgement === undefined ? 'REPLACED' : isCurrent ? 'CURRENT' : 'EARLIER',
      own: judgement?.own ?? false,
      status: objection?.status ?? null,
      replies: await Promise.all(shown),
      more: all.length - shown.length,
    })
  }
  await Promise.all(found.map(weigh))
  return weights
}

async function findReply(reader: Reader, { kind, number, verdict }: Reply): Promise<Omit<ShownReply, 'kind'>> {
  const answer = kind === 'ANSWERED' ? only(await findAnswer(reader, number)) : undefined
  const row = answer ?? (await findStatement(reader, number, verdict))
  const { id, rationale, created_at } = row
  const shown = { id, ordinal: answer?.ordinal, rationale, ...signalsMember(rationale) }
  return { ...shown, at: isoTime(created_at), author: toAuthor(row) }
}

/** An objection to a text of an entry, and the position of the revision that answered it. */
export type NamedObjection = { id: string; quote: string | null; rationale: string; answer: number | undefined }

/** Returns the objection to an entry with an id: a judgement or a relation; undefined if there is none. */
export async function readObjection(on: WithReader, slug: string, id: string): Promise<NamedObjection | undefined> {
  const weight = (await readWeights(on, slug, [id])).get(id)
  if (weight === undefined || weight.status === null) return undefined
  const { quote, rationale, replies } = weight
  return { id, quote, rationale, answer: replies.find(({ kind }) => kind === 'ANSWERED')?.ordinal }
}
