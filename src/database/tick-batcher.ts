import type { Row } from './database.ts'
import type { Query, Result } from './postgres.ts'
import type { Sql } from './sql.ts'
import { batchStatements, type ColumnTypes } from './statement-batching.ts'

type Waiting = { statement: Sql; resolve: (result: Result) => void; reject: (error: Error) => void }

/** Resolves with the answer of a statement. It is sent together with all others of this turn of the event loop. */
export type Ask = (statement: Sql) => Promise<Result>

/**
 * Gathers statements until everything that can run in this turn has run, and sends them together: those of one text as one. `send` resolves
 * with a result or an error for each query. INSERTs into tables without known columns are sent one by one.
 */
export function createTickBatcher(
  send: (queries: readonly Query[]) => Promise<readonly (Result | Error)[]>,
  columns: ColumnTypes = new Map(),
): Ask {
  let waiting: Waiting[] = []
  const flush = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    try {
      const { queries, split } = batchStatements(
        batch.map(({ statement }) => statement),
        columns,
      )
      const results = split(await send(queries))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
  }
  return statement =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ statement, resolve, reject })
    })
}

/** The two ways of reading, over statements that are asked for. */
export const readerOf = (ask: Ask) => ({
  one: async <R = Row>(statement: Sql) => (await ask(statement)).rows[0] as R | undefined,
  all: async <R = Row>(statement: Sql) => (await ask(statement)).rows as R[],
})
