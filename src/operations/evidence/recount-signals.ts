import type { Transaction, Write } from '../../database/database.ts'
import { SIGNALS_VERSION, signalsOf } from '../../domain/signals.ts'
import { readHead } from '../../store/head.ts'
import * as store from '../../store/signals.ts'

/** Number of revisions per transaction: few, to save memory and to let nodes write in between. */
const PAGE = 100
/** Interval in milliseconds at which a long recount reports its progress. */
const SAY_INTERVAL = 5_000

/**
 * Computes the signals of every revision of a store that was written by an older version, in transactions of bounded size: it can be
 * stopped at any time and goes on where it was. Returns the number of revisions that were looked at, 0 where all of it was done before.
 */
export async function recountSignals(
  write: Write,
  report: (line: string) => void = () => {},
  begin: 'where it ended' | 'anew' = 'where it ended',
): Promise<number> {
  if (begin === 'anew') await write(tx => store.saveSignalsProgress(tx, { version: SIGNALS_VERSION, revision: 0 }))
  let looked = 0
  let said = performance.now()
  for (;;) {
    const step = await write(recountPage)
    looked += step.looked
    if (step.revision === null) return looked
    if (performance.now() - said < SAY_INTERVAL) continue
    said = performance.now()
    report(`Computing signals: record ${step.revision} of ${step.record}`)
  }
}

async function recountPage(tx: Transaction): Promise<{ looked: number; revision: number | null; record: number }> {
  const { record } = await readHead(tx)
  const progress = await store.readSignalsProgress(tx)
  const isOfNow = progress.version === SIGNALS_VERSION
  if (isOfNow && progress.revision === null) return { looked: 0, revision: null, record }
  const page = await store.listSignalled(tx, isOfNow ? (progress.revision ?? 0) : 0, PAGE)
  for (const row of page) {
    const signals = signalsOf(row)
    if (signals !== row.signals) await store.updateSignals(tx, row.number, signals)
  }
  const revision = page.length < PAGE ? null : (page.at(-1)?.number ?? null)
  await store.saveSignalsProgress(tx, { version: SIGNALS_VERSION, revision })
  return { looked: page.length, revision, record }
}
