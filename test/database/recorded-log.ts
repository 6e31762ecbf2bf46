import type { Transaction } from '../../src/engine/database.ts'
import { ERASED_REVISIONS } from '../../src/memory/entries/rows.ts'
import { readHead, storeEpochOf } from '../../src/memory/head-rows.ts'
import { isAnswerErased } from '../../src/memory/idempotency/rows.ts'
import { listLedger } from '../../src/memory/moderation/erase-rows.ts'
import type { Context } from '../../src/memory/operation.ts'
import { MAINTENANCE } from '../../src/memory/run.ts'
import { agreedSize, nextStep } from '../../src/tlog/extend.ts'
import { cosignCheckpoint, findTile, listCheckpoints, readLog } from '../../src/tlog/rows.ts'

const DAY = 86_400_000

const BEGIN = { origin: 'example/log/1', keys: '', agreed: 0, checkpoint: null }
const currentHistory = async (tx: Transaction): Promise<number> => storeEpochOf((await readHead(tx)).sequence)

const NOTE = `example/log/1\n1\n${'A'.repeat(43)}=\n\n— example/log/1 AAAAAAAA\n`

/** Begins the public log of a store, appends its records, and publishes checkpoints of several days. */
export async function recordLog(tx: Transaction, context: () => Context): Promise<void> {
  await MAINTENANCE.settleLog(tx, context(), { after: -1, storeEpoch: await currentHistory(tx), begin: BEGIN })
  let size = 0
  for (const days of [0, 0, 1]) {
    const step = await nextStep(tx, 2)
    if (step === undefined) break
    const tiles = [{ level: 1, number: 0, hashes: '' }]
    await MAINTENANCE.extendLog(tx, context(), { ...step, tiles })
    size = (await readLog(tx)).size
    await MAINTENANCE.publishCheckpoint(tx, { ...context(), now: days * DAY }, { epoch: 0, size, note: NOTE })
  }
  await findTile(tx, 1, 0)
}

/** Erases an entry and each kind of record, by acts and by a ledger. */
export async function recordErasures(
  tx: Transaction,
  context: () => Context,
  write: (name: 'moderate', body: object) => Promise<unknown>,
  entry: string,
): Promise<void> {
  const erase = (targetType: string, targetId: string) =>
    write('moderate', { targetType, targetId, action: 'ERASE', reason: 'A reason' })
  await erase('RECORD', '1')
  await erase('ENTRY', entry)
  await MAINTENANCE.applyErasures(tx, context(), [{ record: 2, requestId: 'request' }])
  await listLedger(tx)
  await tx.one(ERASED_REVISIONS)
  const ids = { id: 'id', revisionId: 'id' }
  const related = { ...ids, relationType: 'CONNECT', sourceEntryId: 'id' }
  const moderated = { id: 'id', targetId: 'id', action: 'HIDE' }
  for (const body of [{ currentRevisionId: 'id' }, ids, related, moderated, { id: 'id', details: null }])
    await isAnswerErased(tx, body)
}

/** Compares the log with the records, and begins another one. */
export async function recordLogEnd(tx: Transaction, context: () => Context): Promise<void> {
  await cosignCheckpoint(tx, (await readLog(tx)).size, NOTE)
  await agreedSize(tx, [])
  await listCheckpoints(tx)
  const begin = { ...BEGIN, origin: 'example/log/2' }
  await MAINTENANCE.settleLog(tx, context(), { after: 0, storeEpoch: await currentHistory(tx), begin })
}
