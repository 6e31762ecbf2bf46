import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import type { Blame } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { getOrThrow, only, type Reader } from '../../engine/database.ts'
import { toAuthor } from '../actors/rows.ts'
import { findStatement, findText } from '../evidence/rows.ts'
import type { Judgement } from '../evidence/rules.ts'
import { evidenceOn } from '../evidence/standing.ts'
import { LruCache } from '../lru-cache.ts'
import { findAddressed, observedRead, type ReadOperation, type Reads } from '../operation.ts'
import { signalNames } from '../signals/signals.ts'
import { isoTime, memoized, shortDigest } from '../values.ts'
import { COST_MAX, COSTS, evidenceOfPieces, type Origin, type Piece, TextBlame } from './blame-rules.ts'
import { type BlamedRow, type EntryRow, findTextAt, findWriter, listTexts, type WriterRow } from './rows.ts'
import { assertNotErased } from './rules.ts'

/** Reads which revision wrote each sentence of an entry, and the result of the evidence about the texts that contained it. */
export const readBlame: ReadOperation<'readBlame'> = async (reads, request) => {
  const entry = await findAddressed(reads.reader, request)
  return { ...(await blameOf(reads, entry)), observed: observedRead(entry) }
}

type Reading = Pick<Reads, 'reader' | 'yieldToRequests'>
type Address = { slug: string; ordinal: number }

/** Like `readBlame`, for the text of one revision of an entry. Throws REVISION_NOT_FOUND or ERASED if there is no such text. */
export const readBlameAt = async (reads: Reading, { slug, ordinal }: Address): Promise<Blame> =>
  (await blameOf(reads, await entryAt(reads, { slug, ordinal }))).body

/** A sentence or line of a text: its length, the revision that wrote it, and the number of objections to it. */
export type AgedPiece = { size: number; ordinal: number; against: number }

/** Reads who wrote each piece of the text of one revision of an entry. Throws as `readBlameAt` does. */
export async function readAges(reads: Reading, address: Address): Promise<AgedPiece[]> {
  const { reader, yieldToRequests } = reads
  const entry = await entryAt(reads, address)
  const { pieces, origins } = await historyOf(reader, entry)
  await yieldToRequests()
  const evidence = await evidenceOn(reader, entry, entry)
  const { places, parts } = evidence === undefined ? { places: [], parts: [] } : evidenceOfPieces(evidence)
  return origins.map(({ first }, at) => ({
    size: pieces[at]?.text.length ?? 0,
    ordinal: first,
    against: parts[places[at] ?? -1]?.tally.against ?? 0,
  }))
}

/** An entry with the text of one of its revisions, as if it had no later one. */
async function entryAt({ reader }: Pick<Reads, 'reader'>, { slug, ordinal }: Address): Promise<EntryRow> {
  const entry = await findAddressed(reader, { params: { slug } })
  if (ordinal === entry.revisions) return entry
  const row = await findTextAt(reader, entry.number, ordinal)
  if (row === undefined) throw new Problem('REVISION_NOT_FOUND')
  assertNotErased(row)
  return { ...entry, ...row, revisions: ordinal }
}

async function blameOf({ reader, yieldToRequests }: Reading, entry: EntryRow): Promise<{ body: Blame; etag: string }> {
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
  return { body, etag: `${entry.revision_id}.${version}` }
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
  const idOf = memoized(async ({ record, verdict }: Judgement) => (await findStatement(reader, record, verdict)).id)
  const items = await Promise.all(
    parts.map(async ({ state, tally, objections }) => ({
      state,
      tally,
      objections: await Promise.all(objections.slice(0, OBJECTIONS_NAMED).map(idOf)),
    })),
  )
  const version = parts.map(({ state, tally, objections }) => [state, tally, objections.map(({ record }) => record)])
  return { places, items, version: [places, version] }
}

/** The revisions that wrote the pieces of a text. The result never changes, because the text and its earlier revisions never change. */
type TextHistory = {
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
/** Maximum number of pieces of all cached histories together, and of histories that are computed at the same time. */
const REMEMBERED_MAX = 200_000
const SOUGHT_MAX = 64

const histories = new WeakMap<Reader, Histories>()

/** Finds the history of the current text of an entry. Throws OVERLOADED if too many are being computed. */
export const historyOf = (reader: Reader, entry: EntryRow): Promise<TextHistory> => {
  const known = histories.get(reader) ?? new Histories(reader)
  histories.set(reader, known)
  return known.find(entry)
}

/** Caches histories by revision. Reads one page of revisions at a time, and yields the event loop in between. */
class Histories {
  readonly #reader: Reader
  readonly #known = new LruCache<string, TextHistory>(REMEMBERED_MAX)
  readonly #sought = new Map<string, Promise<TextHistory>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async find(entry: EntryRow): Promise<TextHistory> {
    const id = entry.revision_id
    const found = this.#known.get(id) ?? this.#sought.get(id)
    if (found !== undefined) return found
    if (this.#sought.size >= SOUGHT_MAX) throw new Problem('OVERLOADED', { retryAfter: 1 })
    const seeking = this.#seek(entry).finally(() => this.#sought.delete(id))
    this.#sought.set(id, seeking)
    const history = await seeking
    this.#known.set(id, history, history.pieces.length)
    return history
  }

  async #seek(entry: EntryRow): Promise<TextHistory> {
    const search = new HistorySearch(this.#reader, entry)
    while (!search.isOver()) await this.#inTurn(() => search.comparePage())
    return search.result()
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.then(nextTurn, nextTurn)
    return done
  }
}

/** Compares the revisions of an entry with its current text, newest first, until all are compared or the budget is spent. */
class HistorySearch {
  readonly #reader: Reader
  readonly #entry: EntryRow
  readonly #blame: TextBlame
  #left = COST_MAX
  /** The number of compared revisions, and the ordinal of the oldest. */
  #compared = 0
  #oldest: number
  /** The ordinal of the newest revision that is not compared; 0 if all are. */
  #next: number

  constructor(reader: Reader, entry: EntryRow) {
    this.#reader = reader
    this.#entry = entry
    this.#blame = new TextBlame(entry, entry.revisions)
    this.#oldest = entry.revisions
    this.#next = entry.revisions
  }

  isOver(): boolean {
    return this.#next === 0 || this.#left <= 0
  }

  async comparePage(): Promise<void> {
    const above = Math.max(0, this.#next - PAGE)
    const texts = await listTexts(this.#reader, this.#entry.number, above, this.#next)
    this.#compared += texts.length
    this.#oldest = texts.at(-1)?.ordinal ?? this.#oldest
    this.#left -= await compareAll(this.#blame, texts)
    this.#next = above
  }

  /** Returns the history. If not all revisions were compared, compares the first one too. */
  async result(): Promise<TextHistory> {
    const complete = this.#next === 0
    const first = complete ? undefined : await findText(this.#reader, this.#entry.number)
    const inFirst = first === undefined ? [] : this.#blame.holds(first)
    const origins = this.#blame.origins().map((origin, at) => ({
      ...origin,
      first: inFirst[at] ? 1 : origin.first,
      earlier: !complete && !inFirst[at] && origin.first === this.#oldest,
    }))
    return { pieces: this.#blame.pieces, origins, lookedAt: this.#compared, complete }
  }
}

/** Compares texts and returns the cost. Yields the event loop in between. */
async function compareAll(blame: TextBlame, texts: readonly BlamedRow[]): Promise<number> {
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
