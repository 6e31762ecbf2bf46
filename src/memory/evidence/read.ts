import type { Standing } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { only, type Reader } from '../../engine/database.ts'
import { toAuthor } from '../actors/rows.ts'
import { historyOf } from '../entries/blame.ts'
import { type EntryRow, findWriter } from '../entries/rows.ts'
import { findAddressed, inTurns, observedRead, type ReadOperation, type Reads } from '../operation.ts'
import { signalsMember } from '../signals/signals.ts'
import { isoTime, shortDigest } from '../values.ts'
import type { Piece } from './pieces-rules.ts'
import { findRevisionId, findStatement, findText, shownStanding, storedStanding } from './rows.ts'
import type { ComputedStanding as StoredStanding } from './rules.ts'
import { textsOf } from './standing.ts'

/** Reads the result of the evidence about the current text of an entry. */
export const readStanding: ReadOperation<'readStanding'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  const body = await standingOfEntry(reads, entry)
  // The version excludes ids, so that both engines agree. The supporting entry of a contradiction, and the names of authors, can change
  // without another change of the standing.
  const sources = body.contradictions.map(({ sourceEntryId }) => sourceEntryId !== null)
  const names = [...body.unconfirmed, ...body.contradictions].map(({ actor }) => actor?.declared)
  const version = shortDigest(JSON.stringify([entry.standing, entry.changed_by_name, sources, names]))
  return { body, etag: `${entry.revision_id}.${version}`, observed: observedRead(entry) }
}

/** The standing of an entry with the records and pieces that it names. */
async function standingOfEntry(reads: Reads, entry: EntryRow): Promise<Standing> {
  const { reader } = reads
  const stored = storedStanding(entry.standing)
  const { state, nearest, observedOn, contradictions, earlier } = stored
  const supported = nearest === null || stored.removed.length === 0 ? undefined : await findText(reader, nearest)
  const [objections, unconfirmed, best] = await Promise.all([
    Promise.all(contradictions.map(one => contradictionOf(reader, one))),
    stored.unconfirmed.length === 0 ? [] : unconfirmedOf(reader, entry, stored.unconfirmed),
    nearest === null || state === 'SUPPORTED' ? null : findRevisionId(reader, nearest),
  ])
  const removed = supported === undefined ? [] : textsOf(entry.number).cut(supported).piecesAt(stored.removed)
  return {
    entryId: entry.id,
    revisionId: entry.revision_id,
    ...shownStanding(entry),
    unconfirmed: await inTurns(reads, unconfirmed, ({ piece, ...by }) => ({ ...shownPiece(piece, entry), ...by })),
    removed: await inTurns(reads, removed, piece => shownPiece(piece, only(supported))),
    observedOn: observedOn.map(({ voices, at, ...one }) => ({ ...one, voices: voices.length, lastAt: isoTime(at) })),
    best: best === null ? null : { revisionId: best, state: 'SUPPORTED' },
    contradictions: await inTurns(reads, objections, one => ({ ...one, ...signalsMember(one.quote, one.rationale) })),
    earlier,
    ...TRUST,
  }
}

/** The maximum length of a shown piece, in UTF-16 units. */
const SHOWN_CHARACTERS = 300

/** A piece as answers show it, with its signals. A long one is cut. A piece of a text without signals has none. */
export function shownPiece({ section, text: whole }: Piece, { signals }: { signals: number }) {
  const text = whole.length > SHOWN_CHARACTERS ? `${whole.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : whole
  return { section, text, ...(signals === 0 ? {} : signalsMember(text)) }
}

/** Pieces of the current text with the revisions that wrote them. */
async function unconfirmedOf(reader: Reader, entry: EntryRow, places: readonly number[]) {
  const { origins } = await historyOf(reader, entry)
  return Promise.all(
    textsOf(entry.number)
      .cut(entry)
      .piecesAt(places)
      .map(async (piece, at) => {
        const first = origins[places[at] ?? 0]?.first ?? entry.revisions
        const writer = only(await findWriter(reader, entry.number, first))
        return { piece, revisionId: writer.id, actor: toAuthor(writer) }
      }),
  )
}

type StoredContradiction = StoredStanding['contradictions'][number]

const KINDS = { CONTRADICTED: 'CONTRADICTION', CONTRADICTS: 'RELATION', UNSUPPORTED: 'VERIFICATION' } as const

async function contradictionOf(
  reader: Reader,
  { record, verdict, status, answer, addressed, byAuthor }: StoredContradiction,
): Promise<Standing['contradictions'][number]> {
  const [row, answeredBy, support] = await Promise.all([
    findStatement(reader, record, verdict),
    answer === null ? null : findRevisionId(reader, answer),
    addressed === null ? null : findStatement(reader, addressed, 'SUPPORTED'),
  ])
  return {
    id: row.id,
    kind: KINDS[verdict as keyof typeof KINDS],
    revisionId: row.revision_id,
    sourceEntryId: row.source_entry_id,
    quote: row.quote,
    ...{ byAuthor, status, answeredBy, addressedBy: support?.id ?? null },
    rationale: row.rationale,
    actor: toAuthor(row),
  }
}

/** The strongest open objections of a standing, those that stand first. An answered one is a claim against a claim. */
export async function objectionsTo(reader: Reader, { contradictions }: Pick<StoredStanding, 'contradictions'>) {
  const open = contradictions.filter(({ status }) => status !== 'ADDRESSED')
  const found = await Promise.all(open.map(({ record, verdict }) => findStatement(reader, record, verdict)))
  return found.map(({ id, rationale }) => ({ id, rationale, ...signalsMember(rationale) }))
}
