import type { Action } from '../contract/words.ts'

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
