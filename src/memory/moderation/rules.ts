import { Problem } from '../../contract/problem.ts'
import type { Flags } from '../../contract/resources.ts'
import type { ModerationAction, TargetType } from '../../contract/vocabulary.ts'

/** The flags of a target after an action. HIDE, QUARANTINE and RESTORE do not change `blocked`; BLOCK and UNBLOCK change nothing else. */
export function moderated(state: Flags, action: ModerationAction, targetType: TargetType): Flags {
  if (targetType === 'ORIGIN' && action === 'HIDE') throw new Problem('ACTION_NOT_APPLICABLE')
  switch (action) {
    case 'HIDE':
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

export const sameFlags = (a: Flags, b: Flags): boolean =>
  a.hidden === b.hidden && a.quarantined === b.quarantined && a.blocked === b.blocked
