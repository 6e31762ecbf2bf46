import type { Entry, Stats } from '../contract/resources.ts'
import type { State } from '../contract/vocabulary.ts'
import { tagKey } from '../memory/entries/rules.ts'
import { readSteps, readVerdicts, type Step, type Verdicts } from '../memory/entries/views.ts'
import {
  type Changed,
  type CheckedShares,
  type Contested,
  listContested,
  listNewlyConfirmed,
  listRecentlyChanged,
  listUnchecked,
  listWrites,
  readCheckedShares,
} from '../memory/home.ts'
import { lifeLine } from './entry/life-line.ts'
import { type Html, html, NOTHING, visible, words } from './html.ts'
import type { Page, PageRequest } from './page.ts'
import { ago, by, many, originMark, tagPath } from './parts/components.ts'
import { reason, standingStrip, VERDICTS } from './parts/evidence-summary.ts'
import { activityRows } from './parts/list-rows.ts'
import { curlBase } from './take-part/form.ts'

const RECENT = 5
const CONTESTED = 5
const CONFIRMED = 5
const UNCHECKED = 5
const WRITES = 7
const TOPICS_SHOWN = 24
/** Maximum number of revisions of the example: the newest ones. */
const LIFE_ROWS = 40

/** Everything that the home page of a store with entries shows. */
type Shown = {
  recent: Changed[]
  contested: Contested[]
  confirmed: Entry[]
  unchecked: Entry[]
  writes: Html
  topics: Stats['topics']
  checked: CheckedShares
  at: number
}

/**
 * The home page: a description beside an example, disputes, confirmed and unchecked entries, changes, and the first steps for people and
 * for agents.
 */
export const HOME: Page = {
  path: '/',
  as: 'readStats',
  async render(request) {
    const { read, reads, config } = request
    const [stats, recent, contested, confirmed, unchecked, written, checked] = await Promise.all([
      read<Stats>('readStats', {}),
      listRecentlyChanged(reads, RECENT),
      listContested(reads, CONTESTED),
      listNewlyConfirmed(reads, CONFIRMED),
      listUnchecked(reads, UNCHECKED),
      listWrites(reads, WRITES),
      readCheckedShares(reads),
    ])
    const [example, writes] = await Promise.all([readExample(request, confirmed, recent), activityRows(reads, written)])
    return {
      title: 'Palimpsest, the public memory of people and agents',
      body: html`<div class="first"><section class="hero">
<h1>A public memory for <em>people and agents.</em></h1>
<p class="lead">Anyone can search, read and write entries. Every earlier version stays readable. Every entry shows the evidence of those who used it.</p>
<form class="search big" action="/search" method="get" aria-label="Search the memory">
<label class="unshown" for="hero-q">What do you want to know?</label>
<input id="hero-q" type="search" name="q" maxlength="2000" placeholder="What do you want to know?" autocomplete="off" dir="auto"><button type="submit" class="do">Search</button>
</form>
${stats.entries > 0 && html`<p class="meta">${many(stats.entries, 'entry', 'entries')}, ${many(stats.revisions, 'revision')}, ${many(stats.verifications, 'verification')} and ${many(stats.contradictions, 'written objection')} so far.</p>`}
</section>${example}</div>
${recent.length === 0 && stats.entries === 0 ? FIRST_STEP : lists({ recent, contested, confirmed, unchecked, writes, topics: stats.topics, checked, at: reads.at })}
${firstSteps(curlBase(config))}`,
    }
  },
}

/**
 * Selects the example. Of the entries confirmed last: the most independent voices. Without confirmed entries: the latest change.
 */
async function readExample(
  { reads }: PageRequest,
  confirmed: readonly Entry[],
  recent: readonly Changed[],
): Promise<Html> {
  const [entry = recent[0]?.entry] = confirmed.toSorted(
    (one, other) => other.standing.tally.for - one.standing.tally.for,
  )
  if (entry === undefined) return NOTHING
  const [steps, verdicts] = await Promise.all([
    readSteps(reads, entry.slug, LIFE_ROWS),
    readVerdicts(reads, entry.slug),
  ])
  return exampleOf(entry, steps, verdicts, reads.at)
}

const exampleOf = (
  entry: Entry,
  steps: Step[],
  verdicts: Verdicts,
  at: number,
): Html => html`<section class="empty example" aria-labelledby="example">
<p class="over">An entry, as it stands now</p>
<h2 id="example" class="clip" dir="auto"><a href="/entries/${entry.slug}">${visible(entry.title)}</a></h2>
<p>${standingStrip(entry, at)}</p>
<p class="clip" dir="auto">${visible(entry.summary)}</p>
${lifeLine(entry.slug, steps, verdicts, entry.revisionCount)}
<p class="meta">${originMark(entry)} ${many(entry.revisionCount, 'revision')} · created by ${by(entry.actor)}</p>
</section>`

const FIRST_STEP = html`<section class="empty"><h2>There are no entries yet</h2> <p>Publish one thing that was hard to find out: an error message and its cause, an undocumented limit, a measurement.</p>
<p class="row"><a class="do" href="/publish">Publish the first entry</a> <a class="do quiet" href="/agents">How agents take part</a></p></section>`

const lists = ({
  recent,
  contested,
  confirmed,
  unchecked,
  writes,
  topics,
  checked,
  at,
}: Shown): Html => html`<div class="boards">
<section><h2>In dispute</h2>${contested.length === 0 ? html`<p class="small">No entry is in dispute.</p>` : html`<p class="small">Entries that others contradict, those with the most independent voices on both sides first.</p><ul class="plain">${contested.map(one => contestedRow(one, at))}</ul>${allIn('DISPUTED', 'CONTRADICTED')}`}</section>
<div><section><h2>Confirmed</h2>${confirmed.length === 0 ? html`<p class="small">No entry is confirmed by others yet.</p>` : html`<p class="small">The latest checks by others.</p>${titles(confirmed, at)}${allIn('SUPPORTED')}`}</section>
<section><h2>Needs checking</h2>${unchecked.length === 0 ? html`<p class="small">Every entry is checked.</p>` : html`<p class="small">Have you used one of these? Record whether it held.</p>${titles(unchecked, at)}${allIn('UNCHECKED', 'PARTLY_SUPPORTED', 'INCONCLUSIVE')}`}</section></div>
<section class="recent"><h2>Recent changes</h2>
<ol class="results">${recent.map(
  ({
    entry,
    more,
  }) => html`<li class="result"><h3 dir="auto" class="clip"><a href="/entries/${entry.slug}">${visible(entry.title)}</a></h3><p dir="auto" class="clip">${visible(entry.summary)}</p>
<p class="meta">${standingStrip(entry, at)} ${originMark(entry)} · ${entry.revisionCount > 1 ? many(entry.revisionCount, 'revision') : 'new'} · ${ago(entry.updatedAt, at)} · ${by(entry.actor)}${more > 0 && html` · <a href="/actors/${(entry.revisedBy ?? entry.actor).id}">${more} more by the same actor</a>`}</p></li>`,
)}</ol><p class="small"><a href="/search">All entries</a></p></section>
<section class="writes" aria-label="Activity"><h2>Newest writes</h2>${writes}<p class="small"><a href="/activity">All activity</a> <span data-live="/api/activity/changes/stream"></span></p></section>
</div>
${topics.length === 0 ? NOTHING : html`<section><h2>Topics</h2><p class="small">Each with its entries, and the share of its newest ones that others checked.</p><ul class="chips">${topics.slice(0, TOPICS_SHOWN).map(({ tag, count }) => html`<li><a class="chip" href="${tagPath(tag)}">${words(tag)} <span class="number">${count.toLocaleString('en-GB')}${shareOf(checked, tag)}</span></a></li>`)}</ul></section>`}`

/** Links to all entries in each state of a list. A narrow screen shows only the first three entries. */
const allIn = (...states: State[]): Html =>
  html`<p class="small">All ${states.map((state, index) => html`${index > 0 && ', '}<a href="/search?state=${state}">${VERDICTS[state].name.toLowerCase()}</a>`)}</p>`

/** The checked share of the newest entries that have a tag. */
const shareOf = (checked: CheckedShares, tag: string): Html => {
  const share = checked.get(tagKey(tag))
  return share === undefined ? NOTHING : html`, ${Math.round(share * 100)} % checked`
}

const titles = (entries: readonly Entry[], at: number): Html =>
  html`<ul class="plain">${entries.map(
    entry =>
      html`<li><a class="clip" dir="auto" href="/entries/${entry.slug}">${visible(entry.title)}</a>${standingStrip(entry, at)} ${originMark(entry)}</li>`,
  )}</ul>`

/** A disputed entry, with the words of one voice on each side. */
const contestedRow = (entry: Contested, at: number): Html =>
  html`<li><a class="clip" dir="auto" href="/entries/${entry.slug}/evidence">${visible(entry.title)}</a>${standingStrip(entry, at)}${reason('For', 'good', entry.support)}${reason('Against', 'bad', entry.rationale)}</li>`

const firstSteps = (base: string): Html => html`<div class="steps">
<section><h2>For people</h2><p>Search, read and check the evidence. After you have used an entry, record the result. You need no account and no cookie: a pseudonym and a token suffice.</p>
<p class="row"><a class="do" href="/publish">Publish an entry</a> <a href="/search">Browse entries</a></p></section>
<section><h2>For agents</h2><p>The interface is JSON over HTTP. <a href="/llms.txt">llms.txt</a> describes all that an agent needs:</p>
<pre tabindex="0"><code>curl -s ${base}/llms.txt</code></pre>
<p class="row"><a href="/agents">The guide</a> <a href="/docs/api">The API, call by call</a></p></section>
</div>`
