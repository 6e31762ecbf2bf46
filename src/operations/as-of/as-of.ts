import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import type { Entry } from '../../contract/resources.ts'
import type { Reader } from '../../database/database.ts'
import { wordingOf } from '../../domain/evidence/retained-text.ts'
import { type Judgement, standingOf } from '../../domain/evidence/standing.ts'
import * as then from '../../store/as-of.ts'
import type { EntryRow } from '../../store/entry.ts'
import { readHead } from '../../store/head.ts'
import { findJudgedText, findTextByDigest, listJudgements, shownStanding, slimStanding } from '../../store/standing.ts'
import { judgementRecordsOf, judgementsOf, type TextNumbers } from '../evidence/judgement.ts'
import { confirmedShare, measure, type TextComparisons, withAuthors } from '../evidence/settle-standing.ts'

/** A point in the history of a store: a sequence, and the newest record that was committed with it or before it. */
export type Moment = { sequence: number; record: number }

/** Returns the point of the sequence in a path. Throws SEQUENCE_NOT_REACHED if the sequence is later than the newest. */
export async function momentOf(reader: Reader, { params }: { params: { sequence: string } }): Promise<Moment> {
  const sequence = Number(params.sequence)
  const head = await readHead(reader)
  if (sequence > head.sequence) throw new Problem('SEQUENCE_NOT_REACHED')
  return { sequence, record: await then.findRecordAt(reader, sequence) }
}

/** The latest revision of an entry at a point, and the time of its latest change of text; undefined if the entry did not exist. */
export async function revisionAt(
  reader: Reader,
  entry: EntryRow,
  { record }: Moment,
): Promise<(then.RevisionThen & { updated_at: number }) | undefined> {
  if (entry.number > record) return undefined
  const ordinal = entry.revision <= record ? entry.revisions : await then.findOrdinalAt(reader, entry, record)
  const revision = await then.findRevisionAt(reader, entry.number, ordinal)
  if (revision === undefined) return undefined
  if (revision.changed === 1) return { ...revision, updated_at: revision.created_at }
  const changed = await then.findChangeBefore(reader, entry.number, ordinal)
  return { ...revision, updated_at: (changed ?? revision).created_at }
}

/**
 * Limits for actors that judged an entry both before and after a point: the number of actors whose earlier records are read, and the number
 * of these records. Past a limit, the result is incomplete.
 */
const REJUDGING_MAX = 20
const RECORDS_MAX = 80

export type StandingThen = { standing: Entry['standing']; complete: boolean }

/** Computes the standing of the text at a point from the evidence up to that point. Records that are withdrawn now do not count. */
export async function standingAt(
  reader: Reader,
  entry: EntryRow,
  revision: then.RevisionThen,
  { record }: Moment,
): Promise<StandingThen> {
  if (await isAsThen(reader, entry, revision, record)) {
    return { standing: shownStanding(entry.standing), complete: true }
  }
  const { judgements, complete } = await judgementsAt(reader, entry.number, record)
  if (judgements.length === 0) return { standing: shownStanding(null), complete }
  const comparisons = unknownComparisonsOf(reader, entry.number)
  const { shares, currentTextNumber } = await measure(reader, judgements, wordingOf(revision), comparisons)
  const retainedShareOf = (text: number): number => shares.get(text) ?? 0
  const comparison = { judgements, retainedShareOf, currentTextNumber }
  const countedJudgements = await withAuthors(reader, entry.number, comparison, record)
  const standing = standingOf(countedJudgements, retainedShareOf)
  const confirmed = await confirmedShare(reader, standing.supported, revision)
  return { standing: slimStanding({ ...standing, confirmed }), complete }
}

/** Whether the text of an entry and the evidence about it are unchanged since a record. */
export async function isAsThen(
  reader: Reader,
  entry: EntryRow,
  revision: Pick<then.RevisionThen, 'number'>,
  record: number,
): Promise<boolean> {
  if (entry.revision !== revision.number) return false
  const newest = await then.findNewestAbout(reader, entry)
  return (newest?.judged ?? 0) <= record && (newest?.related ?? 0) <= record
}

/** The judgements of an entry that counted at a record: those that still count, and those that were replaced later. */
async function judgementsAt(
  reader: Reader,
  entry: number,
  record: number,
): Promise<{ judgements: Judgement[]; complete: boolean }> {
  const [all, rejudging] = await Promise.all([
    listJudgements(reader, entry),
    then.listRejudging(reader, entry, record, REJUDGING_MAX + 1),
  ])
  const actors = rejudging.slice(0, REJUDGING_MAX).map(({ actor }) => actor)
  const replaced = new Set(actors)
  const judgements = all.filter(one => one.record <= record && !replaced.has(one.actor))
  let left = RECORDS_MAX
  for (const actor of actors) {
    const records = (await judgementRecordsOf(reader, entry, actor)).filter(one => one.record <= record)
    const counted = records.slice(Math.max(0, records.length - Math.max(0, left)))
    left -= records.length
    judgements.push(...(await judgementsOf(reader, entry, counted, textsOf(reader, entry))))
    await nextTurn()
  }
  return { judgements, complete: rejudging.length <= REJUDGING_MAX && left >= 0 }
}

/** Returns the stored numbers of judged texts, without storing new ones. */
const textsOf = (reader: Reader, entry: number): TextNumbers => ({
  async numberOf(revision) {
    const isFirst = (await findJudgedText(reader, entry, revision.number)) !== undefined
    if (isFirst) return revision.number
    return (await findTextByDigest(reader, entry, wordingOf(revision).digest))?.text ?? revision.number
  },
})

/** The judged texts of an entry without comparisons, because the stored comparisons are with the text of today. */
const unknownComparisonsOf = (reader: Reader, entry: number): TextComparisons => ({
  numberOf: async digest => (await findTextByDigest(reader, entry, digest))?.text,
  comparisonOf: async text => ({ text, kept: null, against: null, walked: 0, steps: 0, addressed: null }),
})
