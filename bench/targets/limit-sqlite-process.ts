import { randomUUID } from 'node:crypto'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { createCorpus } from '../corpus.ts'
import type { Loaded } from '../load/order.ts'
import { quantile } from '../numbers.ts'

/**
 * Writes full creates into a store with the schema of the service, and its index in the same file, as fast as prepared statements allow.
 * Arguments: directory, group, seconds.
 */
const [directory = '', group = '', seconds = ''] = process.argv.slice(2)
/** Number of texts that are made before the measurement and written in turn. */
const TEXTS = 5_000
const HASH = 'e'.repeat(64)

const database = new DatabaseSync(storeFile(directory))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384')
const newest = (table: string, key: string): number =>
  Number(database.prepare(`SELECT max(${key}) AS newest FROM ${table}`).get()?.newest)
const actor = newest('actor', 'number')
const [records, sequences] = [newest('revision', 'number'), newest('activity', 'sequence')]

const inserts = new Map<string, StatementSync>()
function insert(table: string, row: Record<string, SQLInputValue>): void {
  let statement = inserts.get(table)
  if (statement === undefined) {
    const names = Object.keys(row)
    const values = names.map(name => `:${name}`)
    statement = database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values.join(', ')})`)
    inserts.set(table, statement)
  }
  statement.run(row)
}
const topic = database.prepare(
  'INSERT INTO topic (key, spelling, entries) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET entries = entries + 1',
)
const totals = database.prepare(
  'UPDATE head SET sequence = sequence + 1, record = record + 1, entries = entries + 1, revisions = revisions + 1, interactions = interactions + 1',
)
const observed = database.prepare('UPDATE actor SET last_seen_at = ?, observations = observations + 1 WHERE number = ?')

const textOf = await createCorpus()
const texts = Array.from({ length: TEXTS }, (_, n) => textOf(n))

function create(made: number): void {
  const { title, summary, content, tags } = texts[made % TEXTS] as (typeof texts)[number]
  const number = records + made
  const at = Date.now()
  const rows = {
    revision: {
      number,
      id: randomUUID(),
      entry: number,
      ordinal: 1,
      actor,
      change_type: 'CREATE',
      title,
      summary,
      content,
      rationale: 'Initial revision',
      sources: '[]',
      evidence_hash: HASH,
      created_at: at,
    },
    entry: {
      number,
      id: randomUUID(),
      slug: `${title.slice(0, 40)} ${number}`,
      tags: JSON.stringify(tags),
      actor,
      data_class: 'EXTERNAL',
      created_at: at,
      updated_at: at,
      revision: number,
      change: number,
    },
    activity: {
      sequence: sequences + made,
      actor,
      action: 'CREATE',
      entry: number,
      revision: number,
      request_id: randomUUID(),
      data_class: 'EXTERNAL',
      created_at: at,
    },
    terms: { rowid: number, title, summary, tags: tags.join(' '), content },
  }
  for (const [table, row] of Object.entries(rows)) insert(table, row)
  for (const tag of tags) topic.run(tag, tag)
  totals.run()
  observed.run(at, actor)
}

const times: number[] = []
const began = performance.now()
let count = 0
while (performance.now() - began < 1_000 * Number(seconds)) {
  const start = performance.now()
  database.exec('BEGIN IMMEDIATE')
  for (let one = 0; one < Number(group); one++) create(++count)
  database.exec('COMMIT')
  times.push(performance.now() - start)
}
const took = (performance.now() - began) / 1_000
database.close()
const [p50 = 0, p99 = 0] = [0.5, 0.99].map(part => quantile(times, part))
process.stdout.write(JSON.stringify({ count, perSecond: count / took, p50, p99, busy: 0 } satisfies Loaded))
