import type { Transaction, Write } from '../database/database.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import type { ColumnTypes } from '../database/statement-batching.ts'
import { recountSignals } from '../operations/evidence/recount-signals.ts'
import { recountStandings } from '../operations/evidence/recount-standings.ts'
import { runWorks } from './run-works.ts'

/** How long a statement of a recount may take, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 60_000

/** The number of entries whose standing was computed, and of revisions whose signals were; 0 if all had been computed before. */
export type Recounted = { entries: number; revisions: number }

/** Computes the standings and signals of a database that an older version wrote. Any number of nodes may do so at once. */
export async function recountDatabase(
  connection: PostgresConnection,
  columns: ColumnTypes,
  report?: (line: string) => void,
  begin: 'where it ended' | 'anew' = 'where it ended',
): Promise<Recounted> {
  if ((await connection.query('SELECT one FROM head')).length === 0) return { entries: 0, revisions: 0 }
  await connection.limit(STATEMENT_TIMEOUT_MS)
  const write: Write = work => commitAlone(connection, columns, work)
  const entries = await recountStandings(write, report, begin)
  const revisions = await recountSignals(write, report, begin)
  await connection.limit(undefined)
  return { entries, revisions }
}

/** Runs a work in its own transaction while no node writes. */
async function commitAlone<T>(
  connection: PostgresConnection,
  columns: ColumnTypes,
  work: (tx: Transaction) => T | Promise<T>,
): Promise<T> {
  await connection.send([
    { text: 'BEGIN', values: [] },
    { text: 'SELECT one FROM head FOR UPDATE', values: [] },
  ])
  try {
    const { outcomes, remainingStatements } = await runWorks(connection, columns, [work])
    const [outcome] = outcomes
    if (outcome === undefined || 'error' in outcome) throw outcome?.error
    await connection.send([...remainingStatements, { text: 'COMMIT', values: [] }])
    return outcome.result as T
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {})
    throw error
  }
}
