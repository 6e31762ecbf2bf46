import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Loaded } from '../load/order.ts'
import { CORES, pinned } from '../processes.ts'
import type { Target } from '../target.ts'

/**
 * The limit of W: the rows of a full create (entry, revision, activity, topics, totals, search index) written by prepared statements on
 * plain node:sqlite in one process, so many creates to a commit, every commit synced. Nothing is parsed, checked, hashed or answered.
 */
const limitSqlite = (name: string, group: number): Target => ({
  name,
  operations: ['W'],
  most: 0,
  async prepare() {},
  async start({ scratch }) {
    let run = 0
    return {
      about: `plain node:sqlite in process, full creates in groups of ${group}, synchronous=FULL`,
      pids: [],
      measure: (_, seconds) => create(join(scratch, `${run++}`), group, seconds),
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
