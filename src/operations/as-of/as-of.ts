import { Problem } from '../../contract/problem.ts'
import type { Entry } from '../../contract/resources.ts'
import type { Reader } from '../../database/database.ts'
import { standingOf } from '../../domain/evidence/standing.ts'
import * as then from '../../store/as-of.ts'
import type { EntryRow } from '../../store/entry.ts'
import { readHead } from '../../store/head.ts'
import { READ_MAX, shownStanding, slimStanding } from '../../store/standing.ts'
import { evidenceOn } from '../evidence/settle-standing.ts'

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
  const evidence = await evidenceOn(reader, entry, { ...revision, revision: revision.number }, record)
  const complete = entry.evidence <= READ_MAX && entry.relations <= READ_MAX
  return { standing: evidence === undefined ? shownStanding(null) : slimStanding(standingOf(evidence)), complete }
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
