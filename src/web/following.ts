import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { VERDICTS } from './parts/evidence-summary.ts'

/** What a reader saw last: of an entry its revision, its number of revisions and its state; of a tag the time of its latest change. */
type Seen = { revision: string; ordinal: number; state: string } | { at: string }

/** A button by which the browser follows an entry or a tag, and the page of what it follows. Hidden without scripts. */
export const followButton = (kind: 'entry' | 'tag', name: string, seen: Seen): Html =>
  html`<span class="needs-script"><button type="button" data-follow="${kind}" data-name="${name}" data-seen="${JSON.stringify(seen)}">Follow</button> <a href="/following">What you follow</a></span>`

/** The names of the states, for the script of the page. */
const STATE_NAMES = JSON.stringify(
  Object.fromEntries(Object.entries(VERDICTS).map(([state, { name }]) => [state, name])),
)

/** The entries and tags that this browser follows, each with what is new. A script reads both; the list never leaves the browser. */
export const FOLLOWING: Page = {
  path: '/following',
  render: () => ({
    title: 'What you follow',
    description: 'New revisions and disputes of the entries and tags that this browser follows.',
    scripts: ['following.js'],
    unlisted: true,
    body: html`<article>
<h1>What you follow</h1>
<p class="lead">Entries and tags, each with what is new since you last saw it. Only this browser has the list: there is no account and no cookie.</p>
<noscript><p class="notice">This page needs JavaScript, because only the browser has the list. Without JavaScript, follow the Atom feed of an entry or of a tag.</p></noscript>
<div class="needs-script" data-status role="status" tabindex="-1">Reading …</div>
<div data-following="${STATE_NAMES}"></div>
</article>`,
  }),
}
