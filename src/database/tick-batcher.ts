import type { Row } from './database.ts'
import type { Query, Result } from './postgres.ts'
import type { Sql } from './sql.ts'
import { batchStatements, type ColumnTypes } from './statement-batching.ts'

type Waiting = { statement: Sql; resolve: (result: Result) => void; reject: (error: Error) => void }

/** Resolves with the answer of a statement, which is sent together with all others of this turn of the event loop. */
export type Ask = (statement: Sql) => Promise<Result>

type Send = (queries: readonly Query[]) => Promise<readonly (Result | Error)[]>

/**
 * Collects statements until everything that can run in this turn of the event loop has run. Sends them together, batched by text. `send`
 * resolves with a result or an error for each query. INSERTs into tables without known columns are not batched.
 */
export function createTickBatcher(send: Send, columns: ColumnTypes = new Map()): Ask {
  const batcher = new TickBatcher(send, columns)
  return statement => batcher.ask(statement)
}

class TickBatcher {
  readonly #send: Send
  readonly #columns: ColumnTypes
  #waiting: Waiting[] = []

  constructor(send: Send, columns: ColumnTypes) {
    this.#send = send
    this.#columns = columns
  }

  ask(statement: Sql): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush())
      this.#waiting.push({ statement, resolve, reject })
    })
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    try {
      const { queries, split } = batchStatements(
        batch.map(({ statement }) => statement),
        this.#columns,
      )
      const results = split(await this.#send(queries))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
  }
}

/** The methods of a `Reader`, sent through `ask`. */
export const readerOf = (ask: Ask) => ({
  one: async <R = Row>(statement: Sql) => (await ask(statement)).rows[0] as R | undefined,
  all: async <R = Row>(statement: Sql) => (await ask(statement)).rows as R[],
})
