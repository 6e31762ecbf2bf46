import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import type { Loaded } from '../load/order.ts'
import { CORES, pinned } from '../processes.ts'
import type { Place, Target } from '../target.ts'
import { keptData } from './palimpsest.ts'

/** Makes a filled store of the service with the search index as a table in the same file, unless it exists. Returns its directory. */
async function keptStore(place: Place): Promise<string> {
  const kept = join(place.kept, '../../limit-sqlite', String(place.entries))
  const data = join(kept, 'data')
  const done = join(kept, 'done')
  if (existsSync(done)) return data
  const filled = await keptData({ ...place, kept: join(place.kept, '../../palimpsest', String(place.entries)) })
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  cpSync(storeFile(filled), storeFile(data))
  const database = new DatabaseSync(storeFile(data))
  database.exec(`
CREATE VIRTUAL TABLE terms USING fts5(title, summary, tags, content, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO terms (rowid, title, summary, tags, content)
SELECT e.number, r.title, r.summary, e.tags, r.content FROM entry e JOIN revision r ON r.number = e.revision;
PRAGMA wal_checkpoint(TRUNCATE)`)
  database.close()
  writeFileSync(done, '')
  return data
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
  async prepare(place) {
    await keptStore(place)
  },
  async start(place) {
    const kept = await keptStore(place)
    const data = join(place.scratch, 'data')
    cpSync(kept, data, { recursive: true })
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

function create(path: string, group: number, seconds: number): Promise<Loaded> {
  const script = join(import.meta.dirname, 'limit-sqlite-process.ts')
  const [program = '', ...args] = [...pinned(CORES.server), process.execPath, script, path, `${group}`, `${seconds}`]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      if (code === 0) resolve(JSON.parse(said))
      else reject(new Error(`The process that writes on plain SQLite ended with ${code}.`))
    })
  })
}
