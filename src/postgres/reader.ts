import { setTimeout } from 'node:timers/promises'
import { isUnavailable, type Reader } from '../database/database.ts'
import type { PostgresConnection, Query, Result } from '../database/postgres.ts'
import { createTickBatcher, readerOf } from '../database/tick-batcher.ts'
import { getPatiently, type Session } from './session.ts'

/** How long a read waits for a standby before it goes to the primary, in milliseconds. */
const LAG_PATIENCE = 100
const LAG_PAUSE = 3

const FENCE: Query = { text: 'SELECT pg_current_wal_flush_lsn()::text AS lsn', values: [] }
const HAS_REACHED = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached'

export type ReaderOptions = {
  /** Sessions with the primary. */
  primary: readonly Session[]
  /** Sessions with a standby; none: everything is read from the primary. */
  standby: readonly Session[]
}

/**
 * Reads committed data, many statements in one round trip. Every read sees all writes that any node answered before it began: a standby is
 * used only once it has replayed everything that the primary had on disk at that time.
 */
export function createReader({ primary, standby }: ReaderOptions): Reader {
  const ask = createTickBatcher(async queries => {
    const fromStandby = standby.length === 0 ? undefined : await askStandby(primary, standby, queries)
    return fromStandby ?? askPrimary(primary, queries)
  })
  return readerOf(ask)
}

/** How long a read whose session was lost waits for another one, in milliseconds. */
const RECONNECT_PATIENCE = 500

/** Reads from the primary; once more over another session where the first was lost, because reading changes nothing. */
async function askPrimary(sessions: readonly Session[], queries: readonly Query[]): Promise<(Result | Error)[]> {
  try {
    const connection = await idlest(sessions)
    const results = await connection.settle(queries)
    if (!connection.lost() || !results.some(isUnavailable)) return results
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
  const { silent } = sessions[0] as Session
  const again = await getPatiently({ get: () => idlest(sessions), silent }, performance.now() + RECONNECT_PATIENCE)
  return again.settle(queries)
}

/** Reads from a standby that has replayed all answered writes; undefined if none has in time. */
async function askStandby(
  primary: readonly Session[],
  standby: readonly Session[],
  queries: readonly Query[],
): Promise<(Result | Error)[] | undefined> {
  const [fence] = await askPrimary(primary, [FENCE])
  if (fence === undefined || fence instanceof Error) throw fence ?? new Error('The primary gave no position.')
  const lsn = String(fence.rows[0]?.lsn)
  const deadline = performance.now() + LAG_PATIENCE
  try {
    const connection = await idlest(standby)
    do {
      // The reads are sent along: if the standby has replayed enough there is no second round trip.
      const [reached, ...results] = await connection.settle([{ text: HAS_REACHED, values: [lsn] }, ...queries])
      if (reached instanceof Error || results.some(isUnavailable)) return undefined
      if (reached?.rows[0]?.reached as unknown as boolean) return results
      await setTimeout(LAG_PAUSE)
    } while (performance.now() < deadline)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
  return undefined
}

/** The open session with the least to do; opens one where none is. */
async function idlest(sessions: readonly Session[]): Promise<PostgresConnection> {
  let best: PostgresConnection | undefined
  for (const session of sessions) {
    const connection = session.current()
    // The others are opened on the way, for later.
    if (connection === undefined) session.get().catch(() => {})
    else if (best === undefined || connection.pending() < best.pending()) best = connection
  }
  return best ?? (await (sessions[0] as Session).get())
}
