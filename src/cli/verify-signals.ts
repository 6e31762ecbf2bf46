import type { Reader } from '../database/database.ts'
import { SIGNALS_VERSION, signalNames, signalsOf } from '../domain/signals/signals.ts'
import type { RevisionRow } from '../store/revision.ts'
import { readSignalsProgress } from '../store/signals.ts'

/** Returns a sentence if signals of a store of an older version are not computed yet. */
export async function damageOfSignalsProgress(store: Reader): Promise<string | undefined> {
  const { version, reached } = await readSignalsProgress(store)
  return version === SIGNALS_VERSION && reached === null
    ? undefined
    : 'The signals of revisions are not computed yet; run "palimpsest migrate", or start the server.'
}

/** Computes the signals of a revision from its text, and returns the difference from the stored ones. */
export function damageOfSignals(row: RevisionRow): string | undefined {
  const computed = signalsOf(row)
  if (computed === row.signals) return undefined
  const named = (bits: number): string => signalNames(bits).join(', ') || 'none'
  return `the signals of revision ${row.id} are stored as ${named(row.signals)}, but its text has ${named(computed)}; run "palimpsest migrate --recount" while the store is not served`
}
