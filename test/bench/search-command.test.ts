import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { columnOf } from '../support/client.ts'

const COMMAND = join(import.meta.dirname, '../../bench/search/main.ts')

type Report = {
  results: { name: string; systems: { name: string; kinds: Record<string, { questions: number; ndcg: number }> }[] }[]
  judged: { system: string; bounds: { name: string; held: boolean | null }[] }[]
}

const run = (...args: string[]) => spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' })

/** A directory with one collection of two entries and one question. */
function tinyCollections(context: TestContext, judgment: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-collections-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const folder = join(directory, 'tiny')
  mkdirSync(join(folder, 'qrels'), { recursive: true })
  const entries = [
    { _id: 'kettle', title: 'Descaling', text: 'Vinegar dissolves the limestone in a kettle.' },
    { _id: 'lamp', title: '', text: 'A lamp that flickers has a loose bulb.' },
  ]
  writeFileSync(join(folder, 'corpus.jsonl'), entries.map(entry => `${JSON.stringify(entry)}\n`).join(''))
  writeFileSync(join(folder, 'queries.jsonl'), `${JSON.stringify({ _id: '1', text: 'limestone' })}\n`)
  writeFileSync(join(folder, 'qrels/test.tsv'), `query-id\tcorpus-id\tscore\n${judgment}\n`)
  return directory
}

test('a collection is measured over HTTP and against the reference, and the exit code follows the bounds', context => {
  const { status, stdout, stderr } = run(
    '--json',
    '--only',
    'tiny',
    '--collections',
    tinyCollections(context, '1\tkettle\t1'),
  )
  assert.notEqual(status, 2, stderr)
  const { results, judged } = JSON.parse(stdout) as Report
  assert.deepEqual(columnOf(results, 'name'), ['tiny'])
  const systems = results[0]?.systems ?? []
  assert.ok(systems.some(({ name }) => name === 'search') && systems.some(({ name }) => name === 'fts5 porter OR'))
  for (const { name, kinds } of systems) {
    assert.deepEqual([kinds.question?.questions, kinds.question?.ndcg], [1, 1], name)
    assert.ok((kinds.typo?.questions ?? 0) === 1 && (kinds.foreign?.questions ?? 0) > 10, name)
  }
  const missed = judged.flatMap(({ bounds }) => bounds).filter(({ held }) => held === false)
  assert.equal(status, missed.length === 0 ? 0 : 1)
})

test('a judgment of a missing entry ends the command with one sentence that names both', context => {
  const { status, stderr } = run('--only', 'tiny', '--collections', tinyCollections(context, '1\tteapot\t1'))
  assert.equal(status, 2)
  assert.match(stderr, /test\.tsv: the entry "teapot" is not there\.$/m)
})
