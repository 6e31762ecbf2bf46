import type { Reader, Transaction, Write } from '../../database/database.ts'
import { readHead } from '../../store/head.ts'
import type { Progress } from '../../store/recount.ts'

/** Interval in milliseconds at which a long recount reports its progress. */
const SAY_INTERVAL = 5_000

/** What is computed for all rows of a table, page by page. */
export type Derived = {
  /** The noun of its progress lines. */
  noun: string
  /** The version of the current rules. */
  version: number
  readProgress(reader: Reader): Promise<Progress>
  saveProgress(tx: Transaction, progress: Progress): Promise<void>
  /** Computes the rows after a number, as many as one transaction takes. Returns how many, and the number of the last: null if no row follows. */
  recountPage(tx: Transaction, after: number): Promise<{ looked: number; last: number | null }>
}

/** How to write, where progress lines go, and whether to begin again. */
export type Recounting = [write: Write, report?: (line: string) => void, begin?: 'where it ended' | 'anew']

/**
 * Computes what a store that was written by an older version lacks, in transactions of bounded size: it can be stopped at any time and goes on
 * where it was. Returns the number of rows that were looked at, 0 where all of it was done before.
 */
export async function recount(
  derived: Derived,
  ...[write, report = () => {}, begin = 'where it ended']: Recounting
): Promise<number> {
  if (begin === 'anew') await write(tx => derived.saveProgress(tx, { version: derived.version, reached: 0 }))
  let looked = 0
  let said = performance.now()
  for (;;) {
    const step = await write(tx => recountNext(derived, tx))
    looked += step.looked
    if (step.reached === null) return looked
    if (performance.now() - said < SAY_INTERVAL) continue
    said = performance.now()
    report(`Computing ${derived.noun}: record ${step.reached} of ${step.record}`)
  }
}

async function recountNext(derived: Derived, tx: Transaction) {
  const { version } = derived
  const { record } = await readHead(tx)
  const progress = await derived.readProgress(tx)
  const isCurrent = progress.version === version
  if (isCurrent && progress.reached === null) return { looked: 0, reached: null, record }
  const { looked, last } = await derived.recountPage(tx, isCurrent ? (progress.reached ?? 0) : 0)
  await derived.saveProgress(tx, { version, reached: last })
  return { looked, reached: last, record }
}
