import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LIMITS } from '../contract/limits.ts'
import type { ExportLine } from '../contract/resources.ts'
import type { Reader } from '../database/database.ts'
import { sequenceOf } from '../domain/cursor.ts'
import { listModerated, type StoredKey } from '../store/change.ts'
import { type ExportContext, isWithdrawn, listExportRows, toExportLine } from '../store/export.ts'
import { listChangedActors, listChangedSegments, readLatestChange } from '../store/export-change.ts'
import { type Head, readHead } from '../store/head.ts'
import { listEpochs, saltFor } from '../store/log.ts'
import { findWithdrawingAct } from '../store/moderation.ts'
import type { ReadOperation } from './operation.ts'

const SEGMENT = LIMITS.exportSegment
/** Sequence numbers that are read at once: the event loop is free in between, and this bounds what is held in memory. */
const PAGE = 50
/** Characters of a segment that are kept while its digest is made; a longer one is read again to be sent. */
const KEPT_MAX = 4_000_000

/**
 * Everything public from a sequence number to the end of its segment, or to the newest row. A finished segment asked for from its beginning
 * has the digest of its bytes as its version: it may be kept, and is asked about again, because moderation takes lines from it.
 */
export const exportRecords: ReadOperation = async ({ reader, keepObserved }, { query }) => {
  const from = Math.max(1, sequenceOf(query.from ?? '1'))
  const last = Math.ceil(from / SEGMENT) * SEGMENT
  if ((await readHead(reader)).sequence < last) {
    await keepObserved()
    return { body: {}, pieces: newest(reader, from, last) }
  }
  const pieces = finished(reader, from, last)
  if (from % SEGMENT !== 1) return { body: {}, pieces }
  const { digest, kept } = await digested(pieces)
  const etag = digest.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return { body: {}, etag, digest, pieces: kept ?? certain(finished(reader, from, last), digest) }
}

const text = (line: ExportLine): string => `${JSON.stringify(line)}\n`

/** What rows need to know of the public log; nothing in a mirror, whose log is the original's. */
async function contextOf(reader: Reader, rows: Awaited<ReturnType<typeof listExportRows>>): Promise<ExportContext> {
  const epochs = await listEpochs(reader)
  const acts = await Promise.all(
    rows.filter(isWithdrawn).map(async row => [row.sequence, await findWithdrawingAct(reader, row.sequence)] as const),
  )
  return {
    saltOf: record => (epochs.length === 0 ? undefined : saltFor(epochs, record).toString('base64')),
    acts: new Map(acts.filter((pair): pair is [number, number] => pair[1] !== undefined)),
  }
}

/** The latest withdrawal or return of an entry. */
const lineOfAct = ({ sequence, entry }: StoredKey): ExportLine => ({
  type: 'moderated',
  sequence: String(sequence),
  entryRecord: String(entry),
})

async function* lines(reader: Reader, from: number, last: number): AsyncGenerator<string> {
  for (let above = from - 1; above < last; above += PAGE) {
    const upTo = Math.min(above + PAGE, last)
    const [rows, moderated] = await Promise.all([
      listExportRows(reader, above, upTo),
      listModerated(reader, { after: above, upTo, limit: upTo - above }),
    ])
    const context = await contextOf(reader, rows)
    const found = [...rows.map(row => toExportLine(row, context)), ...moderated.map(lineOfAct)]
    if (moderated.length > 0) found.sort((a, b) => Number(a.sequence) - Number(b.sequence))
    if (found.length > 0) yield found.map(text).join('')
    await setImmediate()
  }
}

async function* finished(reader: Reader, from: number, last: number): AsyncGenerator<string> {
  yield* lines(reader, from, last)
  yield text({ type: 'end', next: String(last + 1) })
}

/** The head is read first: whatever it counts is among the rows up to its sequence, and moderation up to there is named by the change. */
async function* newest(reader: Reader, from: number, last: number): AsyncGenerator<string> {
  const head = await readHead(reader)
  const change = await readLatestChange(reader)
  const to = Math.min(last, head.sequence)
  yield* lines(reader, from, to)
  const next = String(Math.max(from, to + 1))
  yield text(to === head.sequence ? { type: 'end', next, head: toHead(head, change) } : { type: 'end', next })
}

const toHead = (head: Head, change: number): NonNullable<ExportLine['head']> => ({
  storeId: head.store_id,
  sequence: String(head.sequence),
  record: String(head.record),
  change: String(change),
  totals: {
    externalInteractions: head.interactions,
    observedActors: head.observed_actors,
    recurrentActors: head.recurrent_actors,
    entries: head.entries,
    revisions: head.revisions,
    verifications: head.verifications,
    contradictions: head.contradictions,
    relations: head.relations,
  },
})

/** The digest of the pieces in base64, and the pieces themselves if they are few. */
async function digested(pieces: AsyncIterable<string>): Promise<{ digest: string; kept?: AsyncIterable<string> }> {
  const hash = createHash('sha256')
  const kept: string[] = []
  let size = 0
  for await (const piece of pieces) {
    hash.update(piece)
    size += piece.length
    if (size <= KEPT_MAX) kept.push(piece)
    else kept.length = 0
  }
  const digest = hash.digest('base64')
  return size > KEPT_MAX ? { digest } : { digest, kept: each(kept) }
}

async function* each(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces
}

/** Breaks off before the last piece when the pieces are not those that the digest was made of: somebody moderated in between. */
async function* certain(pieces: AsyncIterable<string>, digest: string): AsyncGenerator<string> {
  const hash = createHash('sha256')
  let held = ''
  for await (const piece of pieces) {
    if (held !== '') yield held
    hash.update(piece)
    held = piece
  }
  if (hash.digest('base64') !== digest) throw new Error('The segment changed while it was sent.')
  yield held
}

/** How far the export is, and what moderation changed of it since `after`. */
export const readExportManifest: ReadOperation = async ({ reader, keepObserved }, { query }) => {
  await keepObserved()
  // The change is read before what changed: whatever comes in between is named again next time.
  const change = await readLatestChange(reader)
  const head = await readHead(reader)
  const after = query.after === undefined ? change : sequenceOf(query.after)
  const [segments, { actors, all }] = await Promise.all([
    listChangedSegments(reader, after, LIMITS.exportChanges + 1),
    listChangedActors(reader, after, LIMITS.exportChanges),
  ])
  return {
    body: {
      storeId: head.store_id,
      sequence: String(head.sequence),
      record: String(head.record),
      change: String(change),
      segmentSize: SEGMENT,
      finished: Math.floor(head.sequence / SEGMENT),
      segments: segments.slice(0, LIMITS.exportChanges).map(({ segment }) => String(segment * SEGMENT + 1)),
      actors,
      complete: segments.length <= LIMITS.exportChanges && all,
    },
  }
}
