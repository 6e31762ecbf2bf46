import type { Reader } from '../../database/database.ts'
import { wordingOf } from '../../domain/evidence/retained-text.ts'
import { COUNTED_JUDGEMENTS, type Judgement } from '../../domain/evidence/standing.ts'
import { isoTime } from '../../domain/time.ts'
import { judgementRecordsOf, judgementsOf, type TextNumbers } from '../../operations/evidence/judgement.ts'
import { assess, type TextComparisons } from '../../operations/evidence/settle-standing.ts'
import { findWrongChange, listJudgedRevisions, listJudges, readChanges } from '../../store/derived.ts'
import { findEntryByNumber } from '../../store/entry.ts'
import { findText, listJudgements } from '../../store/standing.ts'

const REMEDY = 'restore a backup'

/**
 * Computes the standing of an entry from its records and returns the difference from the stored one. Skips an entry that has more
 * judgements than are counted, because the counted ones depend on their order of arrival.
 */
export async function damageOfStanding(store: Reader, number: number): Promise<string | undefined> {
  const entry = await findEntryByNumber(store, number)
  if (entry === undefined || (entry.evidence === 0 && entry.relations === 0 && entry.standing === null))
    return undefined
  const { texts, comparisons } = await freshTexts(store, number)
  const judgements: Judgement[] = []
  for (const actor of await listJudges(store, number)) {
    judgements.push(...(await judgementsOf(store, number, await judgementRecordsOf(store, number, actor), texts)))
  }
  if (judgements.length > COUNTED_JUDGEMENTS) return undefined
  const kept = (await listJudgements(store, number)).length
  if (kept !== judgements.length)
    return `it stores ${kept} judgements, but its records have ${judgements.length}; ${REMEDY}`
  const { standing } = await assess(store, entry, judgements, comparisons)
  const computed = standing === null ? null : JSON.stringify(standing)
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

/** The judged texts of an entry without measurements, numbered in the order of their judgements. */
async function freshTexts(store: Reader, entry: number): Promise<{ texts: TextNumbers; comparisons: TextComparisons }> {
  const numbers = new Map<string, number>()
  const ordinals = new Map<number, number>()
  const texts: TextNumbers = {
    async numberOf(revision) {
      const { digest } = wordingOf(revision)
      const known = numbers.get(digest)
      if (known !== undefined) return known
      numbers.set(digest, revision.number)
      ordinals.set(revision.number, revision.ordinal)
      return revision.number
    },
  }
  for (const number of await listJudgedRevisions(store, entry)) {
    const judged = await findText(store, number)
    if (judged !== undefined) await texts.numberOf(judged)
  }
  const comparisons: TextComparisons = {
    numberOf: async digest => numbers.get(digest),
    async comparisonOf(text) {
      const walked = ordinals.get(text)
      return walked === undefined ? undefined : { text, kept: null, against: null, walked, steps: 0, addressed: null }
    },
  }
  return { texts, comparisons }
}
