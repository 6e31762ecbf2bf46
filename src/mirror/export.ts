import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LIMITS } from '../contract/limits.ts'
import type { ExportLine } from '../contract/resources.ts'
import { EXPORT_FORMAT } from '../contract/vocabulary.ts'
import type { Reader } from '../engine/database.ts'
import { listModerated, type StoredKey } from '../memory/activity/rows.ts'
import { type Head, type RecordRange, readHead, toTotals } from '../memory/head-rows.ts'
import { findWithdrawingAct } from '../memory/moderation/rows.ts'
import type { ReadOperation, Reads } from '../memory/operation.ts'
import { sequenceOf } from '../memory/values.ts'
import { type Epoch, findLogged, listEpochs, listUnlisted, readErasures, readSalts } from '../tlog/rows.ts'
import { commitmentOf } from '../tlog/rules/statement.ts'
import {
  type ExportContext,
  type ExportRow,
  findRecordAt,
  findRowAbove,
  isWithdrawn,
  listChangedActors,
  listChangedSegments,
  listExportRows,
  readLatestChange,
  recordOf,
  toExportLine,
} from './export-rows.ts'

const SEGMENT = LIMITS.exportSegment
/** Number of sequences per read: ten of the longest texts take some milliseconds. Other requests are answered in between. */
const PAGE = 10
/** Maximum number of characters of a segment that are stored while its digest is computed. A longer segment is read again to be sent. */
const KEPT_MAX = 4_000_000

/** The store, and the wait between two pages of an export. */
type Exporting = Pick<Reads, 'reader' | 'yieldToRequests'>

/**
 * Exports everything public from a sequence to the end of its segment, or to the newest row. If a finished segment is requested from its
 * beginning, its version is the digest of its bytes. Caches may store such a segment and must revalidate it, because moderation removes
 * lines.
 */
export const exportRecords: ReadOperation<'exportRecords'> = async (reads, { query }) => {
  const { reader, flushObservations, contentLicense } = reads
  const from = Math.max(1, sequenceOf(query.from ?? '1'))
  const last = Math.ceil(from / SEGMENT) * SEGMENT
  if ((await readHead(reader)).sequence < last) {
    await flushObservations()
    return { body: {}, pieces: newest(reads, { from, last }, contentLicense) }
  }
  const pieces = finished(reads, from, last)
  if (from % SEGMENT !== 1) return { body: {}, pieces }
  const { digest, kept } = await digested(pieces)
  const etag = digest.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return { body: {}, etag, digest, pieces: kept ?? certain(finished(reads, from, last), digest) }
}

/**
 * Yields the answers of the export from the first row to the newest, one segment after another. `reader` must show one state of the store,
 * with all observations until now.
 */
export async function* exportStore(reader: Reader, license: string | undefined): AsyncGenerator<string> {
  const { sequence } = await readHead(reader)
  const on = { reader, yieldToRequests: () => setImmediate() }
  let from = 1
  while (from + SEGMENT - 1 <= sequence) {
    const last = from + SEGMENT - 1
    yield* finished(on, from, last)
    from = await segmentAbove(reader, last)
  }
  yield* newest(on, { from, last: from + SEGMENT - 1 }, license)
}

const text = (line: ExportLine): string => `${JSON.stringify(line)}\n`

/** The latest withdrawal or restoration of an entry. */
const lineOfAct = ({ sequence, entry }: StoredKey): ExportLine => ({
  type: 'moderated',
  sequence: String(sequence),
  entryRecord: String(entry),
})

/** The lines between two sequences in order, with the lines of records between them that have no sequence. */
async function* lines(
  { reader, yieldToRequests }: Exporting,
  epochs: readonly Epoch[],
  from: number,
  last: number,
): AsyncGenerator<string> {
  let reached = await findRecordAt(reader, from - 1)
  for (let above = from - 1; above < last; above += PAGE) {
    const upTo = Math.min(above + PAGE, last)
    const [rows, moderated] = await Promise.all([
      listExportRows(reader, above, upTo),
      listModerated(reader, { after: above, upTo, limit: upTo - above }),
    ])
    const context = await contextOf(reader, epochs, rows)
    const found = [...rows.map(row => toExportLine(row, context)), ...moderated.map(lineOfAct)]
    if (moderated.length > 0) found.sort((a, b) => Number(a.sequence) - Number(b.sequence))
    const latest = rows.flatMap(row => recordOf(row)?.record ?? []).at(-1) ?? reached
    const unlisted = await Array.fromAsync(linesWithoutRow(reader, epochs, { above: reached, upTo: latest }))
    reached = latest
    const page = interleaved(found, unlisted)
    if (page.length > 0) yield page.map(text).join('')
    await yieldToRequests()
  }
}

/** Lines by sequence, each after the lines of smaller record numbers that have no sequence. */
function interleaved(lines: readonly ExportLine[], between: readonly ExportLine[]): ExportLine[] {
  let at = 0
  const before = (record: number): readonly ExportLine[] => {
    const from = at
    while (Number(between[at]?.record) < record) at++
    return between.slice(from, at)
  }
  return [...lines.flatMap(line => [...before(Number(line.record ?? 0)), line]), ...between.slice(at)]
}

async function* finished(on: Exporting, from: number, last: number): AsyncGenerator<string> {
  yield* lines(on, await listEpochs(on.reader), from, last)
  yield text({ type: 'end', next: String(await segmentAbove(on.reader, last)) })
}

/**
 * Returns the first sequence of the next segment with a line. If no line follows, returns that of the segment of the newest sequence. A
 * restoration of the store leaves a gap of a billion sequences.
 */
async function segmentAbove(reader: Reader, last: number): Promise<number> {
  const [row, [moderated]] = await Promise.all([
    findRowAbove(reader, last),
    listModerated(reader, { after: last, upTo: Number.MAX_SAFE_INTEGER, limit: 1 }),
  ])
  const newest = Math.max((await readHead(reader)).sequence, last + 1)
  const next = Math.min(row ?? newest, moderated?.sequence ?? newest)
  return Math.floor((next - 1) / SEGMENT) * SEGMENT + 1
}

/**
 * Reads the head first, so that all rows that it counts are at or below its sequence. The change is read next, so that it covers all
 * moderation up to that sequence.
 */
async function* newest(
  on: Exporting,
  { from, last }: { from: number; last: number },
  license: string | undefined,
): AsyncGenerator<string> {
  const { reader } = on
  const head = await readHead(reader)
  const change = await readLatestChange(reader)
  const to = Math.min(last, head.sequence)
  const epochs = await listEpochs(reader)
  yield* lines(on, epochs, from, to)
  const latest = { above: await findRecordAt(reader, to), upTo: head.record }
  if (from <= head.sequence + 1) for await (const line of linesWithoutRow(reader, epochs, latest)) yield text(line)
  const next = String(Math.max(from, to + 1))
  yield text(to === head.sequence ? { type: 'end', next, head: toHead(head, change, license) } : { type: 'end', next })
}

const toHead = (head: Head, change: number, license: string | undefined): NonNullable<ExportLine['head']> => ({
  storeId: head.store_id,
  sequence: String(head.sequence),
  record: String(head.record),
  change: String(change),
  totals: toTotals(head),
  ...(license === undefined ? {} : { license }),
})

/** Returns the digest of the pieces in base64, and the pieces if they have at most `KEPT_MAX` characters. */
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

/** Yields the pieces. Throws before the last one if their digest differs, because moderation changed the segment in between. */
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

/** The end of the export, and the segments that moderation changed after `after`. */
export const readExportManifest: ReadOperation<'readExportManifest'> = async (
  { reader, flushObservations },
  { query },
) => {
  await flushObservations()
  // The change is read before the changed segments, so that a concurrent change is listed again next time.
  const change = await readLatestChange(reader)
  const head = await readHead(reader)
  const after = query.after === undefined ? change : sequenceOf(query.after)
  const [segments, { actors, all }] = await Promise.all([
    listChangedSegments(reader, after, LIMITS.exportChanges + 1),
    listChangedActors(reader, after, LIMITS.exportChanges),
  ])
  return {
    body: {
      format: EXPORT_FORMAT,
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

/** Number of records of moderation per read. */
const ACTS_PAGE = 500

/** Reads the members about the public log for the lines of these rows. A mirror has no commitments of records that it erased. */
export async function contextOf(
  reader: Reader,
  epochs: readonly Epoch[],
  rows: readonly ExportRow[],
): Promise<ExportContext> {
  const records = rows.flatMap(row => recordOf(row)?.record ?? [])
  if (records.length === 0) return NO_RECORDS
  const range = { above: Math.min(...records) - 1, upTo: Math.max(...records) }
  const [saltOf, erasures] = await Promise.all([readSalts(reader, range), readErasures(reader, range)])
  const commitments = new Map<number, string>()
  const acts = new Map<number, number>()
  await Promise.all(
    rows.filter(isWithdrawn).map(async row => {
      const { record, kind } = recordOf(row) as NonNullable<ReturnType<typeof recordOf>>
      const erasure = erasures.get(record)
      const salt = saltOf(record)
      const [act, logged] = await Promise.all([
        erasure?.act ?? findWithdrawingAct(reader, row.sequence),
        salt === undefined ? undefined : findLogged(reader, epochs, kind, record),
      ])
      if (act !== undefined) acts.set(row.sequence, act)
      if (erasure !== undefined) commitments.set(record, erasure.commitment)
      else if (salt !== undefined && logged !== undefined)
        commitments.set(record, commitmentOf(salt, logged.statement).toString('base64'))
    }),
  )
  const isErased = (record: number): boolean => erasures.has(record)
  return { saltOf: record => saltOf(record)?.toString('base64'), commitments, acts, isErased }
}

const NO_RECORDS: ExportContext = {
  ...{ saltOf: () => undefined, commitments: new Map(), acts: new Map(), isErased: () => false },
}

/** The lines of the records between two numbers that have no row of activity, in order. */
async function* linesWithoutRow(
  reader: Reader,
  epochs: readonly Epoch[],
  { above, upTo }: RecordRange,
): AsyncGenerator<ExportLine & { record: string }> {
  if (epochs.length === 0) return
  for (let from = above; from < upTo; from += ACTS_PAGE) {
    const range = { above: from, upTo: Math.min(from + ACTS_PAGE, upTo) }
    const [records, saltOf, erasures] = await Promise.all([
      listUnlisted(reader, epochs, range),
      readSalts(reader, range),
      readErasures(reader, range),
    ])
    for (const { record, kind, statement } of records) {
      const salt = saltOf(record)
      const erasure = erasures.get(record)
      if (erasure !== undefined) yield { type: 'moderation', record: String(record), commitment: erasure.commitment }
      if (salt === undefined) continue
      if (kind === 'moderation') {
        yield { type: kind, record: String(record), commitment: commitmentOf(salt, statement).toString('base64') }
      } else {
        yield { type: 'continuation', record: String(record), salt: salt.toString('base64'), statement }
      }
    }
  }
}
