import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const USAGE = `Usage: node scripts/test.ts [--engine embedded|postgres] PATTERN…

Runs all test files that match, several one after another in each of a few processes.
`
/** Processes that run at the same time: some tests wait rather than compute. */
const TOGETHER = 4
/** Processes of a run. More divide the work better, fewer load the service less often. */
const BATCHES = 8
/** How long a test may take, in milliseconds. */
const LIMIT = 120_000

const { values, positionals } = parseArgs({
  options: { engine: { type: 'string', default: 'embedded' } },
  allowPositionals: true,
})
const files = globSync(positionals).sort()
if (files.length === 0) {
  process.stderr.write(USAGE)
  process.exit(2)
}

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-run-'))
try {
  process.exitCode = run(Array.from({ length: Math.min(BATCHES, files.length) }, (_, index) => writeBatch(index)))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Writes the program of a batch. Neighbours, which often take as long as each other, come into different batches. */
function writeBatch(index: number): string {
  const path = join(directory, `batch-${index + 1}.mjs`)
  const module = pathToFileURL(join(import.meta.dirname, '../test/support/batch.ts')).href
  const own = files.filter((_, place) => place % BATCHES === index)
  const call = `runBatch(${JSON.stringify(own, null, 2)}, ${JSON.stringify(`${path}.done`)})`
  writeFileSync(path, `import { runBatch } from '${module}'\n${call}\n`)
  return path
}

/** Runs the batches, and returns the exit code. */
function run(batches: readonly string[]): number {
  const flags = [
    '--test',
    // A handle that a failed test left open would keep the run waiting.
    '--test-force-exit',
    `--test-concurrency=${TOGETHER}`,
    `--test-timeout=${LIMIT}`,
    '--test-global-setup=test/support/global-setup.ts',
  ]
  const { status } = spawnSync(process.execPath, [...flags, ...batches], {
    stdio: 'inherit',
    env: { ...process.env, TEST_ENGINE: values.engine },
  })
  const unfinished = batches.filter(batch => !existsSync(`${batch}.done`))
  for (const batch of unfinished) process.stderr.write(`${batch} ended before its last test.\n`)
  return unfinished.length > 0 ? 1 : (status ?? 1)
}
