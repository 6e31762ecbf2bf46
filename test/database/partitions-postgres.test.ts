import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { migratePostgres, readColumnTypes } from '../../src/database/migrate-postgres.ts'
import { connectPostgres, type PostgresConnection, type Query } from '../../src/database/postgres.ts'
import type { Sql } from '../../src/database/sql.ts'
import { batchStatements } from '../../src/database/statement-batching.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { dividePostgres, NEWEST_HOUR, PARTS } from './divided-postgres.ts'
import { fillPostgres } from './filled-postgres.ts'
import { recordOperations } from './recorded.ts'

const skip = NO_POSTGRES
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-parts-'))
/** How many statements of one text are sent as one. */
const TOGETHER = 3
const DIVIDED = /\b(?:activity|revision|revision_key)\b/
const PART = /^(?:activity_expiring|revision)_[0-9]+$/

type Step = { 'Relation Name'?: string; 'Actual Loops': number; Plans?: Step[] }
type Visited = { text: string; parts: string[] }
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
  await dividePostgres(connection, url)
  const columns = await readColumnTypes(connection)
  // A session settles on this plan, because a plan for each value costs more with many parts.
  await connection.exec('SET plan_cache_mode = force_generic_plan')
  for (const statement of statements.values()) {
    if (!DIVIDED.test(statement.text) || /^\s*INSERT/.test(statement.text)) continue
    const asked = /FROM observed_hour/.test(statement.text) ? inNewestHour(statement) : statement
    const together = Array.from({ length: TOGETHER }, () => asked)
    for (const query of [
      ...batchStatements([asked], columns).queries,
      ...batchStatements(together, columns).queries.slice(0, 1),
    ]) {
      visited.push({ text: query.text.replace(/\s+/g, ' ').trim(), parts: await partsVisitedBy(connection, query) })
    }
  }
})
/** The look-up of a read, in the hour of the newest part. */
const inNewestHour = ({ text, values: [, actor, action, entry] }: Sql): Sql => ({
  text,
  values: [NEWEST_HOUR, actor ?? null, action ?? null, entry ?? null, NEWEST_HOUR],
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

/** The parts in which a statement reads rows or an index when it is executed. */
async function partsVisitedBy(session: PostgresConnection, { text, values }: Query): Promise<string[]> {
  await session.exec(`PREPARE visiting AS ${text}; BEGIN`)
  const execute = `EXECUTE visiting${values.length === 0 ? '' : `(${values.map(listed)})`}`
  const [result] = await session.send([{ text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${execute}`, values: [] }])
  await session.exec('ROLLBACK; DEALLOCATE visiting')
  const plans = result?.rows[0]?.['QUERY PLAN'] as unknown as { Plan: Step }[]
  const read = plans.flatMap(({ Plan }) => stepsOf(Plan)).filter(step => step['Actual Loops'] > 0)
  return [...new Set(read.map(step => step['Relation Name'] ?? '').filter(name => PART.test(name)))]
}

/** Statements that read each part, with the reason. */
const EVERY_PART: readonly [RegExp, string][] = [
  [/\) two\) merged ORDER BY sequence/, 'a page of the feed or of a timeline merges one row of each part'],
  [/FROM activity s JOIN actor a .* ORDER BY s\.sequence DESC LIMIT/, 'the list of administrators does the same'],
  [/^UPDATE activity AS s SET withdrawn/, 'moderation changes all reads of an entry, an actor or an origin'],
  [/SELECT DISTINCT \(s\.sequence - 1\)/, 'moderation marks their segments'],
  [/^DELETE FROM activity WHERE sequence IN/, 'the sweep finds the oldest row of each part'],
  [/SELECT count\(\*\) AS rows FROM activity WHERE sequence > /, 'the recorded sequence is before the first part'],
  [/^UPDATE activity SET withdrawn = .* WHERE entry = /, 'only mirrors do that, and a mirror is an embedded store'],
]

test(`a statement reads at most one of ${PARTS} parts, or is one of those that must read each`, { skip }, () => {
  assert.ok(visited.length > 100, `${visited.length} statements`)
  const many = visited.filter(({ parts }) => parts.length > 1)
  for (const { text, parts } of many)
    assert.ok(
      EVERY_PART.some(([pattern]) => pattern.test(text)),
      `${parts}: ${text}`,
    )
  for (const [pattern, reason] of EVERY_PART)
    assert.ok(
      many.some(({ text }) => pattern.test(text)),
      reason,
    )
})

test('the first read of an hour is looked for in the parts with reads of that hour', { skip }, () => {
  const look = visited.filter(({ text }) => /FROM observed_hour/.test(text))
  assert.ok(look.length > 0)
  for (const { text, parts } of look) assert.equal(parts.length, 1, text)
})
