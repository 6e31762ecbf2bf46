import type { Transaction } from '../database/database.ts'
import type { ColumnTypes } from '../database/merge.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import { recountStandings } from '../operations/recount.ts'
import { runWorks } from './group.ts'

/** How long a statement of a recount may take, in milliseconds. */
const TIMEOUT = 60_000

/** Computes the standings of a database that was written by an older version; any number of nodes may do so at once. Returns as `recountStandings`. */
export async function recountDatabase(
  connection: PostgresConnection,
  columns: ColumnTypes,
  report?: (line: string) => void,
  begin: 'where it ended' | 'anew' = 'where it ended',
): Promise<number> {
  const [head] = await connection.send([{ text: 'SELECT one FROM head', values: [] }])
  if (head?.rows.length !== 1) return 0
  await connection.limit(TIMEOUT)
  const recounted = await recountStandings(work => commitAlone(connection, columns, work), report, begin)
  await connection.limit(undefined)
  return recounted
}

/** Runs a work in a transaction of its own, while no node writes. */
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
    const ran = await runWorks(connection, columns, { committedAt: 0 }, [async tx => work(tx)])
    const [outcome] = ran.outcomes
    if (outcome === undefined || 'error' in outcome) throw outcome?.error
    await connection.send([...ran.left, { text: 'COMMIT', values: [] }])
    return outcome.result as T
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {})
    throw error
  }
}
