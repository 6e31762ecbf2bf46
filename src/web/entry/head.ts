import type { Entry } from '../../contract/resources.ts'
import { COUNTED_MAX, type Counts } from '../../operations/entries/entry-views.ts'
import { type Html, html } from '../html.ts'
import { originMark } from '../parts/components.ts'
import { standingStrip } from '../parts/standing-strip.ts'
import { visible } from '../untrusted-text.ts'

/** The tabs of an entry's pages, with the current one. */
export function entryTabs(slug: string, here: string, counts: Counts): Html {
  const tabs: readonly [string, string, keyof Counts | undefined][] = [
    ['', 'Entry', undefined],
    ['/layers', 'Layers', undefined],
    ['/history', 'History', 'revisions'],
    ['/evidence', 'Evidence', 'evidence'],
    ['/relations', 'Relations', 'relations'],
    ['/timeline', 'Timeline', 'writes'],
  ]
  return html`<nav class="tabs" aria-label="Parts of this entry"><ul>
${tabs.map(
  ([path, name, records]) =>
    html`<li><a href="/entries/${slug}${path}"${path === here && html` aria-current="page"`}>${name}${records !== undefined && html` <span class="number">${countedOf(counts, records)}</span>`}</a></li>`,
)}
</ul></nav>`
}

/** A number of records. All numbers except that of the revisions are counted only up to a bound. */
const countedOf = (counts: Counts, records: keyof Counts): string =>
  `${counts[records].toLocaleString('en-GB')}${records !== 'revisions' && counts[records] === COUNTED_MAX ? '+' : ''}`

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
