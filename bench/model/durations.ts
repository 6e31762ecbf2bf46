/** Collects durations. Computes their mean and quantiles. */
export class Durations {
  readonly #all: number[] = []
  #isSorted = true

  add(duration: number): void {
    this.#all.push(duration)
    this.#isSorted = false
  }

  get count(): number {
    return this.#all.length
  }

  get mean(): number {
    return this.#all.reduce((sum, one) => sum + one, 0) / Math.max(1, this.#all.length)
  }

  /** The quantile of the durations for a share from 0 to 1; 0 without durations. */
  quantile(share: number): number {
    if (!this.#isSorted) this.#all.sort((a, b) => a - b)
    this.#isSorted = true
    return this.#all[Math.min(this.#all.length - 1, Math.floor(this.#all.length * share))] ?? 0
  }
}
