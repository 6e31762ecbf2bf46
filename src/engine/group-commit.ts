import { type Awaitable, type Loadable, type Reader, StoreFault, type Transaction } from './database.ts'

/** The maximum number of units of work that share one commit. It bounds how long the first of them waits. */
export const GROUP_MAX = 256

/** A unit of work of a store. No time that it writes may be before `floor`, in milliseconds since 1970. */
export type Work<T = unknown> = (tx: Transaction, floor: number) => Awaitable<T>

/**
 * A stored time that is more than this many milliseconds ahead of the clock is wrong: the clock was set back, or another node has a wrong
 * clock.
 */
const AHEAD_MAX = 60_000

/** The time of a write in milliseconds: `clock`, or `latest` (the latest assigned time) if that is at most AHEAD_MAX later. */
export const notBefore = (latest: number, clock: number): number =>
  latest - clock > AHEAD_MAX ? clock : Math.max(clock, latest)

/** The outcome of a work that did not spoil its group: its result, or the error that refused it. */
export type Outcome = { result: unknown } | { error: unknown }

/** A work failed, and nothing of its group may be committed. `cause` is the error of the work. */
export class SpoiledGroup extends Error {}

/** A unit of work that is not answered yet. */
export type Pending<W = Work> = {
  work: W
  /** When the unit was requested, in milliseconds since 1970. */
  at: number
  /** Whether the unit must run in a group of its own. */
  alone: boolean
  /** When the unit arrived, by performance.now(). */
  since: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The transactions of an engine, one at a time. */
export type GroupSession<W = Work> = {
  /**
   * Runs the units of work of a group in one transaction. Resolves with the outcome of each unit when all are durable. Before the first
   * unit runs, the session may call `join` to add the units that have arrived. The session may reject a unit that stored nothing and remove
   * it from the group. If one unit caused the rollback of the whole group, the promise rejects with SpoiledGroup. If the store failed, it
   * rejects with one error, which applies to all units of the group.
   */
  commit(group: Pending<W>[], join: () => void): Promise<readonly Outcome[]>
}

/**
 * Group commit. Units of work that arrive while a group runs form the next group. After the commit of a group, its units are answered in
 * order. If one unit causes the rollback of its group, the group is split into halves and each half runs again. This is repeated until
 * that unit fails alone. A unit may therefore run several times, but it is answered once. Operations check before they write, so a request
 * cannot cause such a rollback.
 */
export class GroupCommit<W = Work> {
  readonly #session: GroupSession<W>
  readonly #groupMax: number
  readonly #waiting: Pending<W>[] = []
  #currentGroup: readonly Pending<W>[] = []
  #running: Promise<void> | undefined

  constructor(session: GroupSession<W>, groupMax = GROUP_MAX) {
    this.#session = session
    this.#groupMax = groupMax
  }

  /** Resolves with the result of a unit of work when it is durable. */
  write<T>(work: W & ((...parameters: never[]) => Awaitable<T>), { at = 0, alone = false } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const since = performance.now()
    this.#waiting.push({ work, at, alone, since, resolve: resolve as (value: unknown) => void, reject })
    this.#running ??= this.#drain()
    return promise
  }

  /** Rejects every unit of work that is in no group yet. */
  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** The number of units of work that are in no group yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** The number of units of work that are not answered yet. */
  get pending(): number {
    return this.#currentGroup.length + this.#waiting.length
  }

  /** Milliseconds that the oldest unanswered unit of work has waited; 0 if there is none. */
  waited(): number {
    const oldest = this.#currentGroup[0] ?? this.#waiting[0]
    return oldest === undefined ? 0 : performance.now() - oldest.since
  }

  /** Resolves when all units of work are answered. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    // In one turn of the event loop, units that have already arrived join the group, and answers are sent before the next group runs.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const group: Pending<W>[] = []
      this.#fill(group)
      this.#currentGroup = group
      await this.#settle(group, () => this.#fill(group))
      this.#currentGroup = []
      await new Promise(setImmediate)
    }
    this.#running = undefined
  }

  /**
   * Moves waiting units of work into the group, until the group is full or the next unit must run alone. A unit that must run alone joins
   * only an empty group.
   */
  #fill(group: Pending<W>[]): void {
    if (group[0]?.alone) return
    const room = Math.min(this.#groupMax - group.length, this.#waiting.length)
    let count = 0
    while (count < room && !this.#waiting[count]?.alone) count++
    group.push(...this.#waiting.splice(0, group.length === 0 ? Math.max(1, count) : count))
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

const READS = /^\s*(?:SELECT|WITH)\b/

/** The open transaction of an engine, in which the works of a group run. Without `lock` no two works run at the same time. */
type GroupTransaction = Reader & Pick<Transaction, 'run'> & Partial<Pick<Transaction, 'lock'>>

/** The values that the works of a group have loaded. The engine saves each once, before the commit. */
export type Loaded = Map<Loadable<unknown>, Promise<unknown>>

const hasEndedError = (): Error => new Error('The work of this transaction has ended; await everything that it does.')

/**
 * Runs one work of a group. If the work throws before it wrote, and `isRefusal` accepts the error, the error is its outcome. Throws
 * StoreFault if the engine failed, and SpoiledGroup with any other error. After the end of the work every call of its transaction throws: a
 * statement that the work did not await cannot run in a later transaction.
 */
export async function runWork(
  group: GroupTransaction,
  loaded: Loaded,
  work: Work,
  floor: number,
  isRefusal: (error: unknown) => boolean,
): Promise<Outcome> {
  let hasEnded = false
  let hasWritten = false
  const tx: Transaction = {
    one(statement) {
      if (hasEnded) throw hasEndedError()
      hasWritten ||= !READS.test(statement.text)
      return group.one(statement)
    },
    all(statement) {
      if (hasEnded) throw hasEndedError()
      hasWritten ||= !READS.test(statement.text)
      return group.all(statement)
    },
    run(statement) {
      if (hasEnded) throw hasEndedError()
      hasWritten = true
      return group.run(statement)
    },
    async load<T>(loadable: Loadable<T>) {
      if (hasEnded) throw hasEndedError()
      const loading = loaded.get(loadable as Loadable<unknown>) ?? Promise.resolve(loadable.load(group))
      loaded.set(loadable as Loadable<unknown>, loading)
      const value = await loading
      hasWritten = true
      if (hasEnded) throw hasEndedError()
      return value as T
    },
    lock(key) {
      if (hasEnded) throw hasEndedError()
      return group.lock?.(key) ?? false
    },
  }
  try {
    return { result: await work(tx, floor) }
  } catch (error) {
    if (error instanceof StoreFault) throw error
    if (!hasWritten && isRefusal(error)) return { error }
    throw new SpoiledGroup('A work failed after it had written, or by an error of the engine.', { cause: error })
  } finally {
    hasEnded = true
  }
}
