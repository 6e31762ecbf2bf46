import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Options as BenchOptions } from '../options.ts'
import { COSTS_FILE } from './costs.ts'
import { MANY } from './points.ts'

export type Options = {
  /** Measures the costs again. Measures the validation points and compares them with the model. */
  measure: boolean
  validate: boolean
  /** Parts of the measurement besides the embedded service. */
  parts: Part[]
  entries: number
  seconds: number
  rounds: number
  /** Number of reads that are simulated for each scenario. */
  requests: number
  seed: number
  work: string
  costs: string
  output: string
  chart: string
  say(text: string): void
}

export const PARTS = ['mirror', 'purges', 'varnish', 'postgres'] as const
export type Part = (typeof PARTS)[number]

export const USAGE = `npm run bench:model -- [options]
  --measure         measures the costs on this machine and saves them; needs wordnet-base
  --validate        measures other workloads, and compares them with the model; exits with 1 where a throughput is off by more than 20 %
  --parts A,B       measures these besides the embedded service, or none: ${PARTS.join(', ')}
  --entries N       entries of the measured store (60000; ${MANY} at least)
  --seconds S --rounds N      of each measured point (2, 3)
  --requests N      simulated reads of each scenario (100000)      --seed N
  --work DIR        keeps the filled stores between runs
  --costs FILE --output FILE --chart FILE   where costs, results and the picture go
Without --measure and --validate the model runs on the saved costs.
`

const RESULTS = join(import.meta.dirname, '../results')

/** Parses the command line. Throws with one sentence that names the mistake. */
export function readOptions(args: string[]): Options {
  const text = (byDefault: string) => ({ type: 'string', default: byDefault }) as const
  const { values } = parseArgs({
    args,
    options: {
      measure: { type: 'boolean', default: false },
      validate: { type: 'boolean', default: false },
      parts: text(PARTS.join(',')),
      entries: text('60000'),
      seconds: text('2'),
      rounds: text('3'),
      requests: text('100000'),
      seed: text('1'),
      work: text(join(tmpdir(), 'palimpsest-bench')),
      costs: text(COSTS_FILE),
      output: text(join(RESULTS, 'model.json')),
      chart: text(join(import.meta.dirname, '../../docs/scaling.svg')),
    },
  })
  return {
    ...values,
    parts: partsOf(values.parts),
    entries: numberOf('entries', values.entries, MANY, 1_000_000),
    seconds: numberOf('seconds', values.seconds, 0.1, 60),
    rounds: numberOf('rounds', values.rounds, 1, 100),
    requests: numberOf('requests', values.requests, 100, 10_000_000),
    seed: numberOf('seed', values.seed, 0, 2 ** 31),
    say: line => process.stderr.write(`${line}\n`),
  }
}

function partsOf(text: string): Part[] {
  const names = text === 'none' ? [] : text.split(',')
  const unknown = names.find(name => !PARTS.some(part => part === name))
  if (unknown !== undefined) throw new Error(`--parts knows no "${unknown}"; there are ${PARTS.join(', ')}.`)
  return PARTS.filter(part => names.includes(part))
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text === '' || !(value >= least && value <= most)) {
    throw new Error(`--${name} must be a number from ${least} to ${most}, not "${text}".`)
  }
  return value
}

/** The options of the functions of the bench. */
export const benchOptions = ({ work, entries, seconds, rounds, say }: Options): BenchOptions => ({
  ...{ work, entries, seconds, rounds, say },
  ...{ targets: [], measures: [], operations: ['R', 'S', 'W', 'M'], beside: undefined },
  ...{ large: entries, long: 1, connections: 32, output: '', resume: false, prepare: false, refill: false },
})
