import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { batchStatements } from '../../src/engine/batching.ts'
import type { Sql } from '../../src/engine/database.ts'
import { migratePostgres, readColumnTypes } from '../../src/engine/migrate.ts'
import { connectPostgres, type PostgresConnection, type Query } from '../../src/engine/postgres.ts'
import { createPart } from '../../src/stores/postgres/activity-parts.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { fillPostgres } from './filled-postgres.ts'
import { recordOperations } from './recorded.ts'

const skip = NO_POSTGRES
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-parts-'))
/** How many statements of one text are sent as one. */
const TOGETHER = 3
const PART = /^activity_reads_[0-9_]+$/
/** The number of parts of the reads, and the rows of each. */
const PARTS = 16
const ROWS = 2_000
const FIRST_HOUR = 1_000
const NEWEST_HOUR = FIRST_HOUR + PARTS - 1

type Step = { 'Node Type': string; 'Relation Name'?: string; 'Actual Loops': number; Plans?: Step[] }
/** The parts that a statement reads, and those that it reads from end to end. */
type Visited = { text: string; parts: string[]; whole: string[] }
const visited: Visited[] = []
let connection: PostgresConnection | undefined

before(async () => {
  if (skip) return
  const { connection: store, statements } = await recordOperations(join(directory, 'store.db'))
  store.close()
  const url = await databaseOf('parts')
  connection = await connectPostgres({ url, name: 'parts', statementTimeout: 60_000, idleTimeout: 60_000 })
  await migratePostgres(connection, 1)
  await fillPostgres(connection)
  for (let hour = FIRST_HOUR; hour <= NEWEST_HOUR; hour++) {
    await connection.exec(`
      ${createPart({ from: hour, to: hour + 1 })};
      UPDATE head SET sequence = sequence + ${ROWS};
      INSERT INTO activity (sequence, actor, origin, action, entry, request_id, data_class, created_at, hour)
        SELECT h.sequence - g, 1 + g / 10, 1 + g / 10, 'READ', 1 + g % 10, 'request', 'EXTERNAL', ${hour * 3_600_000}, ${hour}
        FROM head h, generate_series(0, ${ROWS - 1}) g`)
  }
  await connection.exec('ANALYZE')
  await connection.exec('VACUUM')
  const columns = await readColumnTypes(connection)
  // A session settles on this plan, because a plan for each value costs more with many parts.
  await connection.exec('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off')
  for (const statement of statements.values()) {
    if (!/\bactivity\b/.test(statement.text) || /^\s*INSERT/.test(statement.text)) continue
    const asked = LOOK.test(statement.text) ? inNewestHour(statement) : statement
    const together = Array.from({ length: TOGETHER }, () => asked)
    for (const query of [
      ...batchStatements([asked], columns).queries,
      ...batchStatements(together, columns).queries.slice(0, 1),
    ]) {
      visited.push({ text: query.text.replace(/\s+/g, ' ').trim(), ...(await partsVisitedBy(connection, query)) })
    }
  }
})
/** The look-up of a read, in the hour of the newest part. */
const LOOK = /hour IS NOT NULL AND hour = /
const inNewestHour = ({ text, values: [, actor, action, entry] }: Sql): Sql => ({
  text,
  values: [NEWEST_HOUR, actor ?? null, action ?? null, entry ?? null],
})

after(async () => {
  await connection?.close()
  rmSync(directory, { recursive: true, force: true })
})

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)]
const quoted = (value: unknown): string => (value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`)
const listed = (value: Query['values'][number]): string =>
  Array.isArray(value)
    ? quoted(`{${value.map(one => (one === null ? 'NULL' : JSON.stringify(String(one))))}}`)
    : quoted(value)

async function partsVisitedBy(session: PostgresConnection, { text, values }: Query): Promise<Omit<Visited, 'text'>> {
  await session.exec(`PREPARE visiting AS ${text}; BEGIN`)
  const execute = `EXECUTE visiting${values.length === 0 ? '' : `(${values.map(listed)})`}`
  const [result] = await session.send([{ text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${execute}`, values: [] }])
  await session.exec('ROLLBACK; DEALLOCATE visiting')
  const plans = result?.rows[0]?.['QUERY PLAN'] as unknown as { Plan: Step }[]
  const read = plans
    .flatMap(({ Plan }) => stepsOf(Plan))
    .filter(step => step['Actual Loops'] > 0 && PART.test(step['Relation Name'] ?? ''))
  const namesOf = (steps: Step[]): string[] => [...new Set(steps.map(step => step['Relation Name'] ?? ''))]
  return { parts: namesOf(read), whole: namesOf(read.filter(step => step['Node Type'] === 'Seq Scan')) }
}

test('no statement reads a part of the reads from end to end', { skip }, () => {
  assert.ok(visited.length > 50, `${visited.length} statements`)
  for (const { text, whole } of visited) assert.deepEqual(whole, [], text)
})

test('a statement about writes reads no part of the reads', { skip }, () => {
  const writes = visited.filter(({ text }) => /WHERE (?:s\.\w+ = \$\d+ AND )?s\.hour IS NULL AND/.test(text))
  assert.ok(writes.length > 0)
  for (const { text, parts } of writes) assert.deepEqual(parts, [], text)
})

test('the first read of an hour is looked for in the part of that hour', { skip }, () => {
  const look = visited.filter(({ text }) => LOOK.test(text))
  assert.ok(look.length > 0)
  for (const { text, parts } of look) assert.equal(parts.length, 1, text)
})
