import type { PostgresConnection } from '../database/postgres.ts'
import type { Heartbeat } from './heartbeat.ts'
import { Session } from './session.ts'

const SESSIONS = 4
/** Milliseconds that a statement of a read may take, and that a session may be idle in a transaction. */
const READ_TIMEOUT_MS = 5_000
const IDLE_TIMEOUT_MS = 2_000

/** The sessions that read from a server. */
export function openReaders(url: string, name: string, heartbeat: Heartbeat): Session[] {
  const limits = { statementTimeout: READ_TIMEOUT_MS, idleTimeout: IDLE_TIMEOUT_MS }
  return Array.from({ length: SESSIONS }, () => new Session({ url, name, ...limits }, undefined, heartbeat))
}

/** The open session with the fewest pending statements. Opens one if none is open. */
export async function idlest(sessions: readonly Session[]): Promise<PostgresConnection> {
  let best: PostgresConnection | undefined
  for (const session of sessions) {
    const connection = session.current()
    // Opens the other sessions in the background, for later reads.
    if (connection === undefined) session.get().catch(() => {})
    else if (best === undefined || connection.pending() < best.pending()) best = connection
  }
  return best ?? (await (sessions[0] as Session).get())
}
