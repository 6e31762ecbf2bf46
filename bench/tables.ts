import type { Claim } from './claims.ts'
import { OPERATIONS, type Operation } from './load/order.ts'
import { median } from './numbers.ts'
import { type Results, rateOf, ratioOf } from './results.ts'

const OWN = 'palimpsest'
/** If the load uses more than this share of its core, the load was the bottleneck, and the target may be faster than measured. */
const FULL = 0.95

/** The medians per second of each target, and in brackets the ratio of this service to the target. */
export function ratioTable(results: Results): string {
  const rows = Object.entries(results.targets).map(([name, { entries, memory, bytesPerEntry }]) => {
    const cells = OPERATIONS.map(operation => cell(results, name, operation))
    const used = memory === undefined ? '–' : `${Math.round(memory.most)} MB`
    const disk = bytesPerEntry === undefined ? '–' : `${(bytesPerEntry / 1_000).toFixed(1)} kB`
    return `| ${name} | ${entries} | ${cells.join(' | ')} | ${used} | ${disk} |`
  })
  const skipped = Object.entries(results.skipped).map(([name, reason]) => `Not measured: ${name} (${reason})`)
  const head = `| | entries | ${OPERATIONS.join(' | ')} | memory | disk per entry |\n|---|---|${'---|'.repeat(OPERATIONS.length)}---|---|`
  return [head, ...rows].join('\n') + (skipped.length === 0 ? '' : `\n\n${skipped.join('\n')}`)
}

function cell(results: Results, name: string, operation: Operation): string {
  const rate = rateOf(results, name, operation)
  if (rate === undefined) return '–'
  const loads = (results.targets[name]?.rounds[operation] ?? []).map(({ load }) => load)
  const full = (median(loads) ?? 0) > FULL ? '≥ ' : ''
  const ratio = name === OWN ? undefined : ratioOf(results, OWN, name, operation)
  return `${full}${grouped(rate)}${ratio === undefined ? '' : ` (${grouped(ratio)} ×)`}`
}

const grouped = (value: number): string =>
  value < 100 ? value.toPrecision(2) : Math.round(value).toLocaleString('en-US')

export function claimTable(claims: readonly Claim[]): string {
  const rows = claims.map(
    ({ name, measured, target, held }) =>
      `| ${name} | ${measured} | ${target} | ${held === null ? '–' : held ? 'yes' : 'NO'} |`,
  )
  return `| what must hold | measured | target | held |\n|---|---|---|---|\n${rows.join('\n')}`
}
