/** How far a mirror follows its original. A mirror is not ready before its first complete copy, nor while it lags more than the limit. */
export class MirrorLag {
  readonly #limit: number
  readonly #now: () => number
  readonly #beganAt: number
  #copied = 0
  #newest = 0
  /** The latest known time at which the original had nothing that the copy lacks. */
  #completeAt: number | undefined
  /** A state of the original that the copy has not reached, and the time before it was seen. */
  #goal: { newest: number; at: number } | undefined

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(limitSeconds: number, now = () => performance.now()) {
    this.#limit = limitSeconds
    this.#now = now
    this.#beganAt = now()
  }

  /** Notes the newest copied sequence, and the newest known sequence of the original. */
  progress(copied: number, newest: number): void {
    this.#copied = copied
    this.#newest = newest
  }

  /** Notes that the copy has everything up to the noted sequence, with its moderation, as the original answered after `at`. */
  reached(at: number): void {
    this.#goal ??= { newest: this.#newest, at }
    if (this.#copied < this.#goal.newest) return
    // Under continuous writes the copy is never complete. It then has everything up to the goal that it has reached.
    const isComplete = this.#copied >= this.#newest
    this.#completeAt = isComplete ? at : this.#goal.at
    this.#goal = isComplete ? undefined : { newest: this.#newest, at }
  }

  /** The newest copied sequence, the newest known sequence of the original, and the lag in seconds. */
  metrics(): { copied: number; newest: number; seconds: number } {
    return { copied: this.#copied, newest: this.#newest, seconds: this.#seconds() }
  }

  /** Why the mirror is not ready; undefined if it is. */
  obstacle(): string | undefined {
    if (this.#completeAt === undefined) return 'copying its original'
    return this.#seconds() > this.#limit ? 'lagging after its original' : undefined
  }

  /** Seconds since the copy last had everything that the original had; before the first complete copy, since the start. */
  #seconds(): number {
    return (this.#now() - (this.#completeAt ?? this.#beganAt)) / 1_000
  }
}
