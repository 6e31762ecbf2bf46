import { setTimeout as after } from 'node:timers/promises'

/**
 * Schedules runs of `look`, one at a time, each at least `pause` milliseconds after the end of the previous one. Runs it again if it
 * returns true. `onFailure` is called with the first of consecutive failures. After a failure, the next call of `wake` tries again.
 */
export class Throttle {
  readonly #look: () => Promise<boolean>
  readonly #pause: () => number
  readonly #onFailure: (error: unknown) => void
  #isScheduled = false
  #isRunning = false
  #isWoken = false
  #hasFailed = false
  /** When the previous run ended, in milliseconds of the monotonic clock. */
  #endedAt = 0

  constructor(look: () => Promise<boolean>, pause: () => number, onFailure: (error: unknown) => void) {
    this.#look = look
    this.#pause = pause
    this.#onFailure = onFailure
  }

  /** Schedules a run, unless one is scheduled; during a run, the next one. */
  readonly wake = (): void => {
    this.#isWoken = true
    if (this.#isRunning || this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(this.#run, Math.max(0, this.#endedAt + this.#pause() - performance.now())).unref()
  }

  readonly #run = async (): Promise<void> => {
    this.#isScheduled = false
    this.#isRunning = true
    this.#isWoken = false
    try {
      const more = await this.#look()
      this.#isWoken ||= more
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(error)
      this.#hasFailed = true
    }
    this.#isRunning = false
    this.#endedAt = performance.now()
    if (this.#isWoken) this.wake()
  }
}

/**
 * Returns a function that runs works one after another, each followed by a pause of `share` times its duration, at most `longest`
 * milliseconds. Any number of works therefore takes a bounded share of the time.
 */
export function createPacedQueue(share: number, longest: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free: Promise<unknown> = Promise.resolve()
  return work => {
    let began = 0
    const done = free.then(() => {
      began = performance.now()
      return work()
    })
    const rest = (): Promise<void> =>
      after(Math.min(share * (performance.now() - began), longest), undefined, { ref: false })
    free = done.then(rest, rest)
    return done
  }
}
