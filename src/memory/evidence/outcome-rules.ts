import type { Action } from '../../contract/vocabulary.ts'

/** A contribution, whether its entry is withdrawn, and how other actors judged its revision; flags are 0 or 1. */
export type Outcome = {
  action: Action
  withdrawn: number
  confirmed: number
  contradicted: number
  corrected: number
}

export type Outcomes = {
  revisions: number
  verifications: number
  contradictions: number
  relations: number
  confirmed: number
  contradicted: number
  corrected: number
}

const REVISIONS: ReadonlySet<Action> = new Set(['CREATE', 'EXPAND', 'CORRECT', 'SYNTHESIZE'])

/** Counts public contributions by kind, and the revisions among them by their judgements by other actors. */
export function countOutcomes(contributions: readonly Outcome[]): Outcomes {
  const rows = contributions.filter(({ withdrawn }) => withdrawn === 0)
  const revisions = rows.filter(({ action }) => REVISIONS.has(action))
  const those = (flag: 'confirmed' | 'contradicted' | 'corrected'): number =>
    revisions.filter(row => row[flag] === 1).length
  const of = (action: Action): number => rows.filter(row => row.action === action).length
  return {
    revisions: revisions.length,
    verifications: of('VERIFY'),
    contradictions: of('CONTRADICT'),
    relations: of('CONNECT'),
    confirmed: those('confirmed'),
    contradicted: those('contradicted'),
    corrected: those('corrected'),
  }
}

/**
 * A contribution with its entry. `ordinal` is the place of its revision among the `revisions` of the entry. `later` is the time of the
 * latest revision, in milliseconds since 1970, if it is by another actor.
 */
export type ContributionOutcome = Outcome & { entry: number; ordinal: number; revisions: number; later: number | null }

/**
 * The outcome of an actor's revisions of one entry: its newest revision there, with the flags of all of them. `at` is the time of the
 * latest event.
 */
export type EntryOutcome<O extends ContributionOutcome> = O & { at: number }

/**
 * The entries that an actor wrote and that other actors judged or revised later, latest event first. `checkedAt` returns the time of the
 * latest judgement of an entry, or null.
 */
export function changedSince<O extends ContributionOutcome>(
  rows: readonly O[],
  checkedAt: (row: O) => number | null,
): EntryOutcome<O>[] {
  const written = rows.filter(({ action, withdrawn }) => REVISIONS.has(action) && withdrawn === 0)
  const any = (all: readonly O[], flag: 'confirmed' | 'contradicted' | 'corrected'): number =>
    Math.max(...all.map(row => row[flag]))
  return [...Map.groupBy(written, ({ entry }) => entry).values()]
    .map(all => {
      const newest = all[0] as O
      const flags = {
        confirmed: any(all, 'confirmed'),
        contradicted: any(all, 'contradicted'),
        corrected: any(all, 'corrected'),
      }
      return { ...newest, ...flags, at: Math.max(checkedAt(newest) ?? 0, newest.later ?? 0) }
    })
    .filter(({ at }) => at > 0)
    .sort((a, b) => b.at - a.at)
}
