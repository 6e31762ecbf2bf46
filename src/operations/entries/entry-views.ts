import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Author, Entry } from '../../contract/resources.ts'
import type { ObjectionStatus, Signal } from '../../contract/vocabulary.ts'
import { offsetCursor } from '../../domain/cursor.ts'
import type { Text } from '../../domain/evidence/pieces.ts'
import {
  isAgainst,
  latestOf,
  objectionsOf,
  SUPPORT_FROM,
  standingOf,
  stateOfTally,
  tallyOf,
  type Verdict,
} from '../../domain/evidence/standing.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { toAuthor } from '../../store/actor.ts'
import type { EntryRow } from '../../store/entry.ts'
import { findRevisionId, listJudgements, storedStanding } from '../../store/standing.ts'
import {
  countEvidence,
  countRelations,
  countWrites,
  findEvidence,
  findRevisionAuthor,
  listJudged,
  listSteps,
} from '../../store/view.ts'
import { evidenceOn } from '../evidence/settle-standing.ts'
import type { Reads } from '../operation.ts'
import { findAddressed } from '../pagination.ts'

type On = Pick<Reads, 'reader'>

const addressedAt = ({ reader }: On, slug: string): Promise<EntryRow> => findAddressed(reader, { params: { slug } })

export type RevisionState = Pick<Entry['standing'], 'state' | 'tally' | 'confirmed'> & {
  author: Author
  /** The position of the revision in the history of its entry, from 1, and the number of revisions. */
  ordinal: number
  revisions: number
  /** Its record number. */
  record: number
  signals: Signal[]
}

/** Returns the standing of the text of a revision, and its author. Throws ENTRY_NOT_FOUND, ENTRY_WITHDRAWN or REVISION_NOT_FOUND. */
export const readRevisionState = async (on: On, slug: string, revisionId: string): Promise<RevisionState> =>
  revisionStateOf(on, await addressedAt(on, slug), revisionId)

async function revisionStateOf(on: On, entry: EntryRow, revisionId: string): Promise<RevisionState> {
  const revision = await findRevisionAuthor(on.reader, entry.number, revisionId)
  if (revision === undefined) throw new Problem('REVISION_NOT_FOUND')
  const { state, tally, confirmed } =
    revision.number === entry.revision ? storedStanding(entry.standing) : await standingOfText(on, entry, revision)
  return {
    state,
    tally,
    confirmed,
    author: toAuthor(revision),
    ordinal: revision.ordinal,
    revisions: entry.revisions,
    record: revision.number,
    signals: signalNames(revision.signals),
  }
}

async function standingOfText({ reader }: On, entry: EntryRow, revision: Text & { number: number }) {
  const evidence = await evidenceOn(reader, entry, { ...revision, revision: revision.number })
  return evidence === undefined ? storedStanding(null) : standingOf(evidence)
}

/** A revision in the history of an entry. Times in milliseconds since 1970. */
export type Step = { id: string; ordinal: number; record: number; changeType: string; actorId: string; at: number }
/** A piece of evidence about a revision. `cursor` names the page of the evidence that begins with it. */
export type Judged = { id: string; revision: number; side: 'for' | 'against' | 'open'; cursor: string }
export type Life = { steps: Step[]; judged: Judged[] }

const sideOf = (verdict: Verdict): Judged['side'] =>
  isAgainst({ verdict }) ? 'against' : verdict === 'SUPPORTED' ? 'for' : 'open'

/** The newest revisions and pieces of evidence of an entry, newest first: at most `limit` of each. */
export const readLife = async (on: On, slug: string, limit: number): Promise<Life> =>
  lifeOf(on, await addressedAt(on, slug), limit)

async function lifeOf(on: On, entry: EntryRow, limit: number): Promise<Life> {
  const [steps, judged] = await Promise.all([
    listSteps(on.reader, entry.number, limit),
    listJudged(on.reader, entry.number, limit),
  ])
  return {
    steps: steps.map(({ id, ordinal, number, change_type, actor_id, created_at }) => ({
      id,
      ordinal,
      record: number,
      changeType: change_type,
      actorId: actor_id,
      at: created_at,
    })),
    judged: judged.map(({ id, revision, verdict, ordinal }) => ({
      id,
      revision,
      side: sideOf(verdict),
      cursor: offsetCursor({ size: ordinal, offset: 0 }),
    })),
  }
}

/**
 * The numbers of public rows on the pages of an entry. All but `revisions` are counted up to `COUNTED_MAX`. Reads are not counted:
 * otherwise each view of a page would change the page, and no cache could store it.
 */
export type Counts = { revisions: number; evidence: number; relations: number; writes: number }
export const COUNTED_MAX = 1_000

export const readCounts = async (on: On, slug: string): Promise<Counts> => countsOf(on, await addressedAt(on, slug))

async function countsOf(on: On, entry: EntryRow): Promise<Counts> {
  const [evidence, relations, writes] = await Promise.all([
    entry.evidence === 0 ? 0 : countEvidence(on.reader, entry.number, COUNTED_MAX),
    entry.relations === 0 ? 0 : countRelations(on.reader, entry.number, COUNTED_MAX),
    countWrites(on.reader, entry.number, COUNTED_MAX),
  ])
  return { revisions: entry.revisions, evidence, relations, writes }
}

/** Returns the author of a revision, and the history and counts of its entry, from one read of the row of the entry. */
export async function readAbout(on: On, slug: string, revisionId: string, lifeRows: number) {
  const entry = await addressedAt(on, slug)
  const [{ author }, life, counts] = await Promise.all([
    revisionStateOf(on, entry, revisionId),
    lifeOf(on, entry, lifeRows),
    countsOf(on, entry),
  ])
  return { author, life, counts }
}

/** How a piece of evidence counts for the current text of its entry. */
export type Weight = {
  /** REPLACED by a later judgement of its actor about the same revision. */
  about: 'CURRENT' | 'EARLIER' | 'REPLACED'
  /** Whether its actor, or its network on that day, wrote a part of the judged text. */
  own: boolean
  /** Of an objection: its status, and the id of the CORRECT revision that answered it. */
  status: ObjectionStatus | null
  answeredBy: string | null
}

/** Returns how pieces of evidence about an entry count, by id. Ignores ids after the first 2 × `LIMITS.pageMax`. */
export async function readWeights(on: On, slug: string, ids: readonly string[]): Promise<Map<string, Weight>> {
  const { reader } = on
  const entry = await addressedAt(on, slug)
  const evidence = await evidenceOn(reader, entry, entry)
  const rows = await Promise.all(ids.slice(0, 2 * LIMITS.pageMax).map(id => findEvidence(reader, entry.number, id)))
  if (evidence === undefined) return new Map()
  const judgements = new Map(evidence.judgements.map(one => [one.record, one]))
  const objections = new Map(objectionsOf(evidence).map(one => [one.judgement.record, one]))
  const weightOf = async (record: number): Promise<Weight> => {
    const judgement = judgements.get(record)
    const objection = objections.get(record)
    if (judgement === undefined) return { about: 'REPLACED', own: false, status: null, answeredBy: null }
    const { own, revision } = judgement
    if (objection !== undefined) {
      const { status, answer } = objection
      const answeredBy = answer === null ? null : await findRevisionId(reader, answer)
      return { about: status === 'STANDING' ? 'CURRENT' : 'EARLIER', own, status, answeredBy }
    }
    const share = evidence.compared.get(revision)?.comparison.share ?? 0
    return { about: share >= SUPPORT_FROM ? 'CURRENT' : 'EARLIER', own, status: null, answeredBy: null }
  }
  const found = rows.filter(row => row !== undefined)
  return new Map(await Promise.all(found.map(async ({ id, record }) => [id, await weightOf(record)] as const)))
}

/** Returns the state and the tally of each revision of an entry that was judged itself, by the record number of the revision. */
export async function readVerdicts(
  on: On,
  slug: string,
): Promise<Map<number, Pick<Entry['standing'], 'state' | 'tally'>>> {
  const entry = await addressedAt(on, slug)
  if (entry.standing === null) return new Map()
  const judgements = latestOf(await listJudgements(on.reader, entry))
  return new Map(
    [...Map.groupBy(judgements, ({ revision }) => revision)].map(([revision, about]) => {
      const tally = tallyOf(about)
      return [revision, { state: stateOfTally(tally), tally }]
    }),
  )
}
