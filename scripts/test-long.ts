import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename } from 'node:path'

/** The files that judge no duration, no rate and no memory. Two of them run at the same time, each of the others alone. */
const UNTIMED = [
  ...['concurrency', 'engines', 'faces', 'fuzz', 'log-kill', 'mirror', 'moderation', 'nth-fault', 'nth-message'],
  ...['power-loss', 'retries', 'secrets', 'wordnet', 'wordnet-postgres'],
]
/** How long a test may take, in milliseconds. */
const LIMIT = 1_800_000

const files = globSync('test/long/*.long.ts').sort()
const isUntimed = (file: string) => UNTIMED.includes(basename(file, '.long.ts'))

/** Runs the files, as many at the same time as `together` says, and returns the exit code. */
function run(chosen: readonly string[], together: number): number {
  const flags = ['--test', '--test-force-exit', `--test-concurrency=${together}`, `--test-timeout=${LIMIT}`]
  return spawnSync(process.execPath, [...flags, ...chosen], { stdio: 'inherit' }).status ?? 1
}

const timed = files.filter(file => !isUntimed(file))
const codes = [run(timed, 1), run(files.filter(isUntimed), 2)]
process.exitCode = codes.find(code => code !== 0) ?? 0
