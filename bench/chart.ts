import type { Operation } from './load/order.ts'
import { type Results, rateOf } from './results.ts'

const DRAWN: Partial<Record<Operation, string>> = {
  R: 'read one entry',
  L: 'list the 20 newest',
  S: 'search a middling word',
  W: 'create durably',
  U: 'revise',
}
const OWN = 'palimpsest'
const WIDTH = 760
const LABEL = 150
const END = 90
const BAR = 16
const ROW = 20
const HEAD = 30
const TOP = 46
/** Lower end of the logarithmic axis, in operations per second. */
const LEAST = 1

/** Draws the medians per second of each operation and target: bars on a logarithmic axis, readable on light and dark backgrounds. */
export function drawChart(results: Results): string {
  const names = Object.keys(results.targets)
  const all = names.flatMap(name =>
    Object.keys(DRAWN).map(operation => rateOf(results, name, operation as Operation) ?? 0),
  )
  const most = 10 ** Math.ceil(Math.log10(Math.max(10, ...all)))
  const length = (rate: number): number =>
    Math.max(1, ((WIDTH - LABEL - END) * Math.log(rate / LEAST)) / Math.log(most / LEAST))
  const parts: string[] = []
  let y = TOP
  for (const [operation, meaning] of Object.entries(DRAWN)) {
    const rows = names.flatMap(name => {
      const rate = rateOf(results, name, operation as Operation)
      return rate === undefined ? [] : [{ name, rate }]
    })
    if (rows.length === 0) continue
    parts.push(`<text class="head" x="0" y="${y + 14}">${operation}: ${meaning}, per second</text>`)
    y += HEAD
    for (const { name, rate } of rows) {
      parts.push(bar(name, rate, length(Math.max(rate, LEAST)), y))
      y += ROW
    }
    y += ROW / 2
  }
  const { date, settings, machine } = results
  const title = `${settings.entries.toLocaleString('en-US')} entries, ${settings.connections} connections, ${machine.processor}, ${date}; logarithmic`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="Operations per second of this service, its limits and its peers">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600 }
.note { fill: #59636e }
rect { fill: #8c959f }
rect.own { fill: #0969da }
rect.limit { fill: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .note { fill: #9198a1 }
  rect { fill: #6e7681 }
  rect.own { fill: #4493f8 }
  rect.limit { fill: #3d444d }
}
</style>
<text class="note" x="0" y="18">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`
}

function bar(name: string, rate: number, length: number, y: number): string {
  const kind = name.startsWith(OWN) ? ' class="own"' : name.startsWith('limit') ? ' class="limit"' : ''
  const shown = rate < 100 ? rate.toPrecision(2) : Math.round(rate).toLocaleString('en-US')
  return `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text><rect${kind} x="${LABEL}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/><text x="${(LABEL + length + 6).toFixed(1)}" y="${y + 13}">${shown}</text>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
