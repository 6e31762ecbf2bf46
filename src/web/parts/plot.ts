import type { Action } from '../../contract/vocabulary.ts'
import { DAY } from '../../domain/time.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { dateFormat } from './date-format.ts'

/** Plots, rendered on the server. Each is next to a list or table with the same data. Times are in milliseconds. */

const WIDTH = 720
const short = dateFormat({ day: 'numeric', month: 'short' })
const withYear = dateFormat({ dateStyle: 'medium' })
const clock = dateFormat({ timeStyle: 'short' })

/** Formats a time on an axis: the time within a day, the day within a year, otherwise day and year. */
const tick = (at: number, span: number): string => (span < DAY ? clock : span < 300 * DAY ? short : withYear)(at)

const round = (value: number): string => String(Math.round(value * 10) / 10)

const svg = (height: number, name: string, body: Html): Html =>
  html`<svg class="plot" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${name}" preserveAspectRatio="none meet">${body}</svg>`

/** Groups of actions, from the bottom up. */
export const GROUPS: readonly { name: string; tone: string; actions: readonly Action[] }[] = [
  { name: 'read', tone: 'read', actions: ['READ', 'SEARCH'] },
  { name: 'written', tone: 'written', actions: ['CREATE', 'EXPAND', 'CORRECT', 'SYNTHESIZE'] },
  { name: 'judged', tone: 'judged', actions: ['VERIFY', 'CONTRADICT'] },
  { name: 'related', tone: 'related', actions: ['CONNECT'] },
]

const STEPS = [60_000, 600_000, 3_600_000, 6 * 3_600_000, DAY, 7 * DAY, 30 * DAY, 365 * DAY]
const BARS_MAX = 48

export type Bars = { step: number; bars: { at: number; counts: number[] }[] }

/** Counts of actions per interval, with the smallest step that results in at most 48 intervals. */
export function barsOf(rows: readonly { action: Action; at: number }[]): Bars {
  const times = rows.map(({ at }) => at)
  const first = times.reduce((least, at) => Math.min(least, at), Number.MAX_SAFE_INTEGER)
  const last = times.reduce((most, at) => Math.max(most, at), 0)
  const step = STEPS.find(size => Math.floor(last / size) - Math.floor(first / size) < BARS_MAX) ?? 3_650 * DAY
  const counts = new Map<number, number[]>()
  for (const { action, at } of rows) {
    const bar = Math.floor(at / step)
    const one = counts.get(bar) ?? GROUPS.map(() => 0)
    const group = GROUPS.findIndex(({ actions }) => actions.includes(action))
    one[group] = (one[group] ?? 0) + 1
    counts.set(bar, one)
  }
  const from = rows.length === 0 ? 0 : Math.floor(first / step)
  const size = rows.length === 0 ? 0 : Math.min(Math.floor(last / step) - from + 1, BARS_MAX)
  const bars = Array.from({ length: size }, (_, index) => ({
    at: (from + index) * step,
    counts: counts.get(from + index) ?? GROUPS.map(() => 0),
  }))
  return { step, bars }
}

const BAR_HEIGHT = 132

/** Bars of actions over time, by group. */
export function activityPlot({ step, bars }: Bars): Html {
  const [first, last] = [bars[0], bars.at(-1)]
  if (first === undefined || last === undefined) return NOTHING
  const totals = bars.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0))
  const top = Math.max(...totals, 1)
  const slots = Math.max(bars.length, 12)
  const width = WIDTH / slots
  const scale = (count: number): number => (count / top) * (BAR_HEIGHT - 12)
  const span = step * bars.length
  const drawn = bars.map(({ counts }, index) => {
    let y = BAR_HEIGHT
    return counts.map((count, group) => {
      if (count === 0) return NOTHING
      const height = Math.max(scale(count), 1.5)
      y -= height
      return html`<rect class="${GROUPS[group]?.tone}" x="${round(index * width + width * 0.14)}" y="${round(y)}" width="${round(width * 0.72)}" height="${round(height)}"/>`
    })
  })
  return html`<figure class="picture">${svg(
    BAR_HEIGHT,
    `Actions over time, at most ${top} at once`,
    html`<line class="axis" x1="0" y1="${BAR_HEIGHT - 0.5}" x2="${WIDTH}" y2="${BAR_HEIGHT - 0.5}"/>${drawn}`,
  )}<p class="axis-words"><span>${tick(first.at, span)}</span><span>${bars.length > 1 && tick(last.at, span)}</span></p>
<figcaption><ul class="legend">${GROUPS.map(({ name, tone }) => html`<li><i class="key ${tone}"></i>${name}</li>`)}</ul></figcaption></figure>`
}

const GROWTH_HEIGHT = 140

type Growth = { at: number; records: number }

/** Makes times non-decreasing: a record existed no later than every later record. */
const inOrder = (points: readonly Growth[]): Growth[] => {
  let latest = Number.POSITIVE_INFINITY
  return points
    .toReversed()
    .map(({ at, records }) => {
      latest = Math.min(latest, at)
      return { at: latest, records }
    })
    .toReversed()
}

const INTERVALS_MAX = 5
const STEP_DIGITS = [1, 2, 5, 10]

/**
 * The values of an axis from 0 to at least `most`, highest first. Uses the smallest step of 1, 2 or 5 × 10^n that results in at most 5
 * intervals.
 */
export function axisValues(most: number): number[] {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(most, 1) / INTERVALS_MAX)))
  const digit = STEP_DIGITS.find(one => most / (one * power) <= INTERVALS_MAX) ?? INTERVALS_MAX * 2
  const step = digit * power
  const intervals = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: intervals + 1 }, (_, index) => (intervals - index) * step)
}

/** A growth line from zero to the present. `sampled` is in the order of records. Its times can decrease if the clock was set back. */
export function growthPlot(sampled: readonly Growth[], name: string): Html {
  const points = inOrder(sampled)
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return NOTHING
  const span = Math.max(last.at - first.at, 1)
  const values = axisValues(last.records)
  const heightOf = (records: number): number => GROWTH_HEIGHT * (1 - records / (values[0] ?? 1))
  const place = ({ at, records }: Growth): string =>
    `${round(((at - first.at) / span) * WIDTH)} ${round(heightOf(records))}`
  const line = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${place(point)}`).join('')
  const grid = values.map(
    value =>
      html`<line class="axis" x1="0" y1="${round(heightOf(value))}" x2="${WIDTH}" y2="${round(heightOf(value))}"/>`,
  )
  const now = last.records.toLocaleString('en-GB')
  return html`<figure class="picture scaled"><ol class="axis-values" aria-hidden="true">${values.map(value => html`<li>${value.toLocaleString('en-GB')}</li>`)}</ol>${svg(
    GROWTH_HEIGHT,
    `${name}: from ${first.records} to ${last.records}`,
    html`${grid}<path class="area" d="${line}L${WIDTH} ${GROWTH_HEIGHT}L0 ${GROWTH_HEIGHT}Z"/><path class="line" d="${line}"/>`,
  )}<p class="axis-words"><span>${tick(first.at, span)}</span><span>${tick(first.at + span / 2, span)}</span><span>${tick(last.at, span)}</span></p>
<figcaption class="small">Permanent records by time (UTC); now ${now}.</figcaption></figure>`
}
