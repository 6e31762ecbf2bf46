import type { CheckedLine } from '../../contract/resources.ts'
import { only, type Transaction } from '../../database/database.ts'
import * as store from '../../store/log.ts'
import { findMirror } from '../../store/mirror.ts'
import { eraseSalt, type MirrorLog, saveSalt, updateMirrorLog } from '../../store/mirror-log.ts'
import { publishCheckpoint } from '../log/append-log.ts'
import type { Context } from '../operation.ts'

/** A record by which a log continues another one. */
export type Continuation = { record: number; previousOrigin: string; size: number; checkpoint: string }

/** The verified state of the original's log: `note` is the newest checkpoint of the log `origin` with these `keys`. */
export type MirroredLog = Omit<MirrorLog, 'key' | 'note'> & {
  note: string
  origin: string
  size: number
  keys: string
  step: store.LogStep | undefined
  continuations: readonly Continuation[]
}

/** Stores verified leaves of the original's log. Publishes its checkpoint when the mirror has all of its records. */
export async function keepMirroredLog(
  tx: Transaction,
  context: Context,
  lines: readonly CheckedLine[],
  { step, continuations, note, origin, size, keys, record, ahead }: MirroredLog,
): Promise<void> {
  for (const line of lines) await keepSalt(tx, line)
  if (step !== undefined && !(await store.growLog(tx, step))) throw new Error('Two processes write to one mirror.')
  await keepEpochs(tx, origin, keys, continuations)
  await updateMirrorLog(tx, { note, record, ahead })
  const [last, log] = [(await store.listEpochs(tx)).at(-1), await store.readLog(tx)]
  if (last?.origin === origin && size > 0 && size <= Math.min(record, log.size)) {
    await publishCheckpoint(tx, context, { epoch: last.number, size, note })
  }
}

async function keepSalt(tx: Transaction, { type, record, salt }: CheckedLine): Promise<void> {
  if (record === undefined) return
  if (salt !== undefined) await saveSalt(tx, Number(record), salt, { isRow: type !== 'continuation' })
  else if (type === 'withdrawn') await eraseSalt(tx, Number(record))
}

/** Stores the epochs of the original, without secrets. Keys of epochs that ended before the copy began are unknown. */
async function keepEpochs(
  tx: Transaction,
  origin: string,
  keys: string,
  continuations: readonly Continuation[],
): Promise<void> {
  const epochs = await store.listEpochs(tx)
  const storeId = only(await findMirror(tx)).store_id
  const epoch = { origin, keys, storeId, secret: '' }
  let last = epochs.at(-1)
  if (last === undefined) {
    last = { ...epoch, number: 0, size: 0, checkpoint: null }
    await store.insertEpoch(tx, last)
  }
  for (const { record: number, previousOrigin, size, checkpoint } of continuations) {
    if (number <= last.number) continue
    // The newest origin is known before the records of the continuations that led to it.
    if (last.origin === origin) await store.renameEpoch(tx, last.number, previousOrigin, '')
    last = { ...epoch, number, size, checkpoint }
    await store.insertEpoch(tx, last)
  }
  if (last.origin === origin && last.keys !== keys) await store.renameEpoch(tx, last.number, origin, keys)
}
