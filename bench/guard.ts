import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './numbers.ts'
import { type Results, type Round, readResults } from './results.ts'

/*
 * Compares the speed of this checkout with that of a commit in one run of some 90 seconds: reads (R), lists (L) and writes (W) per second of
 * processor time, in alternating rounds. Exit code 1 means that one of them lost more than 3 %.
 */

const USAGE = `npm run bench:guard -- [COMMIT] [--rounds N]
  COMMIT        the commit to compare with; the last release's by default
  --rounds N    rounds of each operation (6)
`
const OPERATIONS = ['R', 'L', 'W'] as const
const LOST = 0.97
const ROOT = join(import.meta.dirname, '..')

const git = (...args: string[]): string => execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' }).trim()

function lastRelease(): string {
  try {
    return git('describe', '--tags', '--abbrev=0')
  } catch {
    throw new Error('There is no release yet: name the commit to compare with, such as HEAD~20.')
  }
}

/** Puts the files of a commit into a directory, with the packages that it names. */
function checkOut(commit: string, directory: string): void {
  git('worktree', 'add', '--quiet', '--detach', '--force', directory, commit)
  const lock = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  const installed = join(ROOT, 'node_modules')
  if (existsSync(installed) && lock(directory) === lock(ROOT)) symlinkSync(installed, join(directory, 'node_modules'))
  else execFileSync('npm', ['ci', '--silent'], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The rate of one round per second of processor time, which other programs on the machine change less than the rate itself. */
const perCore = ({ perSecond, server }: Round): number => perSecond / server

/** The ratio of this checkout to the other in each round, in ascending order. */
function ratiosOf({ targets }: Results, operation: (typeof OPERATIONS)[number]): number[] {
  const now = targets.palimpsest?.rounds[operation] ?? []
  const before = targets.beside?.rounds[operation] ?? []
  return now.map((round, at) => perCore(round) / perCore(before[at] ?? round)).sort((one, other) => one - other)
}

function report(results: Results, commit: string): boolean {
  const lines = OPERATIONS.map(operation => {
    const ratios = ratiosOf(results, operation)
    const middle = median(ratios)
    if (middle === undefined) throw new Error(`${operation} was not measured: ${JSON.stringify(results.skipped)}`)
    const [least, most] = [ratios[0] ?? middle, ratios.at(-1) ?? middle]
    return { lost: middle < LOST, text: `${operation}  ${[middle, least, most].map(one => one.toFixed(2)).join('  ')}` }
  })
  process.stdout.write(`Speed as a ratio to ${commit}: median, lowest and highest round\n`)
  for (const { lost, text } of lines) process.stdout.write(`${text}${lost ? '  LOST more than 3 %' : ''}\n`)
  return lines.some(({ lost }) => lost)
}

/** Returns whether an operation lost. */
function guard(args: string[]): boolean {
  const options = { rounds: { type: 'string', default: '6' }, help: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (values.help) {
    process.stdout.write(USAGE)
    return false
  }
  const commit = git('rev-parse', '--short', positionals[0] ?? lastRelease())
  const work = mkdtempSync(join(tmpdir(), 'palimpsest-guard-'))
  const [before, output] = [join(work, 'before'), join(work, 'figures.json')]
  try {
    checkOut(commit, before)
    const run = ['--beside', before, '--targets', 'palimpsest,beside', '--operations', OPERATIONS.join(',')]
    const size = ['--entries', '2000', '--seconds', '1', '--rounds', values.rounds, '--measures', 'none']
    const bench = [join(import.meta.dirname, 'bench.ts'), ...run, ...size, '--work', work, '--output', output]
    const { status } = spawnSync(process.execPath, bench, { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) throw new Error('The comparison did not end; the lines above say why.')
    const results = readResults(output)
    if (results === undefined) throw new Error(`${output} is missing.`)
    return report(results, commit)
  } finally {
    rmSync(work, { recursive: true, force: true })
    git('worktree', 'prune')
  }
}

try {
  process.exitCode = guard(process.argv.slice(2)) ? 1 : 0
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
