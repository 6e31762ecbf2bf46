import type { Awaitable, Transaction } from './database.ts'
import { type Outcome, SpoiledGroup } from './work-transaction.ts'

/** The maximum number of works that share one commit: bounds how long the first of them waits. */
export const GROUP_MAX = 256

/** A work of a store. No time that it writes may be before `floor`, in milliseconds since 1970. */
export type Work<T = unknown> = (tx: Transaction, floor: number) => Awaitable<T>

/** A work that is not answered yet. */
export type Pending<W = Work> = {
  work: W
  /** When it was requested, in milliseconds since 1970. */
  at: number
  /** Runs in a group of its own. */
  alone: boolean
  /** When it arrived, by performance.now(). */
  since: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The transactions of an engine, one at a time. */
export type GroupSession<W = Work> = {
  /**
   * Runs the works of a group in one transaction. Resolves with the outcome of each once all are durable. Before the first work runs, it
   * may call `join` to add the works that have arrived. It may reject a work that stored nothing and remove it from the group. Rejects with
   * SpoiledGroup if one of the works made it store nothing, else with the error of every work.
   */
  commit(group: Pending<W>[], join: () => void): Promise<readonly Outcome[]>
}

/**
 * Group commit: works that arrive while a group runs form the next group. Each is answered, in order, after the commit of its group. A work
 * that spoils its group makes it run again in halves, until that work fails alone: a work may run several times, but is answered once. No
 * request can spoil a group, because operations check before they write.
 */
export class GroupCommit<W = Work> {
  readonly #session: GroupSession<W>
  readonly #groupMax: number
  readonly #waiting: Pending<W>[] = []
  #underWay: readonly Pending<W>[] = []
  #running: Promise<void> | undefined

  constructor(session: GroupSession<W>, groupMax = GROUP_MAX) {
    this.#session = session
    this.#groupMax = groupMax
  }

  /** Resolves with the result of a work once that is durable. */
  write<T>(work: W & ((...parameters: never[]) => Awaitable<T>), { at = 0, alone = false } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const since = performance.now()
      this.#waiting.push({ work, at, alone, since, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Rejects every work that is in no group yet. */
  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** How many works are in no group yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** How many works are not answered yet. */
  get pending(): number {
    return this.#underWay.length + this.#waiting.length
  }

  /** Milliseconds that the oldest unanswered work has waited; 0 if there is none. */
  waited(): number {
    const oldest = this.#underWay[0] ?? this.#waiting[0]
    return oldest === undefined ? 0 : performance.now() - oldest.since
  }

  /** Resolves when all works are answered. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    // One turn of the event loop lets everything that has already arrived join the group, and lets answers go out before the next one.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const group: Pending<W>[] = []
      this.#fill(group)
      this.#underWay = group
      await this.#settle(group, () => this.#fill(group))
      this.#underWay = []
      await new Promise(setImmediate)
    }
    this.#running = undefined
  }

  /** Moves waiting works into a group: as many as may share its commit, up to the first that runs alone. */
  #fill(group: Pending<W>[]): void {
    if (group[0]?.alone) return
    const room = this.#groupMax - group.length
    const alone = this.#waiting.findIndex(one => one.alone)
    const together = alone === -1 ? room : Math.min(room, alone)
    group.push(...this.#waiting.splice(0, group.length === 0 ? Math.max(1, together) : together))
  }

  async #settle(group: Pending<W>[], join = () => {}): Promise<void> {
    try {
      const outcomes = await this.#session.commit(group, join)
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index] as Outcome
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.result)
      }
    } catch (error) {
      if (error instanceof SpoiledGroup && group.length > 1) {
        const middle = Math.ceil(group.length / 2)
        await this.#settle(group.slice(0, middle))
        await this.#settle(group.slice(middle))
        return
      }
      for (const { reject } of group) reject(error instanceof SpoiledGroup ? error.cause : error)
    }
  }
}
