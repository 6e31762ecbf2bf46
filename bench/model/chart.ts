import type { ModelResults } from './results.ts'
import { type Comparison, TOLERANCE } from './validate.ts'

const WIDTH = 760
const PANEL = 320
const LEFT = 70
const RIGHT = 20
const TOP = 56
const GAP = 90
const MARK = 4

type Axis = { least: number; most: number }
type Place = (value: number) => number

/** An axis from the power of ten below some values to the one above them. */
const around = (values: readonly number[]): Axis => ({
  least: 10 ** Math.floor(Math.log10(Math.min(...values))),
  most: 10 ** Math.ceil(Math.log10(Math.max(...values))),
})

const logarithmic = ({ least, most }: Axis, from: number, to: number): Place => {
  const scale = (to - from) / Math.log(most / least)
  return value => from + Math.log(value / least) * scale
}

function powers({ least, most }: Axis): number[] {
  const all: number[] = []
  for (let value = least; value <= most * 1.01; value *= 10) all.push(value)
  return all
}

const text = (x: number, y: number, words: string, kind = '', anchor = 'start'): string =>
  `<text${kind === '' ? '' : ` class="${kind}"`} x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${words}</text>`

const shown = (value: number): string => value.toLocaleString('en-US')

/** The frame of a panel: both axes with powers of ten. */
function frame(x: Axis, y: Axis, top: number, names: { title: string; x: string }) {
  const across = logarithmic(x, LEFT, WIDTH - RIGHT)
  const down = logarithmic(y, top + PANEL, top)
  const parts = [
    text(0, top - 20, names.title, 'head'),
    ...powers(y).map(
      value =>
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${down(value).toFixed(1)}" y2="${down(value).toFixed(1)}"/>${text(LEFT - 8, down(value) + 4, shown(value), '', 'end')}`,
    ),
    ...powers(x).map(
      value =>
        `<line x1="${across(value).toFixed(1)}" x2="${across(value).toFixed(1)}" y1="${top}" y2="${top + PANEL}"/>${text(across(value), top + PANEL + 18, shown(value), '', 'middle')}`,
    ),
    text((LEFT + WIDTH - RIGHT) / 2, top + PANEL + 38, names.x, 'note', 'middle'),
  ]
  return { across, down, parts }
}

/** Measured throughput on the x axis, modelled throughput on the y axis. A point within the band agrees. */
function validationPanel(points: readonly Comparison[], top: number): string[] {
  const axis = around(points.flatMap(({ measured, model }) => [measured.perSecond, model.perSecond]))
  const title = 'The model beside this machine: modelled requests per second by measured ones; the band is 20 %'
  const { across, down, parts } = frame(axis, axis, top, { title, x: 'measured per second' })
  const corner = (value: number, factor: number): string =>
    `${across(value).toFixed(1)},${Math.min(top + PANEL, Math.max(top, down(value * factor))).toFixed(1)}`
  const [low, high] = [1 - TOLERANCE, 1 + TOLERANCE]
  const { least, most } = axis
  parts.push(
    `<polygon class="band" points="${corner(least, high)} ${corner(most / high, high)} ${corner(most, 1)} ${corner(most, low)} ${corner(least / low, low)} ${corner(least, 1)}"/>`,
  )
  for (const { name, isJudged, measured, model } of points) {
    const [x, y] = [across(measured.perSecond).toFixed(1), down(model.perSecond).toFixed(1)]
    parts.push(
      `<circle class="${isJudged ? 'judged' : 'set'}" cx="${x}" cy="${y}" r="${MARK}"><title>${name}</title></circle>`,
    )
  }
  parts.push(
    `<circle class="judged" cx="${LEFT + 16}" cy="${top + 16}" r="${MARK}"/>${text(LEFT + 26, top + 20, 'compared')}`,
    `<circle class="set" cx="${LEFT + 16}" cy="${top + 36}" r="${MARK}"/>${text(LEFT + 26, top + 40, 'sets costs')}`,
  )
  return parts
}

const LINES = [
  ['mirrors', 'one writer, mirrors and shared caches'],
  ['uncached', 'one writer and mirrors'],
  ['postgres', 'nodes over PostgreSQL and shared caches'],
] as const

/** The cores of an installation by its reads. */
function coresPanel({ scenarios }: ModelResults, top: number): string[] {
  const { curve } = scenarios
  const title = 'Cores for 1,000,000,000 entries by reads per second, with a write for 50 reads (not tried)'
  const x = around(curve.map(({ reads }) => reads))
  const y = around(curve.flatMap(({ mirrors, uncached, postgres }) => [mirrors, uncached, postgres]))
  const { across, down, parts } = frame(x, y, top, { title, x: 'reads per second' })
  LINES.forEach(([name, words], at) => {
    const places = curve.map(one => `${across(one.reads).toFixed(1)},${down(one[name]).toFixed(1)}`)
    const legend = top + 16 + 20 * at
    parts.push(
      `<polyline class="${name}" points="${places.join(' ')}"/>`,
      `<line class="${name}" x1="${LEFT + 10}" x2="${LEFT + 34}" y1="${legend}" y2="${legend}"/>${text(LEFT + 42, legend + 4, words)}`,
    )
  })
  return parts
}

/** The comparison with this machine, and the cores that larger loads need. Readable on light and dark backgrounds. */
export function drawScaling(results: ModelResults): string {
  const second = TOP + PANEL + GAP
  const height = second + PANEL + 50
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Modelled and measured requests per second, and the cores that larger loads need">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600 }
.note { fill: #59636e }
line { stroke: #d1d9e0 }
.band { fill: #0969da; opacity: 0.15 }
.judged { fill: #0969da }
.set { fill: #8c959f }
polyline { fill: none; stroke-width: 2 }
.mirrors { stroke: #0969da; stroke-width: 2 }
.uncached { stroke: #bc4c00; stroke-width: 2 }
.postgres { stroke: #1a7f37; stroke-width: 2; stroke-dasharray: 6 4 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .note { fill: #9198a1 }
  line { stroke: #3d444d }
  .band, .judged { fill: #4493f8 }
  .set { fill: #6e7681 }
  .mirrors { stroke: #4493f8 }
  .uncached { stroke: #f0883e }
  .postgres { stroke: #3fb950 }
}
</style>
${[...validationPanel(results.validation.points, TOP), ...coresPanel(results, second)].join('\n')}
</svg>
`
}
