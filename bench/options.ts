import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { OPERATIONS, type Operation } from './load/order.ts'

export type Options = {
  entries: number
  /** Names of targets and of further measures. */
  targets: string[]
  measures: string[]
  operations: Operation[]
  /** Another checkout of the service. It is measured as the targets beside and beside-postgres. */
  beside: string | undefined
  /** Number of entries of the store for the measurements of growth, searches and starts. */
  large: number
  seconds: number
  /** Number of requests during which memory is recorded. */
  long: number
  rounds: number
  connections: number
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
  const { values } = parseArgs({
    args,
    options: {
      entries: { type: 'string', default: '100000' },
      targets: { type: 'string' },
      measures: { type: 'string', default: known.measures.join(',') },
      operations: { type: 'string', default: OPERATIONS.join(',') },
      beside: { type: 'string' },
      large: { type: 'string', default: '1000000' },
      long: { type: 'string', default: '1800000' },
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '32' },
      work: { type: 'string', default: join(tmpdir(), 'palimpsest-bench') },
      output: { type: 'string', default: join(import.meta.dirname, 'results/latest.json') },
      resume: { type: 'boolean', default: false },
    },
  })
  const targets = values.beside === undefined ? known.targets : [...known.targets, ...known.beside]
  return {
    entries: number('entries', values.entries, 200, 10_000_000),
    targets: some('targets', values.targets ?? targets.join(','), targets),
    measures: some('measures', values.measures, known.measures),
    operations: some('operations', values.operations, OPERATIONS),
    beside: values.beside === undefined ? undefined : resolve(values.beside),
    large: number('large', values.large, 200, 1_000_000),
    long: number('long', values.long, 1, 100_000_000),
    seconds: number('seconds', values.seconds, 0.1, 600),
    rounds: number('rounds', values.rounds, 1, 100),
    connections: number('connections', values.connections, 1, 1_000),
    work: values.work,
    output: values.output,
    resume: values.resume,
    say: text => process.stderr.write(`${text}\n`),
  }
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text === '' || !(value >= least && value <= most)) {
    throw new Error(`--${name} must be a number from ${least} to ${most}, not "${text}".`)
  }
  return value
}

/** Selects names from a list, in its order; "none" selects nothing. */
function some<T extends string>(name: string, text: string, all: readonly T[]): T[] {
  const asked = text === 'none' || text === '' ? [] : text.split(',').map(one => one.trim())
  const unknown = asked.find(one => !all.some(known => known === one))
  if (unknown !== undefined) throw new Error(`--${name} knows no "${unknown}"; there are ${all.join(', ')}.`)
  return all.filter(one => asked.includes(one))
}
