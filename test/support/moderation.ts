import type { Activity, Flags, ModerationResult } from '../../src/contract/resources.ts'
import type { ModerationAction, TargetType } from '../../src/contract/vocabulary.ts'
import { ADMIN_TOKEN, type TestApp } from './app.ts'
import { type Answer, call, expectProblem, expectStatus } from './client.ts'

export const AS_ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` }
export const NO_FLAGS: Flags = { hidden: false, quarantined: false, blocked: false }

type Moderated = { id: string; originId: string | null; moderation: Flags; status: string }
export type Snapshot = {
  entries: Moderated[]
  actors: (Moderated & { anonymous: boolean; observations: number; declared: { name: string | null } })[]
  activity: (Activity & { originId: string | null })[]
  audit: ModerationResult[]
  blockedOrigins: { originId: string; day: string; moderation: Flags; alive: boolean }[]
  truncated: Record<string, number>
  dataClass: string
}

/** An entry as administrators see it. */
export type Dossier = {
  entry: Moderated
  revisions: { id: string; originId: string | null }[]
  interactions: { kind: string; id: string; withdrawn?: boolean; originId: string | null }[]
}

export const tryModerate = (
  base: string,
  targetType: TargetType,
  targetId: string,
  action: ModerationAction,
): Promise<Answer> =>
  call(base, 'POST', '/api/admin/moderate', {
    headers: AS_ADMIN,
    body: { targetType, targetId, action, reason: `Tested: ${action}.` },
  })

/** Applies moderation actions in order and returns the result of the last one. */
export async function moderate(
  base: string,
  targetType: TargetType,
  targetId: string,
  ...actions: ModerationAction[]
): Promise<ModerationResult> {
  let result: ModerationResult | undefined
  for (const action of actions) {
    const answer = (await tryModerate(base, targetType, targetId, action)) as unknown as Answer<ModerationResult>
    result = expectStatus(answer, 200)
  }
  if (result === undefined) throw new Error('Name an action.')
  return result
}

export const snapshot = async (base: string): Promise<Snapshot> =>
  expectStatus(await call<Snapshot>(base, 'GET', '/api/admin/snapshot', { headers: AS_ADMIN }), 200)

export const adminEvidence = async (base: string, id: string): Promise<Dossier> =>
  expectStatus(await call<Dossier>(base, 'GET', `/api/admin/entries/${id}`, { headers: AS_ADMIN }), 200)

/** Every combination of the flags of a target type. */
export const allFlags = (hidable: boolean): Flags[] =>
  (hidable ? [false, true] : [false]).flatMap(hidden =>
    [false, true].flatMap(quarantined => [false, true].map(blocked => ({ hidden, quarantined, blocked }))),
  )

/** The actions that bring a target from any state into a given state. */
export const actionsTo = ({ hidden, quarantined, blocked }: Flags): ModerationAction[] => [
  'RESTORE',
  blocked ? 'BLOCK' : 'UNBLOCK',
  ...(hidden ? (['HIDE'] as const) : []),
  ...(quarantined ? (['QUARANTINE'] as const) : []),
]

/** The effect of each action according to the decision records, independent of the code. */
const EFFECTS: Record<ModerationAction, Partial<Flags>> = {
  HIDE: { hidden: true },
  QUARANTINE: { quarantined: true },
  RESTORE: { hidden: false, quarantined: false },
  BLOCK: { blocked: true },
  UNBLOCK: { blocked: false },
  ERASE: { hidden: true },
}
export const expectedState = (state: Flags, action: ModerationAction): Flags => ({ ...state, ...EFFECTS[action] })

/** Asserts that an entry exists and is withdrawn from the public. */
export async function assertWithdrawn(base: string, address: string): Promise<void> {
  expectProblem(await call(base, 'GET', `/api/entries/${address}`), 410, 'ENTRY_WITHDRAWN')
}

const DAY = 86_400_000

/** Advances the clock of a new app to the next noon, so that a test that needs one day does not cross midnight. */
export const toNoon = (app: TestApp): void => app.advance(DAY - ((Date.now() + DAY / 2) % DAY))
