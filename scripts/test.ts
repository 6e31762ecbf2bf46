import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'

const USAGE = `Usage: node scripts/test.ts [--part NAME…] [PATTERN…]

Runs a part of the tests, or the files of it that match. The parts:
  quick     what npm test runs: all tests on the embedded store but the slow ones (the default)
  embedded  all tests on the embedded store
  postgres  the tests of the interface that depend on the engine, on PostgreSQL
  browser   the tests of the pages in Chromium
Several processes run at the same time, each with many files one after another.
`
type Part = {
  engine: 'embedded' | 'postgres'
  patterns: readonly string[]
  /** Patterns of matching files that are excluded. */
  without: readonly string[]
  /** Number of processes of the part. More processes divide the work better; fewer processes load the service less often. */
  batches: number
  /** Number of processes that run at the same time. Some tests wait rather than compute. */
  together: number
  env: Readonly<Record<string, string>>
}
/** Tests of the interface whose answers depend only on documents, on texts, or on the index, which has the same code on both engines. */
const OF_NO_ENGINE = [
  ...['accepted-types', 'answerable', 'compression', 'discovery', 'find-languages', 'license', 'shared-cache-fields'],
  ...['shown-words', 'signals', 'well-known'],
]
/** Tests that repeat faults, load a service, start many processes, build packages, or need programs of the operator. */
const SLOW = [
  'test/{bench,deploy,faults}/**/*.test.ts',
  'test/{docs-commands,extending}.test.ts',
  'test/acceptance/{index-behind,log-witness,mirror-follow,mirror-restored,purge}.test.ts',
  'test/cli/{backup,demo,doctor,launcher,load,log-file,recovery,refusals,round-trip,scheduled-backup,start}.test.ts',
  'test/cli/mirror/{log-epochs,mirror,refusals}.test.ts',
  'test/cli/people/edit.test.ts',
  'test/client/{own-package,package}.test.ts',
  'test/contract/{connections,health-first}.test.ts',
  'test/database/log-size.test.ts',
  'test/embedded/{log-epochs,search-waits}.test.ts',
  'test/mcp/{recorded-windows,windows}.test.ts',
]
const EMBEDDED = ['src/**/*.test.ts', 'test/**/*.test.ts']
const PARTS: Readonly<Record<string, Part>> = {
  quick: { engine: 'embedded', patterns: EMBEDDED, without: SLOW, batches: 5, together: 5, env: {} },
  embedded: { engine: 'embedded', patterns: EMBEDDED, without: [], batches: 9, together: 5, env: {} },
  postgres: {
    engine: 'postgres',
    patterns: ['test/acceptance/*.test.ts', 'test/contract/fuzz.test.ts'],
    without: OF_NO_ENGINE.map(name => `test/acceptance/${name}.test.ts`),
    batches: 4,
    together: 4,
    env: { FUZZ_REQUESTS: '1000' },
  },
  browser: { engine: 'embedded', patterns: ['test/**/*.browser.ts'], without: [], batches: 9, together: 3, env: {} },
}
/** Time limit of a test, in milliseconds: twice the duration of the longest test on a machine of a third of the usual speed. */
const LIMIT = 300_000

/** What happened in a run. A cancelled test, a failed hook and a file that did not reach its end have failed. */
class Outcome {
  #passed = 0
  readonly #failures: string[] = []
  readonly #skipped = new Map<string, number>()

  pass(name: string, skip: string | boolean | undefined): void {
    if (skip === undefined || skip === false) this.#passed += 1
    else {
      const reason = typeof skip === 'string' ? skip : name
      this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1)
    }
  }

  fail(name: string): void {
    this.#failures.push(name)
  }

  get failed(): number {
    return this.#failures.length
  }

  /** A line for each failure and for each reason of skipped tests, and the counts in the last line. */
  report(): string {
    const reasons = [...this.#skipped].map(([reason, count]) => `skipped ${count}: ${reason}`)
    const skipped = [...this.#skipped.values()].reduce((sum, count) => sum + count, 0)
    const lines = [...this.#failures.map(name => `FAILED: ${name}`), ...reasons.sort()]
    return `${[...lines, `${this.#passed} passed, ${this.failed} failed, ${skipped} skipped`].join('\n')}\n`
  }
}

/** Writes the programs of a part into a directory. Adjacent files often take equally long, so they go into different batches. */
function writeBatches(directory: string, name: string, part: Part, patterns: readonly string[]): string[] {
  const excluded = new Set(globSync([...part.without]))
  const chosen = patterns.length > 0 ? globSync([...patterns]) : globSync([...part.patterns])
  const files = chosen.filter(file => patterns.length > 0 || !excluded.has(file)).sort()
  const count = Math.min(part.batches, files.length)
  return Array.from({ length: count }, (_, index) => {
    const path = join(directory, `${name}-${String(index + 1).padStart(2, '0')}.mjs`)
    const module = pathToFileURL(join(import.meta.dirname, '../test/support/batch.ts')).href
    const own = files.filter((_file, place) => place % count === index)
    const lines = [
      `Object.assign(process.env, ${JSON.stringify({ ...part.env, TEST_ENGINE: part.engine })})`,
      `const { runBatch } = await import('${module}')`,
      `runBatch(${JSON.stringify(own, null, 2)}, ${JSON.stringify(part.engine)}, ${JSON.stringify(`${path}.done`)})`,
    ]
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  })
}

/** Runs batches, and prints the report of Node. */
async function runBatches(batches: readonly string[], together: number, outcome: Outcome): Promise<void> {
  const events = run({
    files: [...batches],
    concurrency: together,
    timeout: LIMIT,
    // A handle that a failed test left open would keep the process running.
    forceExit: true,
  })
  events.on('test:pass', ({ name, skip, details }) => {
    if (!batches.includes(name) && (details.type !== 'suite' || skip)) outcome.pass(name, skip)
  })
  events.on('test:fail', ({ name, details }) => {
    const failure = (details.error as { failureType?: string }).failureType
    if (failure !== 'subtestsFailed') outcome.fail(`${name} (${failure ?? 'no reason'})`)
  })
  const reporter = events.compose(spec())
  reporter.pipe(process.stdout, { end: false })
  await finished(reporter)
  for (const batch of batches.filter(batch => !existsSync(`${batch}.done`))) {
    outcome.fail(`${batch} ended before its last test`)
  }
}

const { values, positionals } = parseArgs({
  options: { part: { type: 'string', multiple: true } },
  allowPositionals: true,
})
const parts = values.part ?? ['quick']
if (parts.some(name => !Object.hasOwn(PARTS, name))) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const outcome = new Outcome()
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-run-'))
try {
  await globalSetup()
  for (const name of parts) {
    const part = PARTS[name] as Part
    const batches = writeBatches(directory, name, part, positionals)
    if (batches.length === 0) throw new Error(`No test file matches ${positionals.join(' ')}.`)
    await runBatches(batches, part.together, outcome)
  }
} finally {
  await globalTeardown()
  rmSync(directory, { recursive: true, force: true })
}
process.stdout.write(outcome.report())
process.exitCode = outcome.failed === 0 ? 0 : 1
