import { LIMITS } from '../contract/limits.ts'
import type { Activity, ActivityList, Stats } from '../contract/resources.ts'
import type { Action } from '../contract/vocabulary.ts'
import { readActivityOf, readGrowth, readTrend, VIEW_ROWS } from '../memory/entries/views.ts'
import { DAY } from '../memory/values.ts'
import { type Html, html, NOTHING, raw, words } from './html.ts'
import type { Page, PageRequest, Query } from './page.ts'
import { dayOf, dayOfYear, feedsOf, figure, many, minuteOf, olderLink, tagPath, timeOf } from './parts/components.ts'
import { activityRows } from './parts/list-rows.ts'

/** Plots, rendered on the server. Each is next to a list or table with the same data. Times are in milliseconds. */

const WIDTH = 720

/** The words below an axis: times within a day, days within a year, otherwise days with their year. Each differs from the one before. */
function axisWords(times: readonly number[]): Html {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const format = span < DAY ? timeOf : span < 300 * DAY ? dayOfYear : dayOf
  const words = times.map(format)
  return html`<p class="axis-words">${words.map((word, index) => html`<span>${word !== words[index - 1] && word}</span>`)}</p>`
}

const round = (value: number): string => String(Math.round(value * 10) / 10)

const svg = (height: number, name: string, body: Html): Html =>
  html`<svg class="plot" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${name}" preserveAspectRatio="none meet">${body}</svg>`

/** Groups of actions, from the bottom up. */
const GROUPS: readonly { name: string; actions: readonly Action[] }[] = [
  { name: 'read', actions: ['READ', 'SEARCH'] },
  { name: 'written', actions: ['CREATE', 'EXPAND', 'CORRECT', 'SYNTHESIZE'] },
  { name: 'judged', actions: ['VERIFY', 'CONTRADICT'] },
  { name: 'related', actions: ['CONNECT'] },
]

const STEPS = [60_000, 600_000, 3_600_000, 6 * 3_600_000, DAY, 7 * DAY, 30 * DAY, 365 * DAY]
const BARS_MAX = 48

/** An interval with the number of actions of each group. */
type Bar = { at: number; counts: number[] }

/** Counts of actions per interval, with the smallest step that results in at most 48 intervals. */
function barsOf(rows: readonly { action: Action; at: number }[]): Bar[] {
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
  return Array.from({ length: size }, (_, index) => ({
    at: (from + index) * step,
    counts: counts.get(from + index) ?? GROUPS.map(() => 0),
  }))
}

const BAR_HEIGHT = 132

/** Bars of actions over time, by group. */
function activityPlot(bars: readonly Bar[]): Html {
  const [first, last] = [bars[0], bars.at(-1)]
  if (first === undefined || last === undefined) return NOTHING
  const totals = bars.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0))
  const top = Math.max(...totals, 1)
  const slots = Math.max(bars.length, 12)
  const width = WIDTH / slots
  const scale = (count: number): number => (count / top) * (BAR_HEIGHT - 12)
  const drawn = bars.map(({ counts }, index) => {
    let y = BAR_HEIGHT
    return counts.map((count, group) => {
      if (count === 0) return NOTHING
      const height = Math.max(scale(count), 1.5)
      y -= height
      return html`<rect class="${GROUPS[group]?.name}" x="${round(index * width + width * 0.14)}" y="${round(y)}" width="${round(width * 0.72)}" height="${round(height)}"/>`
    })
  })
  return html`<figure class="picture">${svg(
    BAR_HEIGHT,
    `Actions over time, at most ${top} at once`,
    html`<line class="axis" x1="0" y1="${BAR_HEIGHT - 0.5}" x2="${WIDTH}" y2="${BAR_HEIGHT - 0.5}"/>${drawn}`,
  )}${axisWords([first.at, last.at])}
<figcaption><ul class="legend">${GROUPS.map(({ name }) => html`<li><i class="key ${name}"></i>${name}</li>`)}</ul></figcaption></figure>`
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
  )}${axisWords([first.at, first.at + span / 2, last.at])}
<figcaption class="small">Permanent records by time (UTC); now ${now}.</figcaption></figure>`
}

/** Number of points of the growth plot. */
const SAMPLES = 60

/** The public feed, with a plot of its newest rows. */
export const ACTIVITY: Page = {
  path: '/activity',
  as: 'listActivity',
  query: ['before', 'limit'],
  ownQuery: ['kind'],
  async render({ query, read, reads, path }) {
    const kind = KINDS.find(name => name === query.kind) ?? WRITES
    const { items, nextCursor, lookedAt } = await rowsOf({ read, reads }, query, kind)
    const newest = query.before === undefined
    const trend = await readTrend(reads)
    const bars = barsOf(trend)
    return {
      title: 'Activity',
      section: '/activity',
      description: 'Reads, searches, writes and judgements by people and agents, newest first.',
      alternates: feedsOf('/feeds/activity', 'Activity'),
      body: html`<h1>Activity</h1>
<p class="lead">What people and agents wrote and judged, newest first. Reads of one entry by one actor within an hour are one row of all activity.</p>
${trend.length === 0 ? html`<p class="notice">There is no activity yet. <a href="/publish">Publish the first entry</a>.</p>` : [activityPlot(bars), barTable(bars, trend.length)]}
${kindForm(kind)}
${lookedAt !== undefined && html`<p>${many(items.length, 'row')} of this kind, among ${many(lookedAt, 'write')}.</p>`}
${newest ? html`<p data-live="/api/activity/${kind === 'all' || kind === 'read' ? 'stream' : 'changes/stream'}"></p>` : NOTHING}
${await activityRows(reads, items)}
${olderLink(path, query, nextCursor)}
<p class="small">As a feed: <a href="/feeds/activity.atom">Atom</a>, <a href="/feeds/activity.json">JSON Feed</a>. Changes only: <a href="/feeds/changes.atom">Atom</a>, <a href="/feeds/changes.json">JSON Feed</a>.</p>`,
    }
  },
}

/** What the page shows without a choice. */
const WRITES = 'all writes'
const KINDS = [WRITES, ...GROUPS.slice(1).map(({ name }) => name), 'read', 'all']

/** The number of writes after which a page of one kind ends. */
const ROWS_READ = 10 * LIMITS.pageMax

type Rows = ActivityList & { lookedAt?: number }

/** A page of the activity. For one kind of writes, reads up to ROWS_READ writes to fill it. `lookedAt` is the number of rows read. */
async function rowsOf({ read, reads }: Pick<PageRequest, 'read' | 'reads'>, query: Query, kind: string): Promise<Rows> {
  if (kind === 'all') return read<ActivityList>('listActivity', {}, query)
  const limit = Number(query.limit ?? LIMITS.pageDefault)
  let next = query.before === undefined ? null : String(query.before)
  if (kind === 'read') return readActivityOf(reads, 'read', { before: next ?? undefined, limit })
  if (kind === WRITES) return readActivityOf(reads, 'written', { before: next ?? undefined, limit })
  const { actions } = GROUPS.find(({ name }) => name === kind) as (typeof GROUPS)[number]
  const rows: Activity[] = []
  const isFew = (): boolean => rows.filter(({ action }) => actions.includes(action)).length < LIMITS.pageDefault
  do {
    const older = await readActivityOf(reads, 'written', { before: next ?? undefined, limit: LIMITS.pageMax })
    rows.push(...older.items)
    next = older.nextCursor
    await reads.yieldIfOverBudget()
  } while (next !== null && isFew() && rows.length < ROWS_READ)
  return { items: rows.filter(({ action }) => actions.includes(action)), nextCursor: next, lookedAt: rows.length }
}

/** Selects one kind of activity. */
const kindForm = (selected: string): Html =>
  html`<form class="search" action="/activity" method="get" aria-label="Filter the activity"><div class="field"><label for="kind">Kind</label><select id="kind" name="kind">${KINDS.map(name => html`<option value="${name !== WRITES && name}"${name === selected && raw(' selected')}>${name}</option>`)}</select></div><button type="submit">Show</button></form>`

/** The values of the bars as a table, for readers who cannot see the plot. */
const barTable = (
  bars: readonly Bar[],
  rows: number,
): Html => html`<details class="numbers"><summary>${rows === VIEW_ROWS ? `The newest ${rows.toLocaleString('en-GB')} rows` : 'All rows'} as numbers</summary>
<div class="wide" tabindex="0" role="region" aria-label="Activity over time"><table><thead><tr><th scope="col">From (UTC)</th>${GROUPS.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${bars
  .filter(({ counts }) => counts.some(count => count > 0))
  .map(
    ({ at, counts }) =>
      html`<tr><th scope="row">${minuteOf(at)}</th>${counts.map(count => html`<td>${count}</td>`)}</tr>`,
  )}</tbody></table></div></details>`

/** The numbers of the service, with their limits. */
export const STATS: Page = {
  path: '/stats',
  as: 'readStats',
  async render({ read, reads }) {
    const stats = await read<Stats>('readStats', {})
    const growth = await readGrowth(reads, SAMPLES)
    return {
      title: 'Statistics',
      section: '/stats',
      description: 'The size of the memory, and the limits of these numbers.',
      body: html`<h1>Statistics</h1>
<p class="trust" role="note"><strong>The limits of these numbers.</strong> ${stats.limitations}</p>
<dl class="figures">
${figure('Entries', stats.entries)}${figure('Revisions', stats.revisions)}${figure('Verifications', stats.verifications)}${figure('Contradictions', stats.contradictions)}${figure('Relations', stats.relations)}
${figure('Observed actors', stats.observedActors, html`${stats.recurrentActors.toLocaleString('en-GB')} seen more than once`)}${figure('Interactions', stats.externalInteractions, 'searches, reads and writes')}
</dl>
<p class="small">The counts include entries and contributions through the public interface. They exclude imported entries.</p>
<section><h2>Growth</h2><p class="small">Permanent records: revisions, evidence, relations and moderation, since the first of them.</p>
${growth.length < 2 ? html`<p class="notice">There are too few records for a plot.</p>` : growthPlot(growth, 'Permanent records over time')}</section>
<p><a href="/moderation">Moderation in numbers</a></p>
<section><h2>Topics</h2>${topicBars(stats.topics)}</section>`,
    }
  },
}

/** Topics with their numbers of entries, as bars that are links. */
function topicBars(topics: Stats['topics']): Html {
  if (topics.length === 0) return html`<p class="notice">No entry has a tag yet.</p>`
  const most = Math.max(...topics.map(({ count }) => count))
  return html`<ul class="bars">${topics.map(
    ({ tag, count }) =>
      html`<li><a href="${tagPath(tag)}">${words(tag)}</a> <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="part" width="${Math.max(Math.round((count / most) * 100), 1)}" height="10" rx="2"/></svg> <span class="count">${count.toLocaleString('en-GB')}<span class="unshown"> entries</span></span></li>`,
  )}</ul>`
}
