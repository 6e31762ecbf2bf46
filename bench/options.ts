import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { OPERATIONS, type Operation } from './load/order.ts'

/** Numbers: the default, and the least and the most that is accepted. */
const NUMBERS = {
  /** Entries of the store that is compared. */
  entries: [100_000, 200, 10_000_000],
  /** Entries of the store for the measurements of growth, searches and starts. */
  large: [1_000_000, 200, 1_000_000],
  /** Requests during which memory is recorded. */
  long: [1_800_000, 1, 100_000_000],
  seconds: [5, 0.1, 600],
  rounds: [3, 1, 100],
  connections: [32, 1, 1_000],
} as const
type NumberName = keyof typeof NUMBERS

export type Options = Record<NumberName, number> & {
  /** Names of targets and of further measures. */
  targets: string[]
  measures: string[]
  operations: Operation[]
  /** Another checkout of the service. It is measured as the targets beside and beside-postgres. */
  beside: string | undefined
  work: string
  output: string
  resume: boolean
  /** Reports progress on standard error. */
  say(text: string): void
}

export const USAGE = `npm run bench -- [options]
  --entries N       entries of the store that is compared (100000); targets that fill slowly take fewer and say so
  --large N         entries of the store for growth, search and ready (1000000)
  --targets A,B     only these, or none        --operations R,L,S,W,U,M   only these
  --beside DIR      another checkout of the service, installed, as the targets beside and beside-postgres
  --measures A,B    only these, or none        --seconds S --rounds N --connections N
  --long N          requests over which memory is watched (1800000: an hour of 500 a second)
  --work DIR        where installs and filled stores are kept between runs
  --output FILE     where the figures go (bench/results/latest.json); --resume goes on with what is in it
`

/** Parses the command line. Throws with one sentence that names the mistake. */
export function readOptions(
  args: string[],
  known: { targets: string[]; beside: string[]; measures: string[] },
): Options {
  const names = Object.keys(NUMBERS) as NumberName[]
  const texts = ['targets', 'measures', 'operations', 'beside', 'work', 'output', ...names] as const
  const { values } = parseArgs({
    args,
    options: {
      ...(Object.fromEntries(texts.map(name => [name, { type: 'string' }])) as Record<
        (typeof texts)[number],
        { type: 'string' }
      >),
      resume: { type: 'boolean', default: false },
    },
  })
  const { beside, measures, operations, work, output, resume } = values
  const targets = beside === undefined ? known.targets : [...known.targets, ...known.beside]
  return {
    ...(Object.fromEntries(names.map(name => [name, number(name, values[name])])) as Record<NumberName, number>),
    targets: some('targets', values.targets, targets),
    measures: some('measures', measures, known.measures),
    operations: some('operations', operations, OPERATIONS),
    beside: beside === undefined ? undefined : resolve(beside),
    work: work ?? join(tmpdir(), 'palimpsest-bench'),
    output: output ?? join(import.meta.dirname, 'results/latest.json'),
    resume,
    say: text => process.stderr.write(`${text}\n`),
  }
}

function number(name: NumberName, text: string | undefined): number {
  const [byDefault, least, most] = NUMBERS[name]
  const value = text === undefined ? byDefault : Number(text)
  if (text === '' || !(value >= least && value <= most)) {
    throw new Error(`--${name} must be a number from ${least} to ${most}, not "${text}".`)
  }
  return value
}

/** Selects names from a list, in its order: all by default, and with "none" nothing. */
function some<T extends string>(name: string, text: string | undefined, all: readonly T[]): T[] {
  if (text === undefined) return [...all]
  const asked = text === 'none' ? [] : text.split(',').map(one => one.trim())
  const unknown = asked.find(one => !all.some(known => known === one))
  if (unknown !== undefined) throw new Error(`--${name} knows no "${unknown}"; there are ${all.join(', ')}.`)
  return all.filter(one => asked.includes(one))
}
