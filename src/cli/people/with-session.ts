import type { Invocation } from '../command.ts'
import type { Session } from './session.ts'

/** The function of a command in a session. */
export type Work = (session: Session) => Promise<void>

/** Runs a command with the service of its command line. Session and command are loaded when it runs. */
export const withSession =
  (load: () => Promise<Work>) =>
  async (invocation: Invocation): Promise<number> => {
    const { inSession } = await import('./session.ts')
    return inSession(invocation, await load())
  }
