import type { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * SQLite plans a statement with `LIMIT ?` again whenever a value is bound to it, which takes longer than running most statements. A plus
 * sign hides the parameter from the planner.
 */
const PLANNED_ONCE = 'LIMIT +?'

/** The prepared statements of a connection, one per text. */
export class StatementCache {
  readonly #raw: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(raw: DatabaseSync) {
    this.#raw = raw
  }

  prepare(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#raw.prepare(text.replaceAll('LIMIT ?', PLANNED_ONCE))
      this.#statements.set(text, statement)
    }
    return statement
  }

  clear(): void {
    this.#statements.clear()
  }
}
