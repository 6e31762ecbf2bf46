import { setTimeout } from 'node:timers/promises'
import { isUnavailable } from '../database/database.ts'
import type { Query, Result } from '../database/postgres.ts'
import { Heartbeat } from './heartbeat.ts'
import { idlest, openReaders } from './read-sessions.ts'
import type { Session } from './session.ts'

/** A position in the write-ahead log of the primary: its timeline, its LSN, and the same in bytes. */
export type WalPosition = { timeline: string; lsn: string; position: number }

/** The position up to which the primary has everything on disk. */
export const FLUSHED: Query = {
  text: `SELECT substr(pg_walfile_name(lsn), 1, 8) AS timeline, lsn::text AS lsn, pg_wal_lsn_diff(lsn, '0/0') AS position
    FROM pg_current_wal_flush_lsn() lsn`,
  values: [],
}
/**
 * The timeline is that of the newest commit which the standby has replayed. A standby that received more than the next primary before a
 * failover has another history with higher positions.
 */
const HAS_REACHED = `SELECT right(identity, 8) = $1 AND pg_last_wal_replay_lsn() >= $2::pg_lsn AS reached FROM cluster`
const REPLAYED: Query = {
  text: `SELECT right(identity, 8) AS timeline, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') AS position
    FROM cluster WHERE pg_is_in_recovery()`,
  values: [],
}
const LAG_PAUSE_MS = 3
/** Standbys whose lags differ by fewer bytes are equally close: positions are as old as the last beat. */
const LAG_STEP_BYTES = 1_048_576
/** The share of the newest beat in the average of their times. */
const NEWEST = 0.2

/** A server that replays what the primary wrote, if it does: its address may also lead to a primary, or to nothing. */
export class Standby {
  readonly #heartbeat: Heartbeat
  readonly #sessions: readonly Session[]
  /** What the last beat reported; undefined if the server cannot be read. */
  #reached: Omit<WalPosition, 'lsn'> | undefined
  /** The position that a read waited for in vain. Until it is reached, nothing is read here. */
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

  /** True unless the server is gone, has another history, or was too late for a read and has not caught up. */
  isUsable({ timeline }: WalPosition): boolean {
    return this.#reached?.timeline === timeline && this.#reached.position >= this.#missed
  }

  /** Compares by closeness to the primary: fewer bytes behind a position, then the faster answer. */
  compare(other: Standby, flushed: WalPosition): number {
    return this.#lag(flushed) - other.#lag(flushed) || this.#latency - other.#latency
  }

  /** The answers once the server has replayed everything up to a position; undefined if it has not at `deadline` (of performance.now()). */
  async ask(
    flushed: WalPosition,
    queries: readonly Query[],
    deadline: number,
  ): Promise<(Result | Error)[] | undefined> {
    const question = { text: HAS_REACHED, values: [flushed.timeline, flushed.lsn] }
    try {
      const connection = await idlest(this.#sessions)
      do {
        // The reads are sent along: if the standby has replayed enough there is no second round trip.
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

  /** Reads nothing here before the next beat. */
  #leave(): undefined {
    this.#reached = undefined
  }
}
