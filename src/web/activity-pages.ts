import { LIMITS } from '../contract/limits.ts'
import type { Activity, Entry, Stats } from '../contract/resources.ts'
import type { Action } from '../contract/vocabulary.ts'
import { readCounts, readLife } from '../operations/entries/entry-views.ts'
import { readGrowth, readTrend, VIEW_ROWS } from '../operations/views.ts'
import { entryHead } from './entry/head.ts'
import { type Html, html, NOTHING, raw } from './html.ts'
import type { Page, PageRequest, Query } from './page.ts'
import { figure, many, olderLink, tagPath, titleOf } from './parts/components.ts'
import { activityRows } from './parts/list-rows.ts'
import { activityPlot, type Bars, barsOf, GROUPS, growthPlot } from './parts/plot.ts'
import { words } from './untrusted-text.ts'

type ActivityPage = { items: Activity[]; nextCursor: string | null }
/** Number of points of the growth plot. */
const SAMPLES = 60

/** The activity of one entry, newest first. */
export const TIMELINE: Page = {
  path: '/entries/{slug}/timeline',
  as: 'listTimeline',
  query: ['before', 'limit'],
  async render({ params: { slug = '' }, query, read, reads, path }) {
    const entry = await read<Entry>('readEntry')
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/timeline` }
    const { items, nextCursor } = await read<ActivityPage>('listTimeline', { slug }, query)
    const [counts, { steps }] = await Promise.all([readCounts(reads, slug), readLife(reads, slug, VIEW_ROWS)])
    const ordinals = new Map(steps.map(({ id, ordinal }) => [id, ordinal]))
    return {
      title: `Timeline of ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, { here: '/timeline', name: 'Timeline', counts, at: reads.at })}
<p class="lead">The activity of this entry, newest first. The order of events does not prove a cause.</p>
${await activityRows(reads, items, { entry: { id: entry.id, slug, ordinals } })}
${olderLink(path, query, nextCursor)}
</article>`,
    }
  },
}

/** The public feed, with a plot of its newest rows. */
export const ACTIVITY: Page = {
  path: '/activity',
  as: 'listActivity',
  query: ['before', 'limit'],
  ownQuery: ['kind'],
  async render({ query, read, reads, path }) {
    const kind = GROUPS.find(({ name }) => name === query.kind)
    const { items, nextCursor, lookedAt } = await rowsOf(read, query, kind?.actions)
    const newest = query.before === undefined
    const trend = await readTrend(reads)
    const bars = barsOf(trend)
    return {
      title: 'Activity',
      section: '/activity',
      description: 'Reads, searches, writes and judgements by people and agents, newest first.',
      alternates: [
        { type: 'application/atom+xml', href: '/feeds/activity.atom', title: 'Activity (Atom)' },
        { type: 'application/feed+json', href: '/feeds/activity.json', title: 'Activity (JSON Feed)' },
      ],
      body: html`<h1>Activity</h1>
<p class="lead">All observed activity, newest first. Reads of one entry by one actor within an hour are one row.</p>
${trend.length === 0 ? html`<p class="notice">There is no activity yet. <a href="/publish">Publish the first entry</a>.</p>` : [activityPlot(bars), barTable(bars, trend.length)]}
${kindForm(kind?.name)}
${kind !== undefined && html`<p>${many(items.length, 'row')} of this kind, among ${many(lookedAt, 'row')} of the activity.</p>`}
${newest ? html`<p data-live="/api/activity/stream"></p>` : NOTHING}
${await activityRows(reads, items)}
${olderLink(path, query, nextCursor)}
<p class="small">As a feed: <a href="/feeds/activity.atom">Atom</a>, <a href="/feeds/activity.json">JSON Feed</a>. Changes only: <a href="/feeds/changes.atom">Atom</a>, <a href="/feeds/changes.json">JSON Feed</a>.</p>`,
    }
  },
}

/** Maximum number of pages of the feed that are read for one page of one kind. */
const PAGES_READ = 10

/** A page of the feed. For one kind, reads up to PAGES_READ pages of the feed to fill it. `lookedAt` is the number of rows read. */
async function rowsOf(
  read: PageRequest['read'],
  query: Query,
  actions: readonly Action[] | undefined,
): Promise<ActivityPage & { lookedAt: number }> {
  const limit = actions === undefined ? (query.limit ?? LIMITS.pageDefault) : LIMITS.pageMax
  const page = await read<ActivityPage>('listActivity', {}, { ...query, limit })
  if (actions === undefined) return { ...page, lookedAt: page.items.length }
  const rows = [...page.items]
  let next = page.nextCursor
  const isFew = (): boolean => rows.filter(({ action }) => actions.includes(action)).length < LIMITS.pageDefault
  for (let pages = 1; pages < PAGES_READ && next !== null && isFew(); pages++) {
    const older: ActivityPage = await read<ActivityPage>('listActivity', {}, { limit, before: next })
    rows.push(...older.items)
    next = older.nextCursor
  }
  const items = rows.filter(({ action }) => actions.includes(action))
  return { items, nextCursor: next, lookedAt: rows.length }
}

/** Selects one kind of activity. */
const kindForm = (selected: string | undefined): Html =>
  html`<form class="search" action="/activity" method="get" aria-label="Filter the activity"><div class="field"><label for="kind">Kind</label><select id="kind" name="kind"><option value="">all</option>${GROUPS.map(({ name }) => html`<option value="${name}"${name === selected && raw(' selected')}>${name}</option>`)}</select></div><button type="submit">Show</button></form>`

/** The values of the bars as a table, for readers who cannot see the plot. */
const barTable = (
  { bars }: Bars,
  rows: number,
): Html => html`<details class="numbers"><summary>${rows === VIEW_ROWS ? `The newest ${rows.toLocaleString('en-GB')} rows` : 'All rows'} as numbers</summary>
<div class="wide" tabindex="0" role="region" aria-label="Activity over time"><table><thead><tr><th scope="col">From</th>${GROUPS.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${bars
  .filter(({ counts }) => counts.some(count => count > 0))
  .map(
    ({ at, counts }) =>
      html`<tr><th scope="row">${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}</th>${counts.map(count => html`<td>${count}</td>`)}</tr>`,
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
