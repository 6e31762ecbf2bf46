import type { Logger } from 'pino'

/** The interval between two comparisons of the clocks, and the difference that is a jump; both in milliseconds. */
const INTERVAL_MS = 1_000
const JUMP_MS = 60_000

/**
 * Compares the clock with a monotonic one, and logs and counts its jumps. A machine that was suspended looks like one whose clock was set
 * forward.
 */
export class ClockWatch {
  /** The number of jumps of more than a minute since the start. */
  jumps = 0
  readonly #timer: NodeJS.Timeout

  /** `now` is the clock, in milliseconds since 1970. */
  constructor(now: () => number, logger: Logger) {
    let offset = now() - performance.now()
    this.#timer = setInterval(() => {
      const jumped = now() - performance.now() - offset
      offset += jumped
      if (Math.abs(jumped) <= JUMP_MS) return
      this.jumps++
      const seconds = Math.round(jumped / 1_000)
      logger.warn({ seconds }, 'the clock jumped by more than a minute; run a time service that sets it in small steps')
    }, INTERVAL_MS).unref()
  }

  end(): void {
    clearInterval(this.#timer)
  }
}
