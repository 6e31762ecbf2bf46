import type { Invocation } from '../command.ts'
import type { Session } from './session.ts'

/** What a command does in a session. */
export type Work = (session: Session) => Promise<void>

/** Runs a command against the service that its command line names. Both are loaded when it runs. */
export const through =
  (load: () => Promise<Work>) =>
  async (invocation: Invocation): Promise<number> => {
    const { inSession } = await import('./session.ts')
    return inSession(invocation, await load())
  }
