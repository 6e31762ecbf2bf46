import type { Blame } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { getOrThrow, only, type Reader } from '../../database/database.ts'
import { evidenceOf, type Judged, TextBlame } from '../../domain/evidence/blame.ts'
import { wordingOf } from '../../domain/evidence/retained-text.ts'
import {
  isObjection,
  type Judgement,
  MEASURED_TEXTS,
  type Objection,
  type Verdict,
  weightiestTexts,
} from '../../domain/evidence/standing.ts'
import { shortDigest } from '../../domain/short-digest.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { isoTime } from '../../domain/time.ts'
import { toAuthor } from '../../store/actor.ts'
import type { EntryRow } from '../../store/entry.ts'
import { findWriter, type WriterRow } from '../../store/revision.ts'
import {
  findObjectingRelation,
  findObjection,
  findText,
  listAnswered,
  listJudgementsOfRevisions,
  storedStanding,
} from '../../store/standing.ts'
import type { ReadOperation } from '../operation.ts'
import { findAddressed, observedRead } from '../pagination.ts'
import { historyOf, type TextHistory } from './text-history.ts'

/** Reads which revision wrote each sentence of an entry, and the result of the evidence about the texts that contained it. */
export const readBlame: ReadOperation<'readBlame'> = async ({ reader, yieldToRequests }, request) => {
  const entry = await findAddressed(reader, request)
  const { pieces, origins, lookedAt, complete } = await historyOf(reader, entry)
  await yieldToRequests()
  const evidence = await evidenceOn(reader, entry, pieces.length)
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

/** The judgements of an entry without objections that a correction answered, because those are about the replaced text. */
async function standingJudgements(reader: Reader, entry: EntryRow): Promise<readonly Judgement[]> {
  const judgements = await listJudgementsOfRevisions(reader, entry.number)
  // If the current text is contradicted, it does not count as a correction.
  if (storedStanding(entry.standing).tally.contradicted > 0 || !judgements.some(isObjection)) return judgements
  const answered = await listAnswered(reader, entry.number, wordingOf(entry).digest)
  const records = new Set(answered.map(({ record }) => record))
  return judgements.filter(({ record }) => !records.has(record))
}

/** The result of the judgements about each piece of a text. */
async function evidenceOn(reader: Reader, entry: EntryRow, size: number) {
  if (entry.standing === null) return { places: [], items: [], version: [] }
  const judgements = await standingJudgements(reader, entry)
  const texts = weightiestTexts(judgements).slice(0, MEASURED_TEXTS)
  const blame = new TextBlame(entry, entry.revisions)
  const judged: Judged[] = []
  for (const text of await Promise.all(texts.map(number => findText(reader, number)))) {
    if (text !== undefined) judged.push({ text: text.number, has: blame.holds(text) })
  }
  const { places, standings } = evidenceOf(judgements, judged, size)
  const objections = new Map<number, Promise<string | undefined>>()
  const idOf = ({ judgement: { record, verdict } }: Objection): Promise<string | undefined> => {
    const id = objections.get(record) ?? findObjectionId(reader, record, verdict)
    objections.set(record, id)
    return id
  }
  const items = await Promise.all(
    standings.map(async ({ state, tally, objections }) => ({
      state,
      tally,
      objections: (await Promise.all(objections.map(idOf))).filter(id => id !== undefined),
    })),
  )
  const version = standings.map(({ state, tally, objections }) => [
    state,
    tally,
    objections.map(({ judgement }) => judgement.record),
  ])
  return { places, items, version: [places, version] }
}

const findObjectionId = async (reader: Reader, record: number, verdict: Verdict): Promise<string | undefined> =>
  (verdict === 'CONTRADICTS' ? await findObjectingRelation(reader, record) : await findObjection(reader, record))?.id
