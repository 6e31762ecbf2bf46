import type { CheckedLine } from '../../contract/resources.ts'
import type { DataClass } from '../../contract/vocabulary.ts'
import type { Transaction } from '../../database/database.ts'
import type { RecordLine } from '../../domain/log/exported-line.ts'
import { hourNumber } from '../../domain/time.ts'
import { appendActivity, isUnobserved, type NewActivity } from '../../store/activity.ts'
import { findEntryNumber } from '../../store/entry.ts'
import * as mirror from '../../store/mirror.ts'

type Subject = Pick<NewActivity, 'action' | 'entry' | 'revision' | 'subject' | 'target' | 'at'>

/** Inserts the feed row of a record, or updates it to the line. */
export async function keepActivity(tx: Transaction, line: RecordLine, actor: number, subject: Subject): Promise<void> {
  const sequence = Number(line.sequence)
  const withdrawn = line.withdrawn !== undefined
  if (await mirror.markActivity(tx, sequence, { withdrawn })) return
  await appendActivity(tx, {
    ...subject,
    sequence,
    actor,
    origin: null,
    requestId: line.requestId,
    metadata: null,
    dataClass: line.dataClass,
    hour: null,
    withdrawn,
  })
}

type Authored = Pick<RecordLine, 'actor' | 'actorType'> & { dataClass: DataClass }

/** Inserts the author of a line, or updates its names. Returns its number. */
export const authorOf = (tx: Transaction, line: Authored, at: number, change: number): Promise<number> => {
  const { actor, actorType = 'UNKNOWN', dataClass } = line
  return mirror.ensureAuthor(tx, actor, { actorType, dataClass, at, change })
}

/** Stores the row of a read or search. */
export async function keepObservation(
  tx: Transaction,
  line: CheckedLine<'observation'>,
  change: number,
): Promise<void> {
  const sequence = Number(line.sequence)
  const { action, entryId } = line.activity
  const entry = entryId === null ? null : ((await findEntryNumber(tx, entryId)) ?? null)
  // A known row is unchanged except for its author's names. A read of a withdrawn entry is not stored.
  if (await mirror.isActivityKnown(tx, sequence)) await mirror.renameAuthor(tx, line.actor, change)
  else if (action === 'SEARCH' || entry !== null) await placeObservation(tx, line, entry, change)
}

async function placeObservation(
  tx: Transaction,
  line: CheckedLine<'observation'>,
  entry: number | null,
  change: number,
): Promise<void> {
  const { action, revisionId, timestamp, requestId, metadata, dataClass } = line.activity
  const revision = revisionId === null ? undefined : await mirror.findMirroredRevision(tx, revisionId)
  const at = Date.parse(timestamp)
  const actor = await authorOf(tx, { ...line, dataClass }, at, change)
  // Rows of different hours at the original may have times in the same hour; the next free hour is used. Only rows of writes have none.
  let hour = hourNumber(at)
  while (!(await isUnobserved(tx, hour, actor, action, entry))) hour++
  await appendActivity(tx, {
    ...{ sequence: Number(line.sequence), actor, origin: null, action, entry, subject: null, hour },
    revision: revision?.number ?? null,
    ...{ requestId, dataClass, at, metadata: action === 'SEARCH' ? metadata : null },
  })
}
