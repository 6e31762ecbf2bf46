import type { Reader, Transaction, Write } from '../../database/database.ts'
import { readHead } from '../../store/head.ts'
import type { Progress } from '../../store/recount.ts'

/** Interval in milliseconds at which a long recount reports its progress. */
const SAY_INTERVAL = 5_000

/** A value that is computed for all rows of a table, page by page. */
export type Derived = {
  /** The noun of its progress lines. */
  noun: string
  /** The version of the current rules. */
  version: number
  readProgress(reader: Reader): Promise<Progress>
  saveProgress(tx: Transaction, progress: Progress): Promise<void>
  /** Computes one page of rows after a number. Returns their number and the number of the last, or null if no row follows. */
  recountPage(tx: Transaction, after: number): Promise<{ looked: number; last: number | null }>
}

/** The function that runs a transaction, the receiver of progress lines, and whether to begin again. */
export type Recounting = [write: Write, report?: (line: string) => void, begin?: 'where it ended' | 'anew']

/**
 * Computes the values that a store of an older version lacks, in transactions of bounded size. After a stop, the next call continues where
 * the last one ended. Returns the number of rows that were looked at; 0 if all values were computed before.
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
