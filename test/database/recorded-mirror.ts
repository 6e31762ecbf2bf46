import type { CheckedLine } from '../../src/contract/resources.ts'
import type { Transaction } from '../../src/engine/database.ts'
import type { Context, Reads } from '../../src/memory/operation.ts'
import { MAINTENANCE } from '../../src/memory/run.ts'
import { exportRecords } from '../../src/mirror/export.ts'
import { findRowAbove } from '../../src/mirror/export-rows.ts'
import type { Mirrored } from '../../src/mirror/keep.ts'
import {
  findMirror,
  findMirrorLog,
  findRevisionIdentity,
  insertMirror,
  type MirrorLog,
  noteErasure,
  restartMirror,
  saveErasedHash,
  saveMirrorKey,
  saveOriginalStore,
} from '../../src/mirror/rows.ts'
import { forgetLog, listEpochs, readSalts } from '../../src/tlog/rows.ts'

/** Numbers of a copied line stand this far above those of the line that it was made from. */
const SHIFT = 1_000_000
const shifted = (number: unknown): string => String(Number(number) + SHIFT)

/** A line of a store as one of the n-th other store: the same shape, other numbers and ids. */
function foreign(line: CheckedLine, n: number): CheckedLine {
  const text = JSON.stringify(line).replaceAll(/0199000\d-/g, `0199000${n}-`)
  const copy = JSON.parse(text) as CheckedLine
  for (const member of ['sequence', 'record', 'entryRecord', 'sourceRecord'] as const) {
    if (typeof copy[member] === 'string') copy[member] = shifted(copy[member])
  }
  if (copy.ends !== undefined) copy.ends = copy.ends.map(shifted)
  if (copy.slug !== undefined) copy.slug = `foreign-${n}-${copy.slug}`
  return copy
}

/** The members of a line that moderation leaves. */
function withdrawn({ type, sequence, record = '', entryRecord = record, ends, ordinal }: CheckedLine): CheckedLine[] {
  if (sequence === undefined) return []
  const gone = { type: 'withdrawn', sequence, record, withdrawn: 'RECORD' } as CheckedLine
  if (ends !== undefined) return [{ ...gone, ends }]
  if (type === 'observation') return [{ type: 'withdrawn', sequence, withdrawn: 'RECORD' } as CheckedLine]
  return type === 'end' ? [] : [{ ...gone, entryRecord, ...(ordinal && { ordinal }) }]
}

/** Stores the lines of a store as those of another one, in every shape: new, again, withdrawn, withdrawn before they were known. */
export async function recordMirror(reads: Reads, tx: Transaction, context: () => Context): Promise<void> {
  const { pieces = [] } = await exportRecords(reads, { params: {}, query: {} })
  let text = ''
  for await (const piece of pieces as AsyncIterable<string>) text += piece
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => foreign(JSON.parse(line) as CheckedLine, 1))
  const head = lines.at(-1)?.head ?? null
  const keep = (kept: readonly CheckedLine[], more: Partial<Mirrored> = {}) =>
    MAINTENANCE.keepMirrored(tx, context(), { lines: kept, actors: [], head: null, next: 1, change: 0, ...more })
  await insertMirror(tx, { url: 'https://memory.example', store_id: 'x', next: 1, change: 0 })
  await findMirror(tx)
  const gone = lines.flatMap(withdrawn)
  await keep(gone)
  await keep(lines, { head })
  await keep(lines)
  await keep(gone)
  await keep(lines.map(line => foreign(line, 2)))
  const author = lines.flatMap(({ actor }) => (actor === undefined ? [] : [actor]))[0]
  if (author !== undefined) {
    await keep([], { actors: [{ ...author, declared: { name: 'Renamed', model: null, provider: null } }] })
  }
  await findRevisionIdentity(tx, SHIFT + 1)
  await findRowAbove(tx, 1)
  await recordMirroredLog(tx, context, [...lines, ...gone])
}

/** Stores lines with the verified state of the original's log, which has continued others. */
async function recordMirroredLog(
  tx: Transaction,
  context: () => Context,
  lines: readonly CheckedLine[],
): Promise<void> {
  await saveMirrorKey(tx, 'a key')
  await restartMirror(tx)
  const { ahead, record } = (await findMirrorLog(tx)) as MirrorLog
  const last = (await listEpochs(tx)).at(-1)
  const continuations = [1, 2].map(n => ({
    ...{ record: (last?.number ?? 0) + n * SHIFT, previousOrigin: `example/log/before-${n}`, size: 0, checkpoint: '' },
  }))
  const log = { origin: 'example/log/newest', size: 0, note: '', keys: 'other keys', record, ahead, continuations }
  await MAINTENANCE.keepMirrored(tx, context(), {
    ...{ lines, actors: [], head: null, next: 1, change: 0, log: { ...log, step: undefined } },
  })
  await readSalts(tx, { above: 0, upTo: 2 })
  await noteErasure(tx, { record: SHIFT, kind: 'revision', commitment: '', act: 1 })
  await saveErasedHash(tx, SHIFT, '')
  await saveOriginalStore(tx, 'x')
  await forgetLog(tx)
}
