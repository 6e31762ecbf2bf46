import { existsSync } from 'node:fs'
import { only } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { openSqlite } from '../../database/sqlite.ts'
import { indexedState } from '../../search/index-file.ts'
import type { Finding } from './check.ts'

const INDEX_BEHIND = 10_000

/** The newest record of a store, and the number of its public entries. */
export type Indexable = { record: number; entries: number }

/**
 * Whether a search index has all entries of its store. Calls `look` before and after it reads the index, because the store may be served.
 */
export async function checkIndex(file: string, look: () => Promise<Indexable> | Indexable): Promise<Finding> {
  const what = 'search index'
  if (!existsSync(file)) return { mark: 'ok', what, finding: 'none yet; the first start builds it' }
  const { record, entries } = await look()
  const indexed = readIndex(file)
  if (indexed === undefined)
    return { mark: 'ok', what, finding: 'made by another version; the next start builds it anew' }
  const behind = Math.max(0, record - indexed.record)
  if (behind >= INDEX_BEHIND) {
    const finding = `${behind} records are not indexed`
    return { mark: 'warn', what, finding, remedy: 'searches wait for it; a running service indexes them' }
  }
  const isStill = indexed.record === record && (await look()).record === record
  if (!isStill) return { mark: 'ok', what, finding: `${behind} records are not indexed` }
  const finding = `it has ${indexed.entries} of ${entries} entries`
  if (indexed.entries === entries) return { mark: 'ok', what, finding }
  return { mark: 'FAIL', what, finding, remedy: `stop the service and delete ${file}; the next start builds it anew` }
}

/** The record and the number of entries of an index; undefined if it was made by another version. */
function readIndex(file: string): Indexable | undefined {
  const index = openSqlite(file, 'read')
  try {
    const state = indexedState(index)
    const entries = only(index.one<{ n: number }>(sql`SELECT count(*) AS n FROM doc`)).n
    return state === undefined ? undefined : { record: state.record, entries }
  } finally {
    index.close()
  }
}
