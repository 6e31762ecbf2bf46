import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { Claim } from './claims.ts'
import type { Operation } from './load/order.ts'
import { median } from './numbers.ts'

/**
 * A round of an operation: its run and its number, operations per second, times in milliseconds, and the shares of one core that target and
 * load used.
 */
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
  /** Megabytes: the maximum during the measurement, and at the end. */
  memory?: { most: number; end: number }
  /** Bytes per entry of the filled store at rest. */
  bytesPerEntry?: number
}
export type Results = {
  date: string
  machine: { processor: string; cores: number; memoryGb: number; kernel: string; node: string; pinned: boolean }
  settings: { entries: number; seconds: number; rounds: number; connections: number }
  targets: Record<string, TargetResult>
  /** The reason why a target or a measure is missing. */
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

/** Writes the results atomically. */
export function saveResults(path: string, results: Results): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(results, null, 2)}\n`)
  renameSync(`${path}.new`, path)
}

/** The median over the rounds of an operation's rate per second on a target. */
export const rateOf = (
  { targets }: Pick<Results, 'targets'>,
  target: string,
  operation: Operation,
): number | undefined => median((targets[target]?.rounds[operation] ?? []).map(({ perSecond }) => perSecond))

/**
 * The ratio of the rates of two targets: the median of the ratios within each round, because the targets of a round run under the same
 * conditions.
 */
export function ratioOf(results: Results, target: string, other: string, operation: Operation): number | undefined {
  const [own, others] = [target, other].map(name => results.targets[name]?.rounds[operation] ?? [])
  const pairs = (own ?? []).flatMap(({ run, round, perSecond }) => {
    const beside = others?.find(one => one.run === run && one.round === round)?.perSecond
    return beside === undefined ? [] : [perSecond / beside]
  })
  return median(pairs)
}
