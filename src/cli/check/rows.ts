import type { Reader } from '../../database/database.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { signalNames, signalsOf } from '../../domain/signals/signals.ts'
import { tagsOf } from '../../store/entry.ts'
import type { RevisionRow } from '../../store/revision.ts'

/** An entry has the author and the time of its first revision. */
const ENTRIES = sql`
  SELECT e.number AS record FROM entry e JOIN revision r ON r.entry = e.number AND r.ordinal = 1
  WHERE e.revisions > 0 AND (e.actor <> r.actor OR e.created_at <> r.created_at) ORDER BY e.number LIMIT 1`

/** A relation has its two ends. */
const ENDS = sql`
  SELECT x.relation AS record FROM relation_end x JOIN relation l ON l.number = x.relation
  WHERE x.entry NOT IN (l.source_entry, l.target_entry) ORDER BY x.relation LIMIT 1`

/** The row of activity of a record has its author, time, entry and action. */
const ACTIVITY = [
  sql`
    SELECT r.number AS record FROM activity s JOIN revision r ON r.number = s.revision
    WHERE s.subject IS NULL AND s.hour IS NULL
      AND (s.actor <> r.actor OR s.created_at <> r.created_at OR s.entry <> r.entry OR s.action <> r.change_type) LIMIT 1`,
  sql`
    SELECT v.number AS record FROM activity s JOIN evidence v ON v.number = s.subject
    WHERE s.hour IS NULL
      AND (s.actor <> v.actor OR s.created_at <> v.created_at OR s.entry <> v.entry OR s.revision <> v.revision OR s.action <> v.kind) LIMIT 1`,
  sql`
    SELECT l.number AS record FROM activity s JOIN relation l ON l.number = s.subject
    WHERE s.hour IS NULL
      AND (s.actor <> l.actor OR s.created_at <> l.created_at OR s.entry <> l.source_entry OR s.target <> l.target_entry OR s.action <> 'CONNECT')
    LIMIT 1`,
]

const CHECKS: readonly [statement: Sql, sentence: (record: number) => string][] = [
  [ENTRIES, record => `Entry ${record} has another author or time than its first revision.`],
  [ENDS, record => `Relation ${record} has an end that is not its own.`],
  ...ACTIVITY.map((rows): [Sql, (record: number) => string] => [
    rows,
    record => `The activity of record ${record} has another author, time, entry or action than the record.`,
  ]),
]

/** Compares rows that repeat facts of a record with that record. Returns one sentence about the first difference. */
export async function damageOfRows(store: Reader): Promise<string | undefined> {
  for (const [statement, sentence] of CHECKS) {
    const wrong = await store.one<{ record: number }>(statement)
    if (wrong !== undefined) return sentence(wrong.record)
  }
  return undefined
}

/** Computes the signals of a revision from its text, and returns the difference from the stored ones. */
export function damageOfSignals(row: RevisionRow): string | undefined {
  const computed = signalsOf({ ...row, tags: tagsOf(row) })
  if (computed === row.signals) return undefined
  const named = (bits: number): string => signalNames(bits).join(', ') || 'none'
  return `the signals of revision ${row.id} are stored as ${named(row.signals)}, but its text has ${named(computed)}; restore a backup`
}
