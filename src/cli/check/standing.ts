import type { Reader } from '../../database/database.ts'
import { standingOf } from '../../domain/evidence/standing.ts'
import { isoTime } from '../../domain/time.ts'
import { evidenceOn } from '../../operations/evidence/settle-standing.ts'
import { findWrongChange, readChanges } from '../../store/derived.ts'
import { findEntryByNumber } from '../../store/entry.ts'

const REMEDY = 'restore a backup'

/** Computes the standing of an entry from its records and returns the difference from the stored one. */
export async function damageOfStanding(store: Reader, number: number): Promise<string | undefined> {
  const entry = await findEntryByNumber(store, number)
  if (entry === undefined) return undefined
  const evidence = await evidenceOn(store, entry, entry)
  const computed = evidence === undefined ? null : JSON.stringify(standingOf(evidence))
  return computed === entry.standing
    ? undefined
    : `its standing is stored as ${entry.standing}, but its records result in ${computed}; ${REMEDY}`
}

/** Compares the stored changes of an entry with its revisions, and returns the difference. */
export async function damageOfChanges(store: Reader, number: number): Promise<string | undefined> {
  const wrong = await findWrongChange(store, number)
  if (wrong !== undefined) return `revision ${wrong.id} is stored wrongly as a change or as no change; ${REMEDY}`
  const row = await readChanges(store, number)
  if (row === undefined || (row.changes === row.found && row.updated_at === row.last)) return undefined
  return `it stores ${row.changes} changes up to ${isoTime(row.updated_at)}, but its revisions have ${row.found} up to ${isoTime(row.last)}; ${REMEDY}`
}
