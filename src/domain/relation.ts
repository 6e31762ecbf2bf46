import { Problem } from '../contract/problem.ts'

/** A relation has two ends. */
export function assertTwoEnds(sourceEntryId: string, targetEntryId: string): void {
  if (sourceEntryId.toLowerCase() === targetEntryId.toLowerCase()) throw new Problem('SELF_RELATION')
}
