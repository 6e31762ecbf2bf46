import type { Entry } from '../contract/resources.ts'
import { COUNTED_MAX, type Counts } from '../operations/entries/entry-views.ts'
import { originMark } from './components.ts'
import { type Html, html } from './html.ts'
import { standingStrip } from './standing-strip.ts'
import { visible } from './untrusted-text.ts'

/** The tabs of an entry's pages, with the current one. */
export function entryTabs(slug: string, here: string, { revisions, evidence, relations }: Counts): Html {
  const tabs: readonly [string, string, number?][] = [
    ['', 'Entry'],
    ['/layers', 'Layers'],
    ['/history', 'History', revisions],
    ['/evidence', 'Evidence', evidence],
    ['/relations', 'Relations', relations],
    ['/timeline', 'Timeline'],
  ]
  return html`<nav class="tabs" aria-label="Parts of this entry"><ul>
${tabs.map(
  ([path, name, count]) =>
    html`<li><a href="/entries/${slug}${path}"${path === here && html` aria-current="page"`}>${name}${count !== undefined && html` <span class="number">${countedOf(count)}</span>`}</a></li>`,
)}
</ul></nav>`
}

/** A number that was counted up to a bound. */
const countedOf = (count: number): string =>
  count === COUNTED_MAX ? `${COUNTED_MAX.toLocaleString('en-GB')}+` : count.toLocaleString('en-GB')

/** The title of an entry with its standing at the time `at`, and the tabs of its pages. */
export const entryHead = (
  entry: Pick<Entry, 'slug' | 'title' | 'dataClass' | 'standing'>,
  { here, name, counts, at }: { here: string; name: string; counts: Counts; at: number },
): Html =>
  html`<header class="entry-head">
<p class="over" dir="auto"><a href="/entries/${entry.slug}">${visible(entry.title)}</a></p>
<p class="meta">${standingStrip(entry, at)} ${originMark(entry)}</p>
<h1>${name}</h1>
${entryTabs(entry.slug, here, counts)}
</header>`
