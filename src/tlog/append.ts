import { only, type Transaction } from '../engine/database.ts'
import { addToHead, HEAD, NEWEST_RECORD, storeEpochOf } from '../memory/head-rows.ts'
import type { Context } from '../memory/operation.ts'
import { DAY } from '../memory/values.ts'
import * as store from './rows.ts'

/** Maximum number of questions to a follower in progress. */
export const LOG_QUESTIONS_MAX = 8

/** A question about the log to the thread that follows the store. `pem` is the private key. */
export type LogQuestion =
  | { ask: 'state' }
  | { ask: 'step'; most: number }
  | { ask: 'agreed'; signed: string[] }
  | { ask: 'keys'; pem: string; origin: string }
  | { ask: 'sign'; pem: string; time: number }
  | { ask: 'keep'; note: string }
  | { ask: 'consistency'; older: number; size: number }

const currentStoreEpoch = async (tx: Transaction): Promise<number> =>
  storeEpochOf(only(await tx.one<{ sequence: number }>(NEWEST_RECORD)).sequence)

/**
 * Appends records to the log. Returns false if the log has another size by now, the store another epoch, or one of the records was erased
 * since the step was computed.
 */
export async function extendLog(tx: Transaction, _context: Context, step: store.LogStep): Promise<boolean> {
  if ((await currentStoreEpoch(tx)) !== step.storeEpoch) return false
  const erased = await store.readErasures(tx, { above: step.from.size, upTo: step.to.size })
  if (erased.size !== step.erased) return false
  return store.growLog(tx, step)
}

export type SignedCheckpoint = { epoch: number; size: number; note: string }

/**
 * Publishes a signed checkpoint of the log as it is stored. Returns false if there is one of that size or larger. Of the earlier
 * checkpoints, the last of each day is retained.
 */
export async function publishCheckpoint(
  tx: Transaction,
  context: Context,
  { epoch, size, note }: SignedCheckpoint,
): Promise<boolean> {
  const [last, log, epochs] = await Promise.all([store.findCheckpoint(tx), store.readLog(tx), store.listEpochs(tx)])
  if (log.size < size || epochs.at(-1)?.number !== epoch || (last !== undefined && last.size >= size)) return false
  if (last !== undefined) {
    const sameDay = Math.floor(last.createdAt / DAY) === Math.floor(context.now / DAY)
    await (sameDay ? store.forgetCheckpoint(tx, last.size) : store.keepCheckpoint(tx, last.size))
  }
  await store.insertCheckpoint(tx, { size, epoch, note, createdAt: context.now, permanent: 0 })
  return true
}

/** Adds cosignatures to a published checkpoint, which is then retained. Returns false if it was deleted. */
export const cosignCheckpoint = (
  tx: Transaction,
  _context: Context,
  { size, note }: { size: number; note: string },
): Promise<boolean> => store.cosignCheckpoint(tx, size, note)

/**
 * How the log continues: unchanged (without `begin`), or as a new epoch that agrees with the previous one up to the size `agreed`. `after`
 * is the number of the last epoch that was read, or -1 if there was none.
 */
type LogSettlement = {
  after: number
  storeEpoch: number
  begin?: { origin: string; keys: string; agreed: number; checkpoint: string | null }
}

/**
 * Continues the log in the epoch of the store, under its origin or as a new epoch with a record. Returns false if another node did so
 * first.
 */
export async function settleLog(
  tx: Transaction,
  _context: Context,
  { after, storeEpoch, begin }: LogSettlement,
): Promise<boolean> {
  const epochs = await store.listEpochs(tx)
  if ((epochs.at(-1)?.number ?? -1) !== after || (await currentStoreEpoch(tx)) !== storeEpoch) return false
  if (begin !== undefined) {
    const { store_id: storeId } = await tx.load(HEAD)
    if (begin.agreed < (await store.readLog(tx)).size) await store.emptyLog(tx)
    await store.forgetCheckpointsAbove(tx, begin.agreed)
    const { origin, keys, agreed: size, checkpoint } = begin
    const number = epochs.length === 0 ? 0 : (await addToHead(tx, { record: 1 })).record
    await store.insertEpoch(tx, { number, origin, keys, storeId, size, checkpoint })
  }
  await store.saveStoreEpoch(tx, storeEpoch)
  return true
}
