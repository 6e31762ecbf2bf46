import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename } from 'node:path'

/** Files that measure neither duration nor rate nor memory. Two of them run at the same time; each other file runs alone. */
const UNTIMED = [
  ...['concurrency', 'engines', 'faces', 'fuzz', 'log-kill', 'mirror', 'moderation', 'nth-fault', 'nth-message'],
  ...['power-loss', 'retries', 'secrets'],
]
/** Time limit of a test, in milliseconds. */
const LIMIT = 1_800_000

const files = globSync('test/long/*.long.ts').sort()
const isUntimed = (file: string) => UNTIMED.includes(basename(file, '.long.ts'))

/** Runs the files, at most `together` at the same time. Returns the exit code. */
function run(chosen: readonly string[], together: number): number {
  const flags = ['--test', '--test-force-exit', `--test-concurrency=${together}`, `--test-timeout=${LIMIT}`]
  return spawnSync(process.execPath, [...flags, ...chosen], { stdio: 'inherit' }).status ?? 1
}

const timed = files.filter(file => !isUntimed(file))
const codes = [run(timed, 1), run(files.filter(isUntimed), 2)]
process.exitCode = codes.find(code => code !== 0) ?? 0
