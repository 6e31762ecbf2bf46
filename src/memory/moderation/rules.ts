import { Problem } from '../../contract/problem.ts'
import type { Flags } from '../../contract/resources.ts'
import type { ModerationAction, TargetType } from '../../contract/vocabulary.ts'

/** The flags of a target by the columns of its row. An origin is never hidden. */
export const flagsOf = (row: { hidden?: number; quarantined: number; blocked: number }): Flags => ({
  hidden: row.hidden === 1,
  quarantined: row.quarantined === 1,
  blocked: row.blocked === 1,
})

/** Whether a type of target takes an action: records are only erased, and only entries and records are. */
const isApplicable = (action: ModerationAction, targetType: TargetType): boolean =>
  action === 'ERASE'
    ? targetType === 'ENTRY' || targetType === 'RECORD'
    : targetType !== 'RECORD' && (targetType !== 'ORIGIN' || action !== 'HIDE')

/** The flags of a target after an action. HIDE, QUARANTINE and RESTORE do not change `blocked`; BLOCK and UNBLOCK change nothing else. */
export function moderated(state: Flags, action: ModerationAction, targetType: TargetType): Flags {
  if (!isApplicable(action, targetType)) throw new Problem('ACTION_NOT_APPLICABLE')
  switch (action) {
    case 'HIDE':
    case 'ERASE':
      return { ...state, hidden: true }
    case 'QUARANTINE':
      return { ...state, quarantined: true }
    case 'RESTORE':
      return { ...state, hidden: false, quarantined: false }
    case 'BLOCK':
      return { ...state, blocked: true }
    case 'UNBLOCK':
      return { ...state, blocked: false }
  }
}

/** The action that undoes another one; undefined if nothing does. */
export const undoOf = (action: ModerationAction): ModerationAction | undefined =>
  action === 'BLOCK' ? 'UNBLOCK' : action === 'HIDE' || action === 'QUARANTINE' ? 'RESTORE' : undefined

/** Whether an action restricts its target, so that its authors may appeal. */
export const isRestriction = (action: ModerationAction): boolean => action !== 'RESTORE' && action !== 'UNBLOCK'

export const sameFlags = (a: Flags, b: Flags): boolean =>
  a.hidden === b.hidden && a.quarantined === b.quarantined && a.blocked === b.blocked
