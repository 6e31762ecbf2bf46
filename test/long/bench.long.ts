import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { OPERATIONS } from '../../bench/load/order.ts'
import { type Results, readResults } from '../../bench/results.ts'
import { hasWordnet } from '../../scripts/wordnet.ts'

const BENCH = join(import.meta.dirname, '../../bench/bench.ts')

test('the harness measures every operation and all other measures on a small store', {
  skip: !hasWordnet() && "Debian's wordnet-base is not here",
}, async t => {
  const work = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
  t.after(() => rmSync(work, { recursive: true, force: true }))
  const output = join(work, 'results.json')
  const measures = ['reads', 'slow-disk', 'memory', 'ready', 'growth', 'search']
  const what = ['--targets', 'palimpsest,limit-sqlite', '--measures', measures.join(',')]
  const size = ['--entries', '500', '--large', '1000', '--seconds', '0.5', '--rounds', '1', '--long', '6000']
  const { stderr } = await promisify(execFile)(process.execPath, [
    BENCH,
    ...what,
    ...size,
    '--work',
    work,
    '--output',
    output,
  ])

  const { targets, measures: measured, skipped } = readResults(output) as Results
  assert.deepEqual(skipped, {}, stderr)
  assert.deepEqual(Object.keys(targets.palimpsest?.rounds ?? {}), [...OPERATIONS])
  assert.ok((targets['limit-sqlite']?.rounds.W?.[0]?.perSecond ?? 0) > 1)
  assert.deepEqual(Object.keys(measured), measures)
  for (const [name, figures] of Object.entries(measured)) {
    for (const [figure, value] of Object.entries(figures)) assert.ok(value > 0, `${name}: ${figure} is ${value}`)
  }
})
