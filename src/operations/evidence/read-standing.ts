import type { Standing } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../database/database.ts'
import { RETAINED_FROM } from '../../domain/evidence/retained-text.ts'
import { OBJECTIONS_SHOWN } from '../../domain/evidence/standing.ts'
import { shortDigest } from '../../domain/short-digest.ts'
import { isoTime } from '../../domain/time.ts'
import type { EntryRow } from '../../store/entry.ts'
import {
  findObjectingRelation,
  findObjection,
  findRevisionId,
  type StoredStanding,
  storedStanding,
} from '../../store/standing.ts'
import type { ReadOperation } from '../operation.ts'
import { findAddressed, observedRead } from '../pagination.ts'

/** Reads the result of the evidence about the current text of an entry. */
export const readStanding: ReadOperation<'readStanding'> = async ({ reader }, request) => {
  const entry = await findAddressed(reader, request)
  const body = await standingOfEntry(reader, entry)
  // The version excludes ids, so that both engines agree. Only the entry that supports a contradiction can change without another change of
  // the standing.
  const sources = body.contradictions.map(({ sourceEntryId }) => sourceEntryId !== null)
  const version = shortDigest(`${entry.standing} ${sources}`)
  return { body, etag: `${entry.revision_id}.${version}`, observed: observedRead(entry) }
}

/** The standing of an entry with the records that it names. */
async function standingOfEntry(reader: Reader, entry: EntryRow): Promise<Standing> {
  const { state, tally, earlier, kept, confirmed, checkedAt, best, contradictions } = storedStanding(entry.standing)
  const [shown, found] = await Promise.all([
    Promise.all(contradictions.map(one => contradictionOf(reader, one))),
    best === null ? undefined : findObjection(reader, best),
  ])
  return {
    entryId: entry.id,
    state,
    revisionId: entry.revision_id,
    tally,
    kept,
    confirmed,
    lastCheckedAt: checkedAt === null ? null : isoTime(checkedAt),
    best: found === undefined ? null : { revisionId: found.revision_id, state: 'SUPPORTED' },
    contradictions: shown.filter(one => one !== undefined),
    earlier,
    ...TRUST,
  }
}

type StoredContradiction = StoredStanding['contradictions'][number]

async function contradictionOf(
  reader: Reader,
  { record, verdict, kept, addressedBy }: StoredContradiction,
): Promise<Standing['contradictions'][number] | undefined> {
  const isRelation = verdict === 'CONTRADICTS'
  const [row, revisionId] = await Promise.all([
    isRelation ? findObjectingRelation(reader, record) : findObjection(reader, record),
    addressedBy === null ? null : findRevisionId(reader, addressedBy),
  ])
  if (row === undefined) return undefined
  return {
    id: row.id,
    kind: isRelation ? 'RELATION' : 'CONTRADICTION',
    revisionId: row.revision_id,
    sourceEntryId: row.source_entry_id,
    kept,
    status: revisionId === null ? 'STANDING' : 'ADDRESSED',
    addressedBy: revisionId,
    rationale: row.rationale,
  }
}

/** An objection to a text: a contradiction, a relation of type CONTRADICTS, or a verification that found the text unsupported. */
export type Objection = { id: string; rationale: string }

/** An objection by its record; null if it is not public. */
export async function objectionOf(reader: Reader, record: number | undefined): Promise<Objection | null> {
  if (record === undefined) return null
  const row = (await findObjection(reader, record)) ?? (await findObjectingRelation(reader, record))
  return row === undefined ? null : { id: row.id, rationale: row.rationale }
}

/** The strongest objections to the current text of an entry: contradictions, then unsupported verifications, the newest first. */
export async function objectionsTo(reader: Reader, entry: EntryRow): Promise<Objection[]> {
  const { contradictions, against } = storedStanding(entry.standing)
  const current = contradictions.filter(({ kept }) => kept >= RETAINED_FROM)
  const records = new Set([...current, ...against].map(({ record }) => record))
  const found = await Promise.all([...records].slice(0, OBJECTIONS_SHOWN).map(record => objectionOf(reader, record)))
  return found.filter(one => one !== null)
}
