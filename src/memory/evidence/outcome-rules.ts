import type { Action } from '../../contract/vocabulary.ts'

/** Whether other actors confirmed, contradicted or corrected a revision; 0 or 1. */
type Flags = { confirmed: number; contradicted: number; corrected: number }

/** A contribution, whether its entry is withdrawn, and how other actors judged its revision. */
export type Outcome = Flags & { action: Action; withdrawn: number }

/**
 * A contribution with its entry. `ordinal` is the place of its revision among the `revisions` of the entry. `later` is the time of the
 * latest revision, in milliseconds since 1970, if it is by another actor.
 */
export type ContributionOutcome = Outcome & { entry: number; ordinal: number; revisions: number; later: number | null }

const KINDS: ReadonlySet<Action> = new Set(['CREATE', 'EXPAND', 'CORRECT', 'SYNTHESIZE'])
const isRevision = ({ action, withdrawn }: Outcome): boolean => withdrawn === 0 && KINDS.has(action)

/** Counts public contributions by kind, and the revisions among them by their judgements by other actors. */
export function countOutcomes(contributions: readonly Outcome[]) {
  const revisions = contributions.filter(isRevision)
  const those = (flag: keyof Flags): number => revisions.filter(row => row[flag] === 1).length
  const of = (action: Action): number =>
    contributions.filter(row => row.withdrawn === 0 && row.action === action).length
  return {
    ...{ revisions: revisions.length, verifications: of('VERIFY'), contradictions: of('CONTRADICT') },
    ...{ relations: of('CONNECT'), confirmed: those('confirmed') },
    ...{ contradicted: those('contradicted'), corrected: those('corrected') },
  }
}

/**
 * The entries that an actor wrote and that other actors judged or revised later, latest event first: of each the newest revision by the actor,
 * the flags of all of them, and the time `at` of the latest event. `checkedAt` returns the time of the latest judgement of an entry, or null.
 */
export function changedSince<O extends ContributionOutcome>(rows: readonly O[], checkedAt: (row: O) => number | null) {
  return [...Map.groupBy(rows.filter(isRevision), ({ entry }) => entry).values()]
    .map(all => {
      const newest = all[0] as O
      const any = (flag: keyof Flags): number => Math.max(...all.map(row => row[flag]))
      const flags = { confirmed: any('confirmed'), contradicted: any('contradicted'), corrected: any('corrected') }
      return { ...newest, ...flags, at: Math.max(checkedAt(newest) ?? 0, newest.later ?? 0) }
    })
    .filter(({ at }) => at > 0)
    .sort((a, b) => b.at - a.at)
}
