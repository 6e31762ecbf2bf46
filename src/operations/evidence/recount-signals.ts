import { SIGNALS_VERSION, signalsOf } from '../../domain/signals/signals.ts'
import { listSignalled, readSignalsProgress, saveSignalsProgress, updateSignals } from '../../store/signals.ts'
import { type Derived, type Recounting, recount } from './recount.ts'

/** Number of revisions per transaction: few, to save memory and to let nodes write in between. */
const PAGE = 100

const SIGNALS: Derived = {
  noun: 'signals',
  version: SIGNALS_VERSION,
  readProgress: readSignalsProgress,
  saveProgress: saveSignalsProgress,
  async recountPage(tx, after) {
    const page = await listSignalled(tx, after, PAGE)
    for (const row of page) {
      const signals = signalsOf(row)
      if (signals !== row.signals) await updateSignals(tx, row.number, signals)
    }
    return { looked: page.length, last: page.length < PAGE ? null : (page.at(-1)?.number ?? null) }
  },
}

/** Computes the signals of every revision, as `recount` does. Returns the number of revisions that were looked at. */
export const recountSignals = (...[write, report, begin]: Recounting): Promise<number> =>
  recount(SIGNALS, write, report, begin)
