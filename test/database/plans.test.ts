import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { isRows, type Planned, type PlannedStatements } from './planned.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-plans-'))
const SOURCES = join(import.meta.dirname, '../../src')
let planned: Planned[]
let searched: Planned[]
let unexercised: string[]

before(async () => {
  // In a thread of its own no function was compiled before its calls are counted.
  const thread = new Worker(new URL('./planned.ts', import.meta.url), { workerData: directory })
  const [found] = (await once(thread, 'message')) as [PlannedStatements]
  ;({ planned, searched, unexercised } = found)
  await thread.terminate()
})
after(() => rmSync(directory, { recursive: true, force: true }))

/**
 * Walks that end at a LIMIT: along an index, or along the numbers, from one end of it. Every row that is read counts against
 * the LIMIT, except at most 10,000 rows of `OFFSET`.
 */
const WALKS: readonly [RegExp, string][] = [
  [/FROM entry WHERE withdrawn = 0 ORDER BY updated_at DESC/, 'SCAN entry USING COVERING INDEX entry_recent'],
  [/FROM entry ORDER BY change DESC, number DESC LIMIT/, 'SCAN entry USING COVERING INDEX entry_change'],
  [/FROM entry WHERE withdrawn = 0 ORDER BY changes DESC/, 'SCAN entry USING COVERING INDEX entry_evolution'],
  [
    /LEFT JOIN origin o ON o.number = e.origin ORDER BY e.change DESC, e.number DESC LIMIT/,
    'SCAN e USING INDEX entry_change',
  ],
  [/FROM actor a .* ORDER BY a.number DESC LIMIT/, 'SCAN a'],
  [/FROM report WHERE resolved_at IS NULL ORDER BY number LIMIT/, 'SCAN report USING INDEX report_open'],
  [/FROM report p .* WHERE p.number < \? ORDER BY p.number DESC LIMIT/, 'SCAN p'],
  [/FROM moderation ORDER BY number DESC LIMIT/, 'SCAN moderation'],
  [/JOIN relation l .* ORDER BY s.sequence DESC LIMIT|FROM activity s .* ORDER BY s.sequence DESC LIMIT/, 'SCAN s'],
  [/FROM activity WHERE .* ORDER BY sequence DESC LIMIT \?\) s /, 'SCAN activity USING INDEX activity_written'],
  [/FROM retry ORDER BY number LIMIT/, 'SCAN retry'],
  [/FROM topic WHERE entries > 0 ORDER BY entries DESC, key LIMIT/, 'SCAN topic USING INDEX topic_top'],
  [/FROM asked_topic WHERE term IS NOT NULL ORDER BY networks DESC/, 'SCAN asked_topic USING INDEX asked_topic_public'],
  [/SELECT spelling AS tag/, 'SCAN topic USING COVERING INDEX topic_top'],
]
/** The few refused origins, and the few open reports: counted for administrators only. */
const COUNTS: readonly RegExp[] = [
  /^SELECT count\(\*\) AS n FROM report WHERE resolved_at IS NULL$/,
  /FROM origin WHERE blocked = 1 OR quarantined = 1/,
]
/** Sorts of one page that an index already chose. */
const SORTED_PAGES: readonly RegExp[] = [
  /WHERE e.number IN \(SELECT number FROM entry .* LIMIT \? OFFSET \?\) ORDER BY e\./,
]
/** The clock hours of which there are reads, of which there are as many as the retention has. */
const HOURS = /^SCAN (?:clock|c)$/
/** A page whose rows an index already chose, the (counted) voices of an entry (at most 1,000), and entries that moderation moves. */
const CHOSEN = /^SCAN (?:page|placed|voices|counted|m|\(subquery-\d+\))$/
/** The one row of totals, the few epochs and checkpoints of the log, and a row of given values. */
const ONE_ROW = /^SCAN (?:head|log_epoch|log_checkpoint|CONSTANT ROW)$/
/** Of an INSERT, the search for rows that refer to the new one: planned, and passed over unless a reference is open. */
const isReferenceCheck = (statement: Planned, step: string): boolean =>
  statement.text.startsWith('INSERT') && !new RegExp(`\\b${step.split(' ')[1]}\\b`).test(statement.text)

const isCount = ({ text }: Planned): boolean => COUNTS.some(pattern => pattern.test(text))

test('the test executes every statement of the store', () => {
  assert.deepEqual(unexercised, [])
  assert.ok(planned.length > 60, `${planned.length} statements`)
  const silent = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(isRows)
    .flatMap(file => [...readFileSync(join(SOURCES, file), 'utf8').matchAll(/(?:FROM|INTO|UPDATE) (\w+)/g)])
    .map(([, table]) => table ?? '')
    .filter(table => /^[a-z_]+$/.test(table) && !planned.some(({ text }) => text.includes(table)))
  assert.deepEqual(silent, [])
})

test('no statement scans a whole table', () => {
  for (const one of planned.filter(statement => !isCount(statement))) {
    for (const step of one.plan.filter(
      detail =>
        detail.startsWith('SCAN') &&
        !ONE_ROW.test(detail) &&
        !HOURS.test(detail) &&
        !CHOSEN.test(detail) &&
        !one.plan.includes(detail.replace('SCAN', 'CO-ROUTINE')) &&
        !isReferenceCheck(one, detail),
    )) {
      const walk = WALKS.find(([pattern, allowed]) => allowed === step && pattern.test(one.text))
      assert.ok(walk !== undefined && one.text.includes(' LIMIT ?'), `${step}\n${one.text}\n${one.plan.join('\n')}`)
    }
  }
})

test('no list is sorted after the read', () => {
  for (const one of planned) {
    if (!one.plan.some(step => /USE TEMP B-TREE FOR .*ORDER BY/.test(step))) continue
    assert.ok(
      SORTED_PAGES.some(pattern => pattern.test(one.text)),
      `${one.text}\n${one.plan.join('\n')}`,
    )
  }
})

test('a search reads matches in the order of the index', () => {
  for (const one of searched) {
    // Only virtual tables, results of subqueries and the values of a statement are walked; rows of every other table are looked up.
    for (const step of one.plan)
      assert.doesNotMatch(
        step,
        /^SCAN (?!(terms|ranked|json_each) VIRTUAL TABLE|\(subquery|\d+-ROW VALUES CLAUSE$)/,
        `${step}
${one.text}`,
      )
  }
  assert.ok(searched.some(({ plan }) => plan.some(step => step.startsWith('SCAN terms'))))
})

test('pages of feed, timeline, contributions, evidence, relations and revisions begin by an index lookup', () => {
  const hasStep = (pattern: RegExp, step: RegExp): void => {
    const found = planned.filter(({ text }) => pattern.test(text))
    assert.equal(found.length, 1, String(pattern))
    const plan = found[0]?.plan ?? []
    assert.ok(
      plan.some(detail => step.test(detail)),
      `${pattern}\n${plan.join('\n')}`,
    )
  }
  for (const [index, actions] of [
    ['activity_written', 'action NOT IN'],
    ['activity_read', 'action IN'],
  ]) {
    const step = new RegExp(`^SEARCH activity USING (COVERING )?INDEX ${index} \\((sequence|rowid)<\\?\\)$`)
    const feed = `request_id.* WHERE data_class = 'EXTERNAL' .*${actions} .* AND sequence < \\? ORDER BY`
    hasStep(new RegExp(`^(?=.*UNION ALL).*${feed}`), step)
    hasStep(new RegExp(`^(?!.*UNION ALL).*${feed}`), step)
  }
  hasStep(
    /WHERE entry = \? .* AND withdrawn = 0 AND sequence < \? ORDER BY/,
    /^SEARCH activity USING INDEX activity_timeline \(entry=\? AND <expr>=\? AND (sequence|rowid)<\?\)$/,
  )
  const changes = /AS shown FROM activity WHERE/.source
  for (const [condition, index, place] of [
    ['data_class', 'activity_written', ''],
    ['entry = \\?', 'activity_timeline', 'entry=\\? AND <expr>=\\? AND '],
    ['target = \\?', 'activity_target', 'target=\\? AND '],
    ['actor = \\?', 'activity_actor', 'actor=\\? AND '],
  ]) {
    hasStep(
      new RegExp(`${changes} ${condition} .* ORDER BY sequence LIMIT`),
      new RegExp(`^SEARCH activity USING INDEX ${index} \\(${place}(sequence|rowid)>\\? AND (sequence|rowid)<\\?\\)$`),
    )
  }
  hasStep(/WHERE moderated > \? /, /^SEARCH entry USING INDEX entry_moderated \(moderated>\? AND moderated<\?\)$/)
  hasStep(
    /FROM evidence v .*WHERE v\.entry = \? AND v\.ordinal <= \? AND v\.withdrawn = 0/,
    /^SEARCH v USING INDEX \w+ \(entry=\? AND ordinal<\?\)$/,
  )
  for (const columns of [/request_id.*/, /AS corrected /]) {
    hasStep(
      new RegExp(`${columns.source}FROM activity s .*WHERE s\\.actor = \\? AND s\\.hour IS NULL AND s\\.withdrawn = 0`),
      /^SEARCH s USING INDEX activity_actor \(actor=\?( AND (sequence|rowid)<\?)?\)$/,
    )
  }
  hasStep(/AS corrected /, /^SEARCH v USING (COVERING )?INDEX evidence_revision \(revision=\? AND result=\?\)$/)
  hasStep(
    /FROM relation_end x .*WHERE x\.entry = \? AND x\.ordinal <= \? AND l\.withdrawn = 0/,
    /^SEARCH x USING PRIMARY KEY \(entry=\? AND ordinal<\?\)$/,
  )
  hasStep(
    /FROM revision r .*WHERE r\.entry = \? AND r\.ordinal <= \?/,
    /^SEARCH r USING INDEX \w+ \(entry=\? AND ordinal<\?\)$/,
  )
})
