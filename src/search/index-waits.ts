import { Problem } from '../contract/problem.ts'
import { eventAfter, eventsOf, indexed, isClosing, type Signals, want } from '../threads/signals.ts'

/** Searches that wait for the index without blocking a thread. */
export type IndexWaits = {
  /**
   * Resolves once the index has reached a record. Records of later calls are not smaller. Rejects with NOT_READY where that takes longer
   * than `patience` milliseconds or the store closes, and with OVERLOADED where too many wait.
   */
  until(record: bigint): Promise<void>
  pending(): number
}

type Waiting = { record: bigint; deadline: number; resolve: () => void; reject: (problem: Problem) => void }

/** At most `most` wait at once, each for at most `patience` milliseconds. */
export function createIndexWaits(signals: Signals, { most, patience }: { most: number; patience: number }): IndexWaits {
  // Later searches wait for the same record or a later one, and have later deadlines: if one is due, so are all before it.
  const waiting: Waiting[] = []
  let watching = false

  /** Settles the searches whose record is reached or whose time is over. */
  const settle = (): void => {
    const [reached, over] = [indexed(signals), isClosing(signals) ? Number.POSITIVE_INFINITY : performance.now()]
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
      const events = eventsOf(signals)
      settle()
      const [first] = waiting
      if (first === undefined) break
      await eventAfter(signals, events, first.deadline - performance.now())
    }
    watching = false
  }
  return {
    async until(record) {
      if (indexed(signals) >= record) return
      if (waiting.length >= most) throw new Problem('OVERLOADED', { retryAfter: 1 })
      want(signals, record)
      const answer = new Promise<void>((resolve, reject) => {
        waiting.push({ record, deadline: performance.now() + patience, resolve, reject })
      })
      if (!watching) watch()
      return answer
    },
    pending: () => waiting.length,
  }
}
