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
import { objectionsOf, type Reply, repliesOf, SUPPORT_FROM, shareOf } from './rules.ts'
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
  /** Whether its actor, or its network on that day, wrote a part of the judged text. */
  own: boolean
  /** The status of an objection; null for other pieces. */
  status: ObjectionStatus | null
  /** The first replies to an objection, oldest first, and the number of the others. */
  replies: ShownReply[]
  more: number
}

const REPLACED: Weight = { about: 'REPLACED', own: false, status: null, replies: [], more: 0 }

/**
 * Returns how pieces of evidence about an entry count, by id, and what followed the objections. Ignores ids after the first
 * 2 × `LIMITS.pageMax`.
 */
export async function readWeights(on: WithReader, slug: string, ids: readonly string[]): Promise<Map<string, Weight>> {
  const { reader } = on
  const entry = await findAddressed(reader, { params: { slug } })
  const evidence = await evidenceOn(reader, entry, entry)
  const rows = await Promise.all(ids.slice(0, 2 * LIMITS.pageMax).map(id => findEvidence(reader, entry.number, id)))
  if (evidence === undefined) return new Map()
  const found = rows.filter(row => row !== undefined)
  const judgements = new Map(evidence.judgements.map(one => [one.record, one]))
  const objections = new Map(objectionsOf(evidence).map(one => [one.judgement.record, one]))
  const replies = repliesOf(evidence, new Set(found.map(({ record }) => record)))
  const replyOf = new Map([...replies.values()].flat().map(one => [one.number, one]))
  // Objections to the same text have the same replies.
  const rowOf = memoized((number: number) => findReply(reader, only(replyOf.get(number))))
  const weightOf = async (record: number): Promise<Weight> => {
    const judgement = judgements.get(record)
    if (judgement === undefined) return REPLACED
    const { own } = judgement
    const objection = objections.get(record)
    if (objection === undefined)
      return { ...REPLACED, about: shareOf(evidence, judgement) >= SUPPORT_FROM ? 'CURRENT' : 'EARLIER', own }
    const { status } = objection
    const all = replies.get(record) ?? []
    const shown = await Promise.all(
      all.slice(0, REPLIES_SHOWN).map(async ({ kind, number }) => ({ kind, ...(await rowOf(number)) })),
    )
    const about = status === 'STANDING' ? 'CURRENT' : 'EARLIER'
    return { about, own, status, replies: shown, more: all.length - shown.length }
  }
  return new Map(await Promise.all(found.map(async ({ id, record }) => [id, await weightOf(record)] as const)))
}

async function findReply(reader: Reader, { kind, number, verdict }: Reply): Promise<Omit<ShownReply, 'kind'>> {
  const answer = kind === 'ANSWERED' ? only(await findAnswer(reader, number)) : undefined
  const row = answer ?? only(await findStatement(reader, number, verdict))
  const { id, rationale, created_at } = row
  const shown = { id, ordinal: answer?.ordinal, rationale, ...signalsMember(rationale) }
  return { ...shown, at: isoTime(created_at), author: toAuthor(row) }
}

/** An objection to a text of an entry, and the position of the revision that answered it. */
export type NamedObjection = { id: string; quote: string | null; rationale: string; answer: number | undefined }

/** Returns the objection to an entry with an id: a judgement or a relation; undefined if there is none. */
export async function readObjection(on: WithReader, slug: string, id: string): Promise<NamedObjection | undefined> {
  const { reader } = on
  const entry = await findAddressed(reader, { params: { slug } })
  const [found, weights] = await Promise.all([findEvidence(reader, entry.number, id), readWeights(on, slug, [id])])
  const weight = weights.get(id)
  if (found === undefined || weight === undefined || weight.status === null) return undefined
  const { quote, rationale } = only(await findStatement(reader, found.record, found.verdict))
  return { id, quote, rationale, answer: weight.replies.find(({ kind }) => kind === 'ANSWERED')?.ordinal }
}
