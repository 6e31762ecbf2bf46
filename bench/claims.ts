import { ENTRY_BYTES_MEAN } from './corpus.ts'
import type { Operation } from './load/order.ts'
import { median } from './numbers.ts'
import { type Results, rateOf, ratioOf } from './results.ts'

/** A promise: the measured figure and the promised one. `held` is null if the figure was not measured. */
export type Claim = { name: string; measured: string; target: string; held: boolean | null }

const OWN = 'palimpsest'
const PEERS = ['mcp-memory', 'mediawiki']

/** The kinds of reads that are compared with the read of an entry, and the share of its rate that each has at least. */
const READS: readonly (readonly [kind: string, least: number])[] = [
  ['with a token', 0.8],
  ['conditional', 1.2],
  ['revision', 0.6],
  ['evidence', 0.5],
  ['activity', 0.5],
  ['page', 0.15],
]

/** The processor time of a create in microseconds, median of the rounds; undefined if it was not measured. */
function createCost({ targets }: Results): number | undefined {
  const rounds = targets[OWN]?.rounds.W ?? []
  return median(rounds.map(({ server, perSecond }) => (server / perSecond) * 1e6))
}

/** Judges every promise about speed and size against the figures of a run. */
export function judge(results: Results): Claim[] {
  const { memory, bytesPerEntry } = results.targets[OWN] ?? {}
  const disk = bytesPerEntry === undefined ? undefined : bytesPerEntry / ENTRY_BYTES_MEAN
  return [
    times(results, 'R against plain node:http, same bytes', 'R', ['limit-http'], 0.75),
    times(results, 'L against plain node:http, same bytes', 'L', ['limit-http'], 0.75),
    times(results, 'R against the best peer', 'R', PEERS, 60),
    times(results, 'L against the best peer', 'L', PEERS, 60),
    times(results, 'S against the best peer', 'S', PEERS, 60),
    times(results, 'W against the best peer', 'W', PEERS, 60),
    times(results, 'U against the best peer', 'U', PEERS, 40),
    times(results, 'W against the same creates on plain node:sqlite in groups of 32', 'W', ['limit-sqlite'], 1.2),
    ...READS.map(([kind, least]) => atLeast(`R ${kind} against R`, results.measures.reads?.[kind], least, '×')),
    atMost('processor time of a create, all threads', createCost(results), 850, 'µs'),
    atMost('memory at the end of the comparison', memory?.end, 180, 'MB'),
    atMost('bytes on disk for each byte of text, search index included', disk, 2.2, ''),
    ...measured(results),
  ]
}

function measured({ measures, targets }: Results): Claim[] {
  const { search, growth, ready, memory, log } = measures
  const slow = measures['slow-disk']
  const postgres = measures['search-postgres']
  const of = (figures: Record<string, number> | undefined): string =>
    ` at ${(figures?.entries ?? 1_000_000).toLocaleString('en-US')} entries`
  const [slowest, ratio] = largest(growth, '/')
  const flat = memory === undefined ? undefined : Number(memory['at the end']) / Number(memory['after a quarter'])
  const rate = (target: string, operation: Operation) => rateOf({ targets }, target, operation)
  const together = rate('palimpsest-postgres-3', 'W')
  return [
    atMost(`slowest search p99 by recency${of(search)}`, largest(search, 'recent ')[1], 25, 'ms'),
    atMost(`slowest search p99 by relevance${of(search)}`, largest(search, 'relevance ')[1], 40, 'ms'),
    atMost(
      `time of the read that grows most${of(growth)} against 10,000${slowest === '' ? '' : ` (${slowest})`}`,
      ratio,
      2,
      '×',
    ),
    atLeast('W with every sync slowed by 5 ms, 64 connections', slow?.['creates per second'], 2_500, '/s'),
    atMost('p99 of R beside those writers against without', slow?.['R p99 ratio'], 2, '×'),
    atLeast('W with the public log against without it', log?.['creates ratio'], 0.85, '×'),
    atMost('p99 of R beside writers with the public log against without it', log?.['R p99 ratio'], 1.5, '×'),
    atMost(
      'wait of a record for a checkpoint while writes come at full speed',
      log?.['seconds until a checkpoint'],
      2,
      's',
    ),
    atMost(`proof of a record of the public log${of(log)}`, log?.['proof p50'], 2, 'ms'),
    atMost(
      `memory after ${memory?.requests?.toLocaleString('en-US') ?? 'many'} requests against after a quarter`,
      flat,
      1.1,
      '×',
    ),
    atMost(`start to ready${of(ready)}`, ready?.milliseconds, 1_000, 'ms'),
    atLeast('R on PostgreSQL, one node', rate('palimpsest-postgres', 'R'), 15_000, '/s'),
    atLeast('W on PostgreSQL, one node', rate('palimpsest-postgres', 'W'), 1_500, '/s'),
    atLeast('W on PostgreSQL, three nodes together', together, 1_500, '/s'),
    atMost(`slowest search p99 by recency on PostgreSQL${of(postgres)}`, largest(postgres, 'recent ')[1], 40, 'ms'),
  ]
}

/** The largest of the figures whose names have this beginning, with its name; undefined if there is none. */
function largest(figures: Record<string, number> = {}, beginning: string): [string, number | undefined] {
  const chosen = Object.entries(figures).filter(([name]) => name.startsWith(beginning))
  return chosen.sort(([, a], [, b]) => b - a)[0] ?? ['', undefined]
}

function times(results: Results, name: string, operation: Operation, others: string[], factor: number): Claim {
  const ratios = others.flatMap(other => ratioOf(results, OWN, other, operation) ?? [])
  return atLeast(name, ratios.length === 0 ? undefined : Math.min(...ratios), factor, '×')
}

const figureText = (figure: number, unit: string, whole = false): string => {
  const short = figure < 1_000 ? Number(figure.toPrecision(3)) : Math.round(figure).toLocaleString('en-US')
  return `${whole ? figure : short} ${unit}`.trim()
}

const judged = (
  name: string,
  figure: number | undefined,
  sign: string,
  bound: number,
  unit: string,
  held: boolean,
): Claim => ({
  name,
  // A figure that misses its bound but rounds to it is printed in full.
  measured:
    figure === undefined
      ? 'not measured'
      : figureText(figure, unit, !held && figureText(figure, unit) === figureText(bound, unit)),
  target: `${sign} ${figureText(bound, unit)}`,
  held: figure === undefined ? null : held,
})

const atLeast = (name: string, figure: number | undefined, least: number, unit: string): Claim =>
  judged(name, figure, '≥', least, unit, figure !== undefined && figure >= least)

const atMost = (name: string, figure: number | undefined, most: number, unit: string): Claim =>
  judged(name, figure, '≤', most, unit, figure !== undefined && figure <= most)
