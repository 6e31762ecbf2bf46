import type { IncomingHttpHeaders } from 'node:http'
import { LIMITS, MIN_SEQUENCE } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Awaitable } from '../../database/database.ts'
import type { Store } from '../../operations/store.ts'
import { readSettled } from '../../store/change.ts'

type Waiter = { sequence: number; resolve(): void; reject(error: unknown): void }
type Bounds = { seconds: number; waiters: number }

const DIGITS = new RegExp(`^\\d{1,${LIMITS.cursorDigits}}$`)

/**
 * Delays reads with a Min-Sequence until the store has that sequence, so that a client reads its own writes at any node or mirror. The
 * sequence of the store is read for all waiting requests together.
 */
export class MinSequence {
  readonly #store: Pick<Store, 'reader' | 'onCommit'>
  readonly #bounds: Bounds
  readonly #waiters = new Set<Waiter>()
  /** The highest sequence that was read. Sequences of a store only rise. */
  #known = 0
  #isReading = false
  /** Whether there may be a newer sequence than the last one that was read. */
  #isDue = false
  #endListening = (): void => {}

  constructor(store: Pick<Store, 'reader' | 'onCommit'>, bounds: Bounds = MIN_SEQUENCE) {
    this.#store = store
    this.#bounds = bounds
  }

  /**
   * Resolves once the store has the sequence in the field. Throws INVALID_MIN_SEQUENCE. Throws NOT_READY after `MIN_SEQUENCE.seconds`, and
   * at once if `MIN_SEQUENCE.waiters` requests wait already.
   */
  reached({ 'min-sequence': field }: IncomingHttpHeaders): Awaitable<void> {
    if (field === undefined) return
    if (typeof field !== 'string' || !DIGITS.test(field)) throw new Problem('INVALID_MIN_SEQUENCE')
    return Number(field) > this.#known ? this.#wait(Number(field)) : undefined
  }

  async #wait(sequence: number): Promise<void> {
    if (this.#waiters.size >= this.#bounds.waiters) throw notReady()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { sequence, resolve, reject }
    const timer = setTimeout(() => reject(notReady()), this.#bounds.seconds * 1_000)
    if (this.#waiters.size === 0) this.#endListening = this.#store.onCommit(() => void this.#read())
    this.#waiters.add(waiter)
    void this.#read()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0) this.#endListening()
    }
  }

  /** Reads the sequence of the store, and again if there was a commit during the read. */
  async #read(): Promise<void> {
    this.#isDue = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isDue && this.#waiters.size > 0) {
        this.#isDue = false
        this.#known = Math.max(this.#known, await readSettled(this.#store.reader))
        for (const waiter of this.#waiters) if (waiter.sequence <= this.#known) waiter.resolve()
      }
    } catch (error) {
      for (const waiter of this.#waiters) waiter.reject(error)
    } finally {
      this.#isReading = false
    }
  }
}

const notReady = (): Problem =>
  new Problem('NOT_READY', { retryAfter: 1, reason: 'the store has not reached Min-Sequence' })
