import { COSTS, type CostName, type Costs, type SavedCosts } from './costs.ts'
import type { HitRatio } from './results.ts'
import type { ScenarioResult, Scenarios } from './scenarios.ts'
import { type Comparison, isWithin, ratioOf } from './validate.ts'

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')

const figure = (value: number): string =>
  value < 0.005
    ? '0'
    : value < 100
      ? String(Number(value.toPrecision(2)))
      : GROUPED.format(Number(value.toPrecision(4)))
const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Formats bytes with two digits and a suitable unit. */
export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(bytes * 1.005) / 3)))
  return `${Number((bytes / 1_000 ** step).toPrecision(2))} ${UNITS[step]}`
}

/** A count of entries as a power of ten. */
const POWERS: Record<number, string> = { 1e6: '10^6', 1e8: '10^8', 1e9: '10^9' }

/** Every cost with its origin. */
export function costTable({ settings, date }: SavedCosts, costs: Costs): string {
  const rows = (Object.keys(COSTS) as CostName[]).map(name => {
    const { value, origin, how } = costs[name]
    const [unit, meaning] = COSTS[name]
    const shown = unit === 'share' ? percent(value) : unit === 'bytes' ? size(value) : `${figure(value)} ${unit}`
    return [`\`${name}\``, origin === 'measured' ? meaning : `${meaning} (${how})`, shown, origin]
  })
  return `Costs, measured ${date} with ${GROUPED.format(settings.entries)} entries.\n\n${table(['', 'what', 'cost', 'origin'], rows)}`
}

/** Measured points next to the model. Points that determine costs are marked. */
export function validationTable(points: readonly Comparison[]): string {
  const rows = points.map(one => [
    one.name,
    one.about,
    one.isJudged ? 'compared' : 'sets costs',
    figure(one.measured.perSecond),
    figure(one.model.perSecond),
    `${ratioOf(one).toFixed(2)}${one.isJudged && !isWithin(one) ? ' NO' : ''}`,
    `${figure(one.measured.p50)} / ${figure(one.measured.p99)}`,
    `${figure(one.model.p50)} / ${figure(one.model.p99)}`,
  ])
  const head = ['', 'workload', 'use', 'measured, per second', 'model', 'model ÷ measured']
  return table([...head, 'p50 / p99 measured, ms', 'model'], rows)
}

export const hitTable = (ratios: readonly HitRatio[]): string =>
  table(
    ['entries', 'Zipf exponent', 'capacity', "hits by Che's approximation", 'hits in a simulated LRU cache'],
    ratios.map(({ entries, exponent, capacity, analytic, simulated }) => [
      ...[GROUPED.format(entries), String(exponent), GROUPED.format(capacity)],
      ...[percent(analytic), percent(simulated)],
    ]),
  )

const loadOf = ({ scenario: { entries, reads, writes } }: ScenarioResult): string[] => [
  POWERS[entries] ?? GROUPED.format(entries),
  GROUPED.format(reads),
  GROUPED.format(writes),
]
const LOAD = ['entries', 'reads/s', 'writes/s']

/** An overloaded part has no quantiles, because its queue grows as long as the load lasts. */
const wait = (times: number, p99: number): string => (times < 1 ? 'grows' : `${figure(p99)} ms`)
const machines = (count: number, cores: number): string => `${count} × ${cores}`
const full = ({ name, times }: ScenarioResult['mirrors']['fullFirst']): string => `${name}, at ${figure(times)} ×`

function mirrorTable(results: readonly ScenarioResult[]): string {
  const rows = results.map(one => {
    const { plan, waits, fullFirst } = one.mirrors
    const { front, mirrors, writer } = plan
    return [
      ...loadOf(one),
      `${front.caches} (${percent(front.hits)})`,
      machines(mirrors.count, mirrors.cores),
      percent(mirrors.following),
      machines(one.uncached.count, one.uncached.cores),
      `${writer.cores}`,
      percent(writer.limits['the writer: the writer thread'] ?? 0),
      percent(writer.limits['the writer: the main thread'] ?? 0),
      wait(fullFirst.times, waits.readP99),
      wait(fullFirst.times, waits.writeP99),
      full(fullFirst),
    ]
  })
  const head = [...LOAD, 'caches (hits)', 'mirrors × cores', 'following, of a core', 'mirrors without caches']
  const rest = ['cores of the writer', 'its writer thread', 'its main thread', 'p99 read', 'p99 write', 'bottleneck']
  return table([...head, ...rest], rows)
}

function postgresTable(results: readonly ScenarioResult[]): string {
  const rows = results.map(one => {
    const { plan, waits, fullFirst } = one.postgres
    const { front, nodes, primary, group } = plan
    return [
      ...loadOf(one),
      `${front.caches} (${percent(front.hits)})`,
      machines(nodes.count, nodes.cores),
      percent(nodes.following),
      `${primary.cores}`,
      percent(primary.limits['PostgreSQL: the lock of the head row, for each write'] ?? 0),
      figure(group),
      wait(fullFirst.times, waits.readP99),
      wait(fullFirst.times, waits.writeP99),
      full(fullFirst),
    ]
  })
  const head = [...LOAD, 'caches (hits)', 'nodes × cores', 'indexing, of a core', 'cores of PostgreSQL']
  return table([...head, 'lock', 'writes of a commit', 'p99 read', 'p99 write', 'bottleneck'], rows)
}

function sizeTable(results: readonly ScenarioResult[]): string {
  const largest = results.filter(({ scenario }) => scenario.writes === 2_000)
  const rows = largest.map(one => [
    POWERS[one.scenario.entries] ?? GROUPED.format(one.scenario.entries),
    size(one.disk.store),
    size(one.disk.index),
    size(one.memory.half),
    size(one.memory.most),
  ])
  const head = ['entries', 'store, with two revisions', 'search index', 'caches for 50 % of the reads', 'for 80 %']
  return table(head, rows)
}

const sensitivityTable = ({ sensitivity }: Scenarios): string =>
  table(
    ['Zipf exponent', 'hits of the caches', 'caches', 'mirrors × cores'],
    sensitivity.map(({ exponent, hits, caches, mirrors, cores }) => [
      String(exponent),
      percent(hits),
      String(caches),
      machines(mirrors, cores),
    ]),
  )

/** Tables of installations with mirrors, with PostgreSQL, of sizes, and of the influence of the popularity of entries. */
export const scenarioTables = (scenarios: Scenarios): string[] => [
  mirrorTable(scenarios.results),
  postgresTable(scenarios.results),
  sizeTable(scenarios.results),
  sensitivityTable(scenarios),
]
