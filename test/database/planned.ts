import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { SqliteConnection } from '../../src/engine/sqlite.ts'

export type Planned = { text: string; plan: string[]; writes: boolean }
/** The statements of the store and of the search index with their plans, and the parts of files with SQL that no operation ran. */
export type PlannedStatements = { planned: Planned[]; searched: Planned[]; unexercised: string[] }

/** Whether a file has the SQL of a subject. */
export const isRows = (path: string): boolean => /\b(?:memory|tlog|mirror)\/(?:.*[/-])?rows\.ts$/.test(path)

/** Plans without the statistics of ANALYZE, as in a store that grew. */
const planOf = (connection: SqliteConnection, texts: Iterable<string>): Planned[] =>
  [...texts].map(text => ({
    text: text.replace(/\s+/g, ' ').trim(),
    plan: (connection.raw.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]).map(row => row.detail),
    writes: !/^\s*SELECT/.test(text),
  }))

/** Runs all operations on a store in a directory, and counts the calls of functions. */
async function plannedIn(directory: string): Promise<PlannedStatements> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const { recordOperations, recordSearches } = await import('./recorded.ts')
  const store = await recordOperations(join(directory, 'store.db'))
  const index = recordSearches(join(directory, 'search.db'))
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const unexercised = result
    .filter(({ url }) => isRows(url))
    .flatMap(({ url, functions }) => {
      const source = readFileSync(new URL(url), 'utf8')
      return functions
        .flatMap(({ ranges }) => ranges)
        .filter(range => range.count === 0 && source.slice(range.startOffset, range.endOffset).includes('sql`'))
        .map(range => `${url.split('/').at(-1)}: ${source.slice(range.startOffset, range.startOffset + 80)}`)
    })
  const planned = planOf(store.connection, store.statements.keys())
  const searched = planOf(index.connection, index.statements.keys())
  store.connection.close()
  index.connection.close()
  return { planned, searched, unexercised }
}

if (!isMainThread) parentPort?.postMessage(await plannedIn(workerData))
