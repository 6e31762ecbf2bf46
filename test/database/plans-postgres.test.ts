import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { damageOfRows } from '../../src/cli/check/rows.ts'
import { batchStatements } from '../../src/engine/batching.ts'
import type { Sql } from '../../src/engine/database.ts'
import { migratePostgres, readColumnTypes } from '../../src/engine/migrate.ts'
import { connectPostgres, type PostgresConnection, type Query } from '../../src/engine/postgres.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { fillPostgres } from './filled-postgres.ts'
import { recordOperations } from './recorded.ts'

const skip = NO_POSTGRES
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-plans-'))
/** So often PostgreSQL plans a prepared statement for its values; after that it may settle on one plan for all values. */
const PLANNINGS = 7
/** How many statements of one text travel as one in this test. */
const TOGETHER = 3

/** Tables with at least as many rows as there are entries. */
const GROWING = new Set([
  ...['origin', 'actor', 'entry', 'revision', 'evidence', 'relation', 'relation_end', 'topic', 'cooldown'],
  ...['activity_writes', 'activity_reads_rest', 'admission', 'moderation', 'entry_voice'],
])
/** A page, and one row more. */
const SORTED_ROWS = 51
/** With the filled rows, 20,000 relations that have both ends. */
const MORE_RELATIONS = `
  INSERT INTO relation (number, id, source_entry, target_entry, relation_type, actor, origin, rationale, created_at)
    SELECT 10000 + number, 'more' || number, source_entry, target_entry, relation_type, actor, origin, rationale, created_at FROM relation;
  INSERT INTO relation_end (entry, ordinal, relation) SELECT entry, 2 + ordinal, 10000 + relation FROM relation_end;
  ANALYZE relation, relation_end`

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Plan Rows': number; 'Total Cost': number; Plans?: Plan[] }
type Planned = { text: string; plan: Plan }
let planned: Planned[]
let connection: PostgresConnection | undefined

before(async () => {
  if (skip) return
  const { connection: store, statements } = await recordOperations(join(directory, 'store.db'))
  store.close()
  const url = await databaseOf('plans')
  connection = await connectPostgres({ url, name: 'plans', statementTimeout: 60_000, idleTimeout: 60_000 })
  await migratePostgres(connection, 1)
  await fillPostgres(connection)
  const columns = await readColumnTypes(connection)
  planned = []
  for (const statement of statements.values()) {
    const together: Sql[] = Array.from({ length: TOGETHER }, () => statement)
    for (const query of [
      ...batchStatements([statement], columns).queries,
      ...batchStatements(together, columns).queries.slice(0, 1),
    ]) {
      planned.push({ text: query.text.replace(/\s+/g, ' ').trim(), plan: await planOf(connection, query) })
    }
  }
})
after(async () => {
  await connection?.close()
  rmSync(directory, { recursive: true, force: true })
})

const quoted = (value: unknown): string => (value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`)
const listed = (value: Query['values'][number]): string =>
  Array.isArray(value)
    ? quoted(`{${value.map(one => (one === null ? 'NULL' : JSON.stringify(String(one))))}}`)
    : quoted(value)

/** The plan that a session ends up with for a statement that it prepared. */
async function planOf(session: PostgresConnection, { text, values }: Query): Promise<Plan> {
  await session.exec(`PREPARE planned AS ${text}`)
  const execute = `EXECUTE planned${values.length === 0 ? '' : `(${values.map(listed)})`}`
  let plan: Plan | undefined
  for (let n = 0; n < PLANNINGS; n++) {
    const [result] = await session.send([{ text: `EXPLAIN (FORMAT JSON) ${execute}`, values: [] }])
    const rows = result?.rows[0]?.['QUERY PLAN'] as unknown as { Plan: Plan }[]
    plan = rows[0]?.Plan
  }
  await session.exec('DEALLOCATE planned')
  assert.ok(plan)
  return plan
}
/** The statements by which `palimpsest check` compares rows, each found without a difference. */
async function statementsOfCheck(): Promise<Sql[]> {
  const asked: Sql[] = []
  const one = (statement: Sql): undefined => void asked.push(statement)
  await damageOfRows({ one, all: () => [] })
  return asked
}
const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)]

/** Counts of the last rows of a table, fewer than 5,000, and the few refused origins: only administrators request them. */
const COUNTS: readonly RegExp[] = [
  /SELECT count\(\*\) AS rows FROM \w+ WHERE \w+ > /,
  /FROM origin WHERE blocked = 1 OR quarantined = 1/,
]
/** One batch of the sweep: of 40,000 rows its thousand are enough to read all, of many more they are not. */
const SWEEP = /^DELETE FROM activity WHERE hour IS NOT NULL/
/** A batch or page of any size costs less, as PostgreSQL reckons; reading one of the tables and sorting it, more. */
const DEAR = 1_000
/** A page of the export or of the feed looks fifty rows up in nine tables each; three of them are reckoned together here. */
const PAGE =
  /LEFT JOIN relation l ON l\.number = s\.subject .* s\.sequence > .* LIMIT|\) two\) merged ORDER BY sequence/
const PAGE_DEAR = 4_000

test('no statement reads a whole table, alone or batched', { skip }, () => {
  assert.ok(planned.length > 150, `${planned.length} plans`)
  for (const { text, plan } of planned) {
    const whole = stepsOf(plan).filter(
      step => step['Node Type'] === 'Seq Scan' && GROWING.has(step['Relation Name'] ?? ''),
    )
    const allowed = SWEEP.test(text) || COUNTS.some(pattern => pattern.test(text))
    assert.deepEqual(allowed ? [] : whole, [], text)
  }
})

test('the cost of a statement is in proportion to its rows', { skip }, () => {
  for (const { text, plan } of planned.filter(one => !SWEEP.test(one.text) && !COUNTS[0]?.test(one.text))) {
    const most = PAGE.test(text) ? PAGE_DEAR : DEAR
    assert.ok(plan['Total Cost'] < most, `${plan['Total Cost']}: ${text}\n${JSON.stringify(plan)}`)
  }
})

test('only pages that an index selected are sorted', { skip }, () => {
  for (const { text, plan } of planned) {
    for (const step of stepsOf(plan).filter(one => one['Node Type'] === 'Sort')) {
      assert.ok(step['Plan Rows'] <= SORTED_ROWS, `${step['Plan Rows']} rows: ${text}`)
    }
  }
})

test('the check of a store compares no table with every row of another one', { skip }, async () => {
  assert.ok(connection)
  await connection.exec(MORE_RELATIONS)
  const [statements, columns] = [await statementsOfCheck(), await readColumnTypes(connection)]
  assert.ok(statements.length >= 5)
  for (const statement of statements) {
    const [query]: readonly Query[] = batchStatements([statement], columns).queries
    assert.ok(query)
    const plan = await planOf(connection, query)
    const repeated = stepsOf(plan)
      .filter(step => step['Node Type'] === 'Nested Loop')
      .flatMap(({ Plans: [, inner] = [] }) => (inner === undefined ? [] : stepsOf(inner)))
    assert.deepEqual(
      repeated.filter(step => step['Node Type'] === 'Seq Scan'),
      [],
      JSON.stringify(plan),
    )
  }
})
