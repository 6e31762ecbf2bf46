import { Problem } from '../contract/problem.ts'
import {
  eventAfter,
  eventsOf,
  indexed,
  isClosing,
  requestIndexed,
  type SharedCounters,
} from '../threads/shared-counters.ts'

/** Searches that wait for the index without blocking a thread. */
export type IndexBarrier = {
  /**
   * Resolves once the index has reached a record. Records of later calls are not smaller. Rejects with NOT_READY where that takes longer
   * than `patience` milliseconds or the store closes, and with OVERLOADED where too many wait.
   */
  until(record: bigint): Promise<void>
  pending(): number
}

type Waiting = { record: bigint; deadline: number; resolve: () => void; reject: (problem: Problem) => void }

/** At most `most` wait at once, each for at most `patience` milliseconds. */
export function createIndexBarrier(
  counters: SharedCounters,
  { most, patience }: { most: number; patience: number },
): IndexBarrier {
  // Later searches wait for the same record or a later one, and have later deadlines: if one is due, so are all before it.
  const waiting: Waiting[] = []
  let watching = false

  /** Settles the searches whose record is reached or whose time is over. */
  const settle = (): void => {
    const [reached, over] = [indexed(counters), isClosing(counters) ? Number.POSITIVE_INFINITY : performance.now()]
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      if (first.record <= reached) first.resolve()
      else if (first.deadline <= over) first.reject(new Problem('NOT_READY', { retryAfter: 5 }))
      else return
      waiting.shift()
    }
  }
  const watch = async (): Promise<void> => {
    watching = true
    for (;;) {
      const events = eventsOf(counters)
      settle()
      const [first] = waiting
      if (first === undefined) break
      await eventAfter(counters, events, first.deadline - performance.now())
    }
    watching = false
  }
  return {
    async until(record) {
      if (indexed(counters) >= record) return
      if (waiting.length >= most) throw new Problem('OVERLOADED', { retryAfter: 1 })
      requestIndexed(counters, record)
      const answer = new Promise<void>((resolve, reject) => {
        waiting.push({ record, deadline: performance.now() + patience, resolve, reject })
      })
      if (!watching) watch()
      return answer
    },
    pending: () => waiting.length,
  }
}
