import { setTimeout } from 'node:timers/promises'
import { createTickBatcher, readerOf } from '../../engine/batching.ts'
import { isUnavailable, type Reader } from '../../engine/database.ts'
import type { PostgresConnection, Query, Result } from '../../engine/postgres.ts'
import { getConnectionBefore, Heartbeat, Session } from './session.ts'

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

/** A position in the write-ahead log of the primary: its timeline, its LSN, and the LSN in bytes. */
type WalPosition = { timeline: string; lsn: string; position: number }

/** The position up to which the primary has everything on disk. */
const FLUSHED: Query = {
  text: `SELECT substr(pg_walfile_name(lsn), 1, 8) AS timeline, lsn::text AS lsn, pg_wal_lsn_diff(lsn, '0/0') AS position
    FROM pg_current_wal_flush_lsn() lsn`,
  values: [],
}
/**
 * Compares the timeline of the newest replayed commit first. A standby that received more than the new primary before a failover has
 * another history, with higher positions.
 */
const HAS_REACHED = `SELECT right(identity, 8) = $1 AND pg_last_wal_replay_lsn() >= $2::pg_lsn AS reached FROM cluster`
const REPLAYED: Query = {
  text: `SELECT right(identity, 8) AS timeline, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') AS position
    FROM cluster WHERE pg_is_in_recovery()`,
  values: [],
}
const LAG_PAUSE_MS = 3
/** Standbys whose lags differ by fewer bytes are equally close, because a known position is as old as the last beat. */
const LAG_STEP_BYTES = 1_048_576
/** The weight of the newest beat in the moving average of the latency. */
const NEWEST = 0.2

/** A server to read from if it replays the log of the primary. Its URL may also lead to a primary or to no server. */
export class Standby {
  readonly #heartbeat: Heartbeat
  readonly #sessions: readonly Session[]
  /** What the last beat reported; undefined if the server cannot be read. */
  #reached: Omit<WalPosition, 'lsn'> | undefined
  /** The position that a read waited for until its deadline. No reads are sent here until it is reached. */
  #missed = 0
  #latency = 0

  constructor(url: string) {
    this.#heartbeat = new Heartbeat(url, {
      beat: REPLAYED,
      onBeat: ({ rows }, milliseconds) => {
        this.#reached = rows[0] as Omit<WalPosition, 'lsn'> | undefined
        this.#latency += NEWEST * (milliseconds - this.#latency)
      },
      onLate: () => {
        this.#reached = undefined
      },
    })
    this.#sessions = openReaders(url, 'standby reader', this.#heartbeat)
  }

  /** False if the server is unreachable, has another history, or has not reached a position that a read waited for until its deadline. */
  isUsable({ timeline }: WalPosition): boolean {
    return this.#reached?.timeline === timeline && this.#reached.position >= this.#missed
  }

  /** Whether the last beat found a standby that replays the log of a primary. */
  replays(): boolean {
    return this.#reached !== undefined
  }

  /** Orders standbys by their lag behind `flushed`, then by latency. */
  compare(other: Standby, flushed: WalPosition): number {
    return this.#lag(flushed) - other.#lag(flushed) || this.#latency - other.#latency
  }

  /**
   * Resolves with the results once the server has replayed everything up to `flushed`; with undefined at `deadline` (of performance.now()).
   */
  async ask(
    flushed: WalPosition,
    queries: readonly Query[],
    deadline: number,
  ): Promise<(Result | Error)[] | undefined> {
    const question = { text: HAS_REACHED, values: [flushed.timeline, flushed.lsn] }
    try {
      const connection = await idlest(this.#sessions)
      do {
        // The reads are sent together with the question, so that a standby that has replayed enough needs one round trip.
        const [reached, ...results] = await connection.settle([question, ...queries])
        if (reached instanceof Error || results.some(isUnavailable)) return this.#leave()
        if (reached?.rows[0]?.reached as unknown as boolean) return results
        await setTimeout(LAG_PAUSE_MS)
      } while (performance.now() < deadline)
      this.#missed = flushed.position
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#leave()
    }
    return undefined
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map(session => session.close()))
    await this.#heartbeat.close()
  }

  #lag({ position }: WalPosition): number {
    return Math.floor(Math.max(0, position - (this.#reached?.position ?? 0)) / LAG_STEP_BYTES)
  }

  /** Excludes this standby from reads until its next beat. */
  #leave(): undefined {
    this.#reached = undefined
  }
}
