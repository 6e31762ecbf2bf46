import { isUnavailable, type Reader } from '../database/database.ts'
import type { Query, Result } from '../database/postgres.ts'
import { createTickBatcher, readerOf } from '../database/tick-batcher.ts'
import { idlest } from './read-sessions.ts'
import { getConnectionBefore, type Session } from './session.ts'
import { FLUSHED, type Standby, type WalPosition } from './standby.ts'

/** How long a read waits for standbys before it goes to the primary, in milliseconds. */
const STANDBY_LAG_TIMEOUT_MS = 100

type ReaderOptions = {
  /** Sessions with the primary. */
  primary: readonly Session[]
  /** Servers to read from instead of the primary. If there are none, everything is read from the primary. */
  standbys: readonly Standby[]
}

/**
 * Reads committed data, with many statements in one round trip. Every read sees all writes that any node acknowledged before the read
 * began: a standby is used only once it has replayed everything that the primary had flushed to disk at that time. The closest standby is
 * asked first.
 */
export function createReader({ primary, standbys }: ReaderOptions): Reader {
  const ask = createTickBatcher(async queries => {
    const fromStandby = standbys.length === 0 ? undefined : await askStandbys(primary, standbys, queries)
    return fromStandby ?? askPrimary(primary, queries)
  })
  return readerOf(ask)
}

/** How long a read whose session was lost waits for another one, in milliseconds. */
const RECONNECT_TIMEOUT_MS = 500

/** Reads from the primary. If the session is lost, reads once more over another session, because a read has no side effects. */
async function askPrimary(sessions: readonly Session[], queries: readonly Query[]): Promise<(Result | Error)[]> {
  try {
    const connection = await idlest(sessions)
    const results = await connection.settle(queries)
    if (!connection.lost() || !results.some(isUnavailable)) return results
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
  const { silent } = sessions[0] as Session
  const again = await getConnectionBefore(
    { get: () => idlest(sessions), silent },
    performance.now() + RECONNECT_TIMEOUT_MS,
  )
  return again.settle(queries)
}

/** Reads from the closest standby that has replayed all acknowledged writes; undefined if none has done so in time. */
async function askStandbys(
  primary: readonly Session[],
  standbys: readonly Standby[],
  queries: readonly Query[],
): Promise<(Result | Error)[] | undefined> {
  const [found] = await askPrimary(primary, [FLUSHED])
  if (found === undefined || found instanceof Error) throw found ?? new Error('The primary gave no position.')
  const flushed = found.rows[0] as WalPosition
  const deadline = performance.now() + STANDBY_LAG_TIMEOUT_MS
  const usable = standbys.filter(standby => standby.isUsable(flushed))
  for (const standby of usable.sort((one, other) => one.compare(other, flushed))) {
    const results = await standby.ask(flushed, queries, deadline)
    if (results !== undefined) return results
  }
  return undefined
}
