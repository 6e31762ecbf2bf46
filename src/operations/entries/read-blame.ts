import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import type { Blame } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { getOrThrow, only, type Reader } from '../../database/database.ts'
import { COST_MAX, evidenceOf, type Judged, type Origin, type Piece, TextBlame } from '../../domain/evidence/blame.ts'
import { wordingOf } from '../../domain/evidence/retained-text.ts'
import { COSTS } from '../../domain/evidence/section-comparison.ts'
import {
  isObjection,
  type Judgement,
  MEASURED_TEXTS,
  type Objection,
  type Verdict,
  weightiestTexts,
} from '../../domain/evidence/standing.ts'
import { LruCache } from '../../domain/lru-cache.ts'
import { shortDigest } from '../../domain/short-digest.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { toAuthor } from '../../store/actor.ts'
import type { EntryRow } from '../../store/entry.ts'
import { type BlamedRow, findWriter, listTexts, type WriterRow } from '../../store/revision.ts'
import {
  findObjectingRelation,
  findObjection,
  findText,
  keptStanding,
  listAnswered,
  listJudgementsOfRevisions,
} from '../../store/standing.ts'
import { isoTime } from '../../store/time.ts'
import type { ReadOperation } from '../operation.ts'
import { findAddressed, observedRead } from '../pagination.ts'

/** Reads which revision wrote each sentence of an entry, and the result of the evidence about the texts that contained it. */
export const readBlame: ReadOperation<'readBlame'> = async ({ reader, laterTurn }, request) => {
  const entry = await findAddressed(reader, request)
  const { pieces, origins, lookedAt, complete } = await historyOf(reader, entry)
  await laterTurn()
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
      const { first, since, earlier } = origins[at] as History['origins'][number]
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

/** The revisions that wrote the pieces of a text. The result never changes, because the text and its earlier revisions never change. */
type History = {
  pieces: readonly Piece[]
  /** `earlier` if a revision that was not compared may have been the first. */
  origins: (Origin & { earlier: boolean })[]
  lookedAt: number
  complete: boolean
}

/** Number of revisions per read. */
const PAGE = 20
/** The budget of one turn of the event loop, in the units of `COST_MAX`: about 2 ms. */
const TURN_COST = 1_000_000
/** Maximum number of pieces of the cached histories, and of histories that are computed at the same time. */
const REMEMBERED_MAX = 200_000
const SOUGHT_MAX = 64

/** Finds the history of the current text of an entry. Throws OVERLOADED if too many are being computed. */

const histories = new WeakMap<Reader, Histories>()

const historyOf = (reader: Reader, entry: EntryRow): Promise<History> => {
  const known = histories.get(reader) ?? new Histories(reader)
  histories.set(reader, known)
  return known.find(entry)
}

/** Caches histories by revision. Reads one page of revisions at a time, and yields the event loop in between. */
class Histories {
  readonly #reader: Reader
  readonly #known = new LruCache<string, History>(REMEMBERED_MAX)
  readonly #sought = new Map<string, Promise<History>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async find(entry: EntryRow): Promise<History> {
    const id = entry.revision_id
    const found = this.#known.get(id) ?? this.#sought.get(id)
    if (found !== undefined) return found
    if (this.#sought.size >= SOUGHT_MAX) throw new Problem('OVERLOADED', { retryAfter: 1 })
    const seeking = seek(this.#reader, entry, work => this.#inTurn(work)).finally(() => this.#sought.delete(id))
    this.#sought.set(id, seeking)
    const history = await seeking
    this.#known.set(id, history, history.pieces.length)
    return history
  }

  #inTurn(work: () => Promise<number>): Promise<number> {
    const done = this.#last.then(work)
    this.#last = done.then(nextTurn, nextTurn)
    return done
  }
}

async function seek(
  reader: Reader,
  entry: EntryRow,
  inTurn: (work: () => Promise<number>) => Promise<number>,
): Promise<History> {
  const blame = new TextBlame(entry, entry.revisions)
  let lookedAt = 0
  let left = COST_MAX
  let oldest = entry.revisions
  let newest = entry.revisions
  while (newest > 0 && left > 0) {
    const above = Math.max(0, newest - PAGE)
    left -= await inTurn(async () => {
      const texts = await listTexts(reader, entry.number, above, newest)
      lookedAt += texts.length
      oldest = texts.at(-1)?.ordinal ?? oldest
      return lookAt(blame, texts)
    })
    newest = above
  }
  const complete = newest === 0
  const first = complete ? undefined : await findText(reader, entry.number)
  const inFirst = first === undefined ? [] : blame.holds(first)
  const origins = blame.origins().map((origin, at) => ({
    ...origin,
    first: inFirst[at] ? 1 : origin.first,
    earlier: !complete && !inFirst[at] && origin.first === oldest,
  }))
  return { pieces: blame.pieces, origins, lookedAt, complete }
}

/** Compares texts and returns the cost. Yields the event loop in between. */
async function lookAt(blame: TextBlame, texts: readonly BlamedRow[]): Promise<number> {
  let cost = 0
  let spent = 0
  for (const text of texts) {
    if (cost - spent > TURN_COST) {
      spent = cost
      await nextTurn()
    }
    cost += blame.compare(text, text.ordinal)
  }
  return cost + PAGE * COSTS.revision
}

/** The judgements of an entry without the objections that a correction answered: those are about what was corrected. */
async function standingJudgements(reader: Reader, entry: EntryRow): Promise<readonly Judgement[]> {
  const judgements = await listJudgementsOfRevisions(reader, entry.number)
  // A contradiction of the current text says that it was not a correction.
  if (keptStanding(entry.standing).tally.contradicted > 0 || !judgements.some(isObjection)) return judgements
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
