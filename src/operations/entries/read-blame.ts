import type { Blame } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { getOrThrow, only, type Reader } from '../../database/database.ts'
import { evidenceOfPieces } from '../../domain/evidence/blame.ts'
import type { Judgement } from '../../domain/evidence/standing.ts'
import { shortDigest } from '../../domain/short-digest.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { isoTime } from '../../domain/time.ts'
import { toAuthor } from '../../store/actor.ts'
import type { EntryRow } from '../../store/entry.ts'
import { findWriter, type WriterRow } from '../../store/revision.ts'
import { findObjection } from '../../store/standing.ts'
import { evidenceOn } from '../evidence/settle-standing.ts'
import type { ReadOperation } from '../operation.ts'
import { findAddressed, observedRead } from '../pagination.ts'
import { historyOf, type TextHistory } from './text-history.ts'

/** Reads which revision wrote each sentence of an entry, and the result of the evidence about the texts that contained it. */
export const readBlame: ReadOperation<'readBlame'> = async ({ reader, yieldToRequests }, request) => {
  const entry = await findAddressed(reader, request)
  const { pieces, origins, lookedAt, complete } = await historyOf(reader, entry)
  await yieldToRequests()
  const evidence = await evidenceOfEntry(reader, entry)
  const ordinals = [...new Set(origins.flatMap(({ first, since }) => [first, since]))].sort((a, b) => a - b)
  const writers = await Promise.all(
    ordinals.map(async ordinal => only(await findWriter(reader, entry.number, ordinal))),
  )
  const ids = new Map(writers.map(({ ordinal, id }) => [ordinal, id]))
  const body: Blame = {
    entryId: entry.id,
    slug: entry.slug,
    revisionId: entry.revision_id,
    pieces: pieces.map(({ section, text }, at) => {
      const { first, since, earlier } = origins[at] as TextHistory['origins'][number]
      return {
        section,
        text,
        revisionId: getOrThrow(ids, first),
        ...(since === first ? {} : { sinceRevisionId: getOrThrow(ids, since) }),
        ...(earlier ? { earlier } : {}),
        evidence: evidence.places[at] ?? null,
      }
    }),
    revisions: writers.map(writerOf),
    evidence: evidence.items,
    lookedAt,
    complete,
    dataClass: entry.data_class,
    ...TRUST,
  }
  // Evidence, names and signals can change while the text stays the same. The version excludes ids, so that both engines agree.
  const names = body.revisions.map(({ actor, signals }) => [actor.declared, signals])
  const version = shortDigest(JSON.stringify([names, evidence.version]))
  return { body, etag: `${entry.revision_id}.${version}`, observed: observedRead(entry) }
}

const writerOf = (row: WriterRow): Blame['revisions'][number] => ({
  id: row.id,
  ordinal: row.ordinal,
  changeType: row.change_type,
  createdAt: isoTime(row.created_at),
  actor: toAuthor(row),
  signals: signalNames(row.signals),
})

const OBJECTIONS_NAMED = 3

/** The result of the judgements about each piece of a text. */
async function evidenceOfEntry(reader: Reader, entry: EntryRow) {
  const evidence = await evidenceOn(reader, entry, entry)
  if (evidence === undefined) return { places: [], items: [], version: [] }
  const { places, parts } = evidenceOfPieces(evidence)
  const ids = new Map<number, Promise<string | undefined>>()
  const findId = async ({ record, verdict }: Judgement) => (await findObjection(reader, record, verdict))?.id
  const idOf = (one: Judgement): Promise<string | undefined> => {
    const id = ids.get(one.record) ?? findId(one)
    ids.set(one.record, id)
    return id
  }
  const items = await Promise.all(
    parts.map(async ({ state, tally, objections }) => ({
      state,
      tally,
      objections: (await Promise.all(objections.slice(0, OBJECTIONS_NAMED).map(idOf))).filter(id => id !== undefined),
    })),
  )
  const version = parts.map(({ state, tally, objections }) => [state, tally, objections.map(({ record }) => record)])
  return { places, items, version: [places, version] }
}
