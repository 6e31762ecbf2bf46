import type { Author, CheckedLine, ExportLine } from '../../contract/resources.ts'
import type { Transaction } from '../../database/database.ts'
import { recomputeChanges } from '../../store/derived.ts'
import { findEntryByNumber, tagsOf } from '../../store/entry.ts'
import { HEAD, type Head } from '../../store/head.ts'
import { findMirroredEntry, markReads, renameAuthor, updateEntryStanding, updateMirror } from '../../store/mirror.ts'
import { type Moved, moveTopics } from '../../store/topic.ts'
import { settleStanding } from '../evidence/settle-standing.ts'
import type { Context } from '../operation.ts'
import { keepLine, type Touched } from './mirrored-lines.ts'
import { keepMirroredLog, type MirroredLog } from './store-mirrored-log.ts'

/** One batch of a mirror, stored in one transaction. Its lines were verified before. */
export type Mirrored = {
  lines: readonly CheckedLine[]
  /** Authors with their current names. */
  actors: readonly Author[]
  /** The newest sequence of the original, when the last line was its newest row. */
  head: ExportLine['head'] | null
  /** The next sequence to read, and the last act of moderation that was copied. */
  next: number
  change: number
  /** The latest act of moderation that the lines may come from; by default `change`. */
  act?: number
  /** The sequence up to which both rows and moderation were copied, if it is known. */
  settled?: number
  /** The verified state of the original's log; undefined if the mirror does not verify it. */
  log?: MirroredLog | undefined
}

/**
 * Stores lines of the export of another server under their own ids, sequence and record numbers. A known line is updated, so that a segment
 * can be read again at any time. Resolves with true if something was withdrawn and its texts were erased.
 */
export async function keepMirrored(tx: Transaction, context: Context, mirrored: Mirrored): Promise<boolean> {
  const head = await tx.load(HEAD)
  // Caches and the search index follow record numbers, so every batch needs a number above all earlier ones.
  const change = numbersOf(mirrored.lines).reduce((most, number) => Math.max(most, number), head.record + 1)
  const touched: Touched = { entries: new Set(), act: mirrored.act ?? mirrored.change }
  for (const line of mirrored.lines) {
    await keepLine(tx, line, change, touched)
    head.sequence = Math.max(head.sequence, Number(line.sequence ?? 0))
  }
  for (const author of mirrored.actors) await renameAuthor(tx, author, change)
  await settleTouched(tx, touched, change)
  if (mirrored.lines.length > 0 || mirrored.actors.length > 0) head.record = change
  if (mirrored.head) follow(head, mirrored.head)
  await updateMirror(tx, mirrored)
  if (mirrored.log !== undefined) await keepMirroredLog(tx, context, mirrored.lines, mirrored.log)
  return mirrored.lines.some(({ type }) => type === 'withdrawn')
}

const numbersOf = (lines: readonly CheckedLine[]): number[] => lines.map(({ record }) => Number(record ?? 0))

function follow(head: Head, { sequence, record, totals }: NonNullable<ExportLine['head']>): void {
  head.sequence = Math.max(head.sequence, Number(sequence))
  head.record = Math.max(head.record, Number(record))
  head.interactions = totals.externalInteractions
  head.observed_actors = totals.observedActors
  head.recurrent_actors = totals.recurrentActors
  head.entries = totals.entries
  head.revisions = totals.revisions
  head.verifications = totals.verifications
  head.contradictions = totals.contradictions
  head.relations = totals.relations
}

/** An entry is shown once it is complete. Its standing is then computed from its records. */
async function settleTouched(tx: Transaction, { entries }: Touched, change: number): Promise<void> {
  const moved: Moved[] = []
  for (const number of entries) {
    const entry = await findMirroredEntry(tx, number)
    if (entry === undefined) continue
    const by = entry.withdrawn - entry.erased
    if (by !== 0 && entry.data_class === 'EXTERNAL') moved.push({ number, tags: tagsOf(entry), shown: by > 0 })
    if (by !== 0) await markReads(tx, number, { withdrawn: entry.erased !== 0 })
    await updateEntryStanding(tx, number, entry.erased, change)
    if (entry.erased) continue
    // A revision that was stored while the previous text was erased could not be compared with it.
    if (by > 0 && entry.revisions > 1) await recomputeChanges(tx, number)
    const current = await findEntryByNumber(tx, number)
    if (current !== undefined) await settleStanding(tx, current)
  }
  await moveTopics(tx, moved)
}
