import type { Row } from './database.ts'
import type { Result } from './postgres.ts'
import type { Sql } from './sql.ts'

type Waiting = { statement: Sql; resolve: (result: Result) => void; reject: (error: Error) => void }

/** Resolves with the answer of a statement. It is sent together with all others of this turn of the event loop. */
export type Ask = (statement: Sql) => Promise<Result>

/**
 * Gathers statements until everything that can run in this turn has run, and hands them over together. `execute` resolves with a result or
 * an error for each.
 */
export function createTickBatcher(execute: (statements: readonly Sql[]) => Promise<readonly (Result | Error)[]>): Ask {
  let waiting: Waiting[] = []
  const flush = (): void => {
    const batch = waiting
    waiting = []
    execute(batch.map(({ statement }) => statement)).then(
      results => {
        for (const [index, { resolve, reject }] of batch.entries()) {
          const result = results[index] as Result | Error
          if (result instanceof Error) reject(result)
          else resolve(result)
        }
      },
      error => {
        for (const { reject } of batch) reject(error)
      },
    )
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
