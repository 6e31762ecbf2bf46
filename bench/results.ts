import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { Claim } from './claims.ts'
import type { Operation } from './load/order.ts'

/** One round of one operation, the how many-th of which run: per second, and milliseconds; shares of one core that the target and the load took. */
export type Round = {
  run: string
  round: number
  perSecond: number
  p50: number
  p99: number
  server: number
  load: number
}
export type TargetResult = {
  about: string
  entries: number
  rounds: Partial<Record<Operation, Round[]>>
  /** Megabytes once started, at most while measured, and at the end. */
  memory?: { start: number; most: number; end: number }
  /** Of the filled store at rest, and of the texts in it. */
  bytesPerEntry?: number
  textBytesPerEntry?: number
}
export type Results = {
  date: string
  machine: { processor: string; cores: number; memoryGb: number; kernel: string; node: string; pinned: boolean }
  settings: { entries: number; seconds: number; rounds: number; connections: number }
  targets: Record<string, TargetResult>
  /** Why a target or a measure is missing. */
  skipped: Record<string, string>
  measures: Record<string, Record<string, number>>
  claims: Claim[]
}

export const newResults = (settings: Results['settings'], pinned: boolean): Results => ({
  date: new Date().toISOString().slice(0, 10),
  machine: {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    pinned,
  },
  settings,
  targets: {},
  skipped: {},
  measures: {},
  claims: [],
})

export const readResults = (path: string): Results | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : undefined

/** Writes the results wholly or not at all. */
export function saveResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(results, null, 2)}\n`)
  renameSync(`${path}.new`, path)
}

/** The middle of some numbers; of an even count the lower of the two; undefined of none. */
export const median = (list: readonly number[]): number | undefined =>
  [...list].sort((a, b) => a - b)[(list.length - 1) >> 1]

/** The median over the rounds of an operation's rate per second on a target. */
export const rateOf = (
  { targets }: Pick<Results, 'targets'>,
  target: string,
  operation: Operation,
): number | undefined => median((targets[target]?.rounds[operation] ?? []).map(({ perSecond }) => perSecond))

/** How many times as much one target did as another: the median of the ratios within each round of a run, which share the state of the machine. */
export function ratioOf(results: Results, target: string, other: string, operation: Operation): number | undefined {
  const [own, others] = [target, other].map(name => results.targets[name]?.rounds[operation] ?? [])
  const pairs = (own ?? []).flatMap(({ run, round, perSecond }) => {
    const beside = others?.find(one => one.run === run && one.round === round)?.perSecond
    return beside === undefined ? [] : [perSecond / beside]
  })
  return median(pairs)
}
