import { type Progress, pace, percent } from '../../progress.ts'

/** Shows the progress of a copy of tables: the step, the rows of all tables, the rate and the time left. */
export class RowProgress {
  readonly #progress: Progress
  readonly #tables: number
  readonly #all: number
  readonly #began = performance.now()
  #steps = 0
  #done = 0

  /** `totals` has the number of rows to copy of each table. */
  constructor(progress: Progress, totals: ReadonlyMap<string, number>) {
    const counts = [...totals.values()].filter(count => count > 0)
    this.#progress = progress
    this.#tables = counts.length
    this.#all = counts.reduce((sum, count) => sum + count, 0)
  }

  /** The number of rows that were copied. */
  get done(): number {
    return this.#done
  }

  /** Begins a table that has rows to copy. */
  begin(table: string): void {
    this.#steps += 1
    this.#progress.phase(`Step ${this.#steps} of ${this.#tables}: copying ${table}`)
  }

  /** Adds copied rows. */
  add(rows: number): void {
    this.#done += rows
    this.#progress.update(
      () =>
        `Copied ${this.#done} of ${this.#all} rows, ${percent(this.#done, this.#all)}, ${pace(this.#done, this.#all, this.#began)}`,
    )
  }
}
