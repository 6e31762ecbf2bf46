import type { IncomingHttpHeaders } from 'node:http'
import { LIMITS, MIN_SEQUENCE } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Awaitable, Reader } from '../../database/database.ts'
import type { Store } from '../../operations/store.ts'
import { readSettled } from '../../store/change.ts'

type Waiter = { sequence: number; resolve(): void; reject(error: unknown): void }
type Bounds = { seconds: number; waiters: number }

const DIGITS = new RegExp(`^\\d{1,${LIMITS.cursorDigits}}$`)

/** The reads that name the least sequence of the store that may answer them, so that a client reads what it wrote at any node or mirror. */
export type MinSequence = {
  /**
   * Resolves once the store has that sequence. Throws INVALID_MIN_SEQUENCE; throws NOT_READY after `MIN_SEQUENCE.seconds`, and at once if
   * `MIN_SEQUENCE.waiters` requests wait already.
   */
  reached(headers: IncomingHttpHeaders): Awaitable<void>
}

export function createMinSequence(
  store: Pick<Store, 'reader' | 'onCommit'>,
  bounds: Bounds = MIN_SEQUENCE,
): MinSequence {
  const waiters = new Set<Waiter>()
  const { look, known } = createLook(store.reader, waiters)
  let endListening = (): void => {}

  const wait = async (sequence: number): Promise<void> => {
    if (waiters.size >= bounds.waiters) throw notReady()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { sequence, resolve, reject }
    const timer = setTimeout(() => reject(notReady()), bounds.seconds * 1_000)
    if (waiters.size === 0) endListening = store.onCommit(() => void look())
    waiters.add(waiter)
    void look()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      waiters.delete(waiter)
      if (waiters.size === 0) endListening()
    }
  }

  return {
    reached({ 'min-sequence': field }) {
      if (field === undefined) return
      if (typeof field !== 'string' || !DIGITS.test(field)) throw new Problem('INVALID_MIN_SEQUENCE')
      return Number(field) > known() ? wait(Number(field)) : undefined
    },
  }
}

/** Reads the sequence of the store for all waiters together, and again if there was a commit in the meantime. */
function createLook(reader: Reader, waiters: ReadonlySet<Waiter>) {
  /** The highest sequence that was read. Sequences of a store only rise. */
  let known = 0
  let looking = false
  let due = false
  const look = async (): Promise<void> => {
    due = true
    if (looking) return
    looking = true
    try {
      while (due && waiters.size > 0) {
        due = false
        known = Math.max(known, await readSettled(reader))
        for (const waiter of waiters) if (waiter.sequence <= known) waiter.resolve()
      }
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error)
    } finally {
      looking = false
    }
  }
  return { look, known: () => known }
}

const notReady = (): Problem => new Problem('NOT_READY', { retryAfter: 1 })
