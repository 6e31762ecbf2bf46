import { FIRST_YEAR, LIMITS } from '../contract/limits.ts'
import type { ModerationCounts } from '../contract/resources.ts'
import { GROUNDS, MODERATION_EVENTS, type ModerationEvent } from '../contract/vocabulary.ts'
import { GROUND_NAMES } from './browser/consequences.js'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { pager } from './parts/components.ts'
import { field, sendRow } from './take-part/form.ts'

const EVENT_NAMES: Record<ModerationEvent, string> = {
  HIDE: 'Hidden',
  QUARANTINE: 'Quarantined',
  RESTORE: 'Restored',
  BLOCK: 'Blocked',
  UNBLOCK: 'Unblocked',
  ERASE: 'Erased',
  REPORTED: 'Reports',
  REPORT_ACTED: 'Reports that were acted on',
  REPORT_DISMISSED: 'Reports that were dismissed',
  APPEALED: 'Appeals',
  APPEAL_GRANTED: 'Appeals that were granted',
  APPEAL_REJECTED: 'Appeals that were rejected',
}
/** What administrators did in a year, as numbers. */
export const MODERATION: Page = {
  path: '/moderation',
  as: 'readModerationCounts',
  query: ['year'],
  async render({ read, reads, query }) {
    const { year, items } = await read<ModerationCounts>('readModerationCounts', {}, query)
    const later = year < new Date(reads.at).getUTCFullYear()
    const link = (to: number): readonly [string, string] => [String(to), `/moderation?year=${to}`]
    return {
      title: `Moderation in ${year}`,
      section: '/stats',
      description: 'How often administrators acted, on which ground, and what became of reports and appeals.',
      body: html`<h1>Moderation in ${year}</h1>
<p class="lead">How often administrators acted, and on which ground. The law is one ground; the others are rules of this service. An act that changed nothing is not counted.</p>
${items.length === 0 ? html`<p class="notice">There was no act, no report and no appeal.</p>` : countTable(items)}
${pager(year > FIRST_YEAR ? link(year - 1) : undefined, later ? link(year + 1) : undefined)}
<p><a href="/decisions">Acts on your texts, and the outcome of your report</a></p>`,
    }
  },
}

function countTable(items: ModerationCounts['items']): Html {
  const countOf = (event: ModerationEvent, ground?: string): number =>
    items.reduce((sum, one) => sum + (one.event === event && (ground ?? one.ground) === one.ground ? one.count : 0), 0)
  const shown = (count: number): Html => html`<td>${count.toLocaleString('en-GB')}</td>`
  return html`<div class="wide" tabindex="0" role="region" aria-label="Counts by ground"><table><thead><tr><th scope="col">Event</th><th scope="col">All</th>${GROUNDS.map(ground => html`<th scope="col">${GROUND_NAMES[ground]}</th>`)}</tr></thead>
<tbody>${MODERATION_EVENTS.filter(event => countOf(event) > 0).map(event => html`<tr><th scope="row">${EVENT_NAMES[event]}</th>${shown(countOf(event))}${GROUNDS.map(ground => shown(countOf(event, ground)))}</tr>`)}</tbody></table></div>`
}

/** The acts on the texts of the actor of this browser, each with its appeal, and the outcome of a report. */
export const DECISIONS: Page = {
  path: '/decisions',
  writes: true,
  render: () => ({
    title: 'Decisions',
    description: 'Acts of moderation on your texts, your appeals, and the outcome of your report.',
    scripts: ['decisions.js'],
    unlisted: true,
    body: html`<article class="writing">
<h1>Decisions</h1>
<p class="lead">What administrators did to your texts, and why. You may appeal each act that is in force once.</p>
<noscript><p class="notice">This page needs JavaScript, because the token of your actor is sent in a header field. Without it, use <code>palimpsest appeal</code>.</p></noscript>
<section class="needs-script" aria-labelledby="acts-heading"><h2 id="acts-heading">Acts on your texts</h2>
<div data-acts role="status"><p class="notice">This browser stores no actor.</p></div>
<form data-appeal novalidate hidden aria-label="The appeal"><fieldset class="bare">
<input type="hidden" name="decision">
${field({ name: 'rationale', label: 'Why is the act wrong?', hint: 'Only administrators and you see it.', max: LIMITS.rationaleCharacters, rows: 4 })}
${sendRow('Send the appeal')}</fieldset></form></section>
<section class="needs-script" aria-labelledby="report-heading"><h2 id="report-heading">The outcome of your report</h2>
<form data-outcome novalidate aria-label="The report"><fieldset class="bare">
${field({ name: 'report', label: 'Id of the report' })}
${field({ name: 'secret', label: 'Secret', hint: 'It was shown when you sent the report.', max: LIMITS.targetCharacters })}
${sendRow('Read the outcome')}</fieldset></form>
<div data-read tabindex="-1" role="status"></div></section>
</article>`,
  }),
}
