import type { Transaction } from '../database/database.ts'
import { HEAD, NEWEST_RECORD, takeRecord } from '../store/head.ts'
import * as store from '../store/log.ts'
import type { Context } from './operation.ts'

const DAY = 86_400_000
const SECRET_BYTES = 32

/** What is asked of the thread that computes the log. `pem` is its private key. */
export type LogQuestion =
  | { ask: 'look' }
  | { ask: 'step'; most: number }
  | { ask: 'agreed'; signed: string[] }
  | { ask: 'keys'; pem: string; origin: string }
  | { ask: 'sign'; pem: string; time: number }
  | { ask: 'keep'; note: string }
  | { ask: 'consistency'; older: number; size: number }

const currentHistory = async (tx: Transaction): Promise<number> =>
  store.historyOf((await tx.one<{ sequence: number }>(NEWEST_RECORD))?.sequence ?? 0)

/** Appends records to the log; false where it was brought further meanwhile, or the store has begun another history. */
export async function extendLog(tx: Transaction, _context: Context, step: store.LogStep): Promise<boolean> {
  if ((await currentHistory(tx)) !== step.history) return false
  return store.growLog(tx, step)
}

export type SignedCheckpoint = { epoch: number; size: number; note: string }

/**
 * Publishes a signed checkpoint of the log as it is stored; false where there is one of that size or a larger one. Of those before, the last of
 * each day stays.
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
  await store.insertCheckpoint(tx, { size, epoch, note, createdAt: context.now, kept: 0 })
  return true
}

/** Replaces a published checkpoint by the same one with more cosignatures, which stays when there is a newer one; false where it is gone. */
export const cosignCheckpoint = (
  tx: Transaction,
  _context: Context,
  { size, note }: { size: number; note: string },
): Promise<boolean> => store.cosignCheckpoint(tx, size, note)

/**
 * What is settled about the log before it goes on: that it is the one it was (`begin` is left out), or that another one begins, which agrees
 * with the one before up to a size. `after` is the last epoch as it was seen, -1 for none.
 */
export type LogSettlement = {
  after: number
  history: number
  begin?: { origin: string; keys: string; agreed: number; checkpoint: string | null }
}

/** Lets the log go on in the history of the store, under its origin or as a new epoch with a record of its own; false where another node did so. */
export async function settleLog(
  tx: Transaction,
  context: Context,
  { after, history, begin }: LogSettlement,
): Promise<boolean> {
  const epochs = await store.listEpochs(tx)
  if ((epochs.at(-1)?.number ?? -1) !== after || (await currentHistory(tx)) !== history) return false
  if (begin !== undefined) {
    const { store_id: storeId } = await tx.load(HEAD)
    if (begin.agreed < (await store.readLog(tx)).size) await store.emptyLog(tx)
    await store.forgetCheckpointsAbove(tx, begin.agreed)
    const { origin, keys, agreed: size, checkpoint } = begin
    const secret = Buffer.from(context.randomBytes(SECRET_BYTES)).toString('base64')
    const number = epochs.length === 0 ? 0 : await takeRecord(tx)
    await store.insertEpoch(tx, { number, origin, keys, storeId, secret, size, checkpoint })
  }
  await store.saveLogHistory(tx, history)
  return true
}
