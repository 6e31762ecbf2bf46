import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const USAGE = `Usage: node scripts/test.ts [--engine embedded|postgres] [PATTERN…]

Runs the tests of both engines, or of one: all of them, or the files that match. Several processes run at the same time, each with many files
one after another.
`
type Part = {
  patterns: readonly string[]
  /** Names of matching files that are excluded. */
  without: readonly string[]
  /** Number of processes of the part. More processes divide the work better; fewer processes load the service less often. */
  batches: number
  env: Readonly<Record<string, string>>
}
/** Tests of the interface whose answers depend only on documents, on texts, or on the index, which has the same code on both engines. */
const OF_NO_ENGINE = [
  ...['accepted-types', 'answerable', 'compression', 'discovery', 'find-languages', 'license', 'shared-cache-fields'],
  ...['shown-words', 'signals', 'well-known', 'wordnet'],
]
/**
 * The tests of each engine: all tests on the embedded store, and on PostgreSQL the tests of the interface that depend on the engine.
 * `npm run test:postgres18` runs all tests of the interface.
 */
const PARTS: Readonly<Record<string, Part>> = {
  embedded: { patterns: ['src/**/*.test.ts', 'test/**/*.test.ts'], without: [], batches: 9, env: {} },
  postgres: {
    patterns: ['test/acceptance/*.test.ts', 'test/contract/fuzz.test.ts'],
    without: OF_NO_ENGINE.map(name => `test/acceptance/${name}.test.ts`),
    batches: 4,
    env: { FUZZ_REQUESTS: '1000' },
  },
}
/** Number of processes that run at the same time. Some tests wait rather than compute. */
const TOGETHER = 5
/** Time limit of a test, in milliseconds: twice the duration of the longest test on a machine of a third of the usual speed. */
const LIMIT = 300_000

type Batch = { engine: string; files: readonly string[] }

/** The batches of a part. Adjacent files often take equally long, so they go into different batches. */
function batchesOf(engine: string, patterns: readonly string[]): Batch[] {
  const { batches, patterns: all, without } = PARTS[engine] as Part
  const files = patterns.length > 0 ? globSync([...patterns]) : globSync([...all]).filter(one => !without.includes(one))
  files.sort()
  return Array.from({ length: Math.min(batches, files.length) }, (_, index) => ({
    engine,
    files: files.filter((_file, place) => place % batches === index),
  }))
}

const { values, positionals } = parseArgs({ options: { engine: { type: 'string' } }, allowPositionals: true })
const engines = values.engine === undefined ? Object.keys(PARTS) : [values.engine]
const known = engines.every(engine => Object.hasOwn(PARTS, engine))
const batches = known ? engines.flatMap(engine => batchesOf(engine, positionals)) : []
if (batches.length === 0) {
  process.stderr.write(USAGE)
  process.exit(2)
}

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-run-'))
try {
  process.exitCode = run(batches.map(writeBatch))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Writes the program of a batch, and returns its path. */
function writeBatch({ engine, files }: Batch, index: number): string {
  const path = join(directory, `batch-${String(index + 1).padStart(2, '0')}-${engine}.mjs`)
  const module = pathToFileURL(join(import.meta.dirname, '../test/support/batch.ts')).href
  const env = { ...PARTS[engine]?.env, TEST_ENGINE: engine }
  const lines = [
    `Object.assign(process.env, ${JSON.stringify(env)})`,
    `const { runBatch } = await import('${module}')`,
    `runBatch(${JSON.stringify(files, null, 2)}, ${JSON.stringify(engine)}, ${JSON.stringify(`${path}.done`)})`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Runs the batches, and returns the exit code. */
function run(batches: readonly string[]): number {
  const flags = [
    '--test',
    // A handle that a failed test left open would keep the process running.
    '--test-force-exit',
    `--test-concurrency=${TOGETHER}`,
    `--test-timeout=${LIMIT}`,
    '--test-global-setup=test/support/global-setup.ts',
  ]
  const { status } = spawnSync(process.execPath, [...flags, ...batches], { stdio: 'inherit' })
  const unfinished = batches.filter(batch => !existsSync(`${batch}.done`))
  for (const batch of unfinished) process.stderr.write(`${batch} ended before its last test.\n`)
  return unfinished.length > 0 ? 1 : (status ?? 1)
}
