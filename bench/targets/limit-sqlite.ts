import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import type { Loaded } from '../load/order.ts'
import { CORES, pinned } from '../processes.ts'
import { filled, type Store, type Target } from '../target.ts'
import { keptData } from './palimpsest.ts'

/** A filled store of the service, with the search index as a table in the same file. */
const STORE: Store = {
  name: 'limit-sqlite',
  async fill(directory, place) {
    cpSync(storeFile(await keptData(place)), storeFile(directory))
    const database = new DatabaseSync(storeFile(directory))
    database.exec(`
CREATE VIRTUAL TABLE terms USING fts5(title, summary, tags, content, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO terms (rowid, title, summary, tags, content)
SELECT e.number, r.title, r.summary, e.tags, r.content FROM entry e JOIN revision r ON r.number = e.revision;
PRAGMA wal_checkpoint(TRUNCATE)`)
    database.close()
  },
}

/**
 * The limit of W: prepared statements in one process on plain node:sqlite write the rows of a full create (entry, revision, activity,
 * topics, totals, search index) into a store with as many entries as the others. Each commit has `group` creates and is synced. Nothing is
 * parsed, checked, hashed or answered.
 */
const limitSqlite = (name: string, group: number): Target => ({
  name,
  operations: ['W'],
  most: 1_000_000,
  async start(place) {
    const data = join(place.scratch, 'data')
    cpSync(await filled(place, STORE), data, { recursive: true })
    return {
      about: `plain node:sqlite in process, full creates in groups of ${group}, synchronous=FULL`,
      pids: [],
      measure: (_, seconds) => create(data, group, seconds),
      async stop() {},
    }
  },
})

export const limitSqlite32 = limitSqlite('limit-sqlite', 32)
export const limitSqlite100 = limitSqlite('limit-sqlite-100', 100)

async function create(path: string, group: number, seconds: number): Promise<Loaded> {
  const script = join(import.meta.dirname, 'limit-sqlite-process.ts')
  const [program = '', ...args] = [...pinned(CORES.server), process.execPath, script, path, `${group}`, `${seconds}`]
  return JSON.parse((await promisify(execFile)(program, args)).stdout)
}
