import leven from 'leven'
import { LIMITS } from '../contract/limits.ts'
import type { Problem, ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Entry } from '../contract/resources.ts'
import type { Withdrawal } from '../memory/entries/views.ts'
import { type Html, html, NOTHING, seen, visible } from './html.ts'
import type { Document } from './page.ts'
import { day, signalBadges } from './parts/components.ts'
import { standingStrip } from './parts/evidence-summary.ts'

/**
 * The entries that the page of a problem suggests, and the withdrawal of the requested entry. `at` is the time of the read in milliseconds
 * since 1970.
 */
export type Leads = {
  items: readonly Pick<Entry, 'signals' | 'slug' | 'title' | 'standing'>[]
  withdrawal?: Withdrawal | undefined
  at: number
}

const HEADINGS: Partial<Record<ProblemCode, string>> = {
  ROUTE_NOT_FOUND: 'Page not found',
  ACTOR_NOT_FOUND: 'Actor not found',
  ENTRY_NOT_FOUND: 'Entry not found',
  REVISION_NOT_FOUND: 'Revision not found',
  ENTRY_WITHDRAWN: 'This entry has been withdrawn',
  ERASED: 'This text has been erased',
  RATE_LIMITED: 'Too many requests in one minute',
  STORE_UNAVAILABLE: 'The store cannot be reached',
  OVERLOADED: 'The server is overloaded',
  NOT_READY: 'Not ready yet',
  UNEXPECTED_FAULT: 'The server has a fault',
}

/** Remedies for people, where they differ from the remedies for programs. */
const REMEDIES: Partial<Record<ProblemCode, string>> = {
  ROUTE_NOT_FOUND: 'This address has no page. Try a search.',
  ENTRY_NOT_FOUND: 'No entry has this address. Try a search.',
  REVISION_NOT_FOUND: 'The entry has no revision with this id. Its history lists all revisions.',
  ENTRY_WITHDRAWN: 'The operator has withdrawn this entry. Its text is no longer public.',
  ERASED: 'The operator has erased this text. It is stored nowhere in the service and cannot be restored.',
  RATE_LIMITED: 'Your network asked for more pages within a minute than this service allows.',
  OVERLOADED: 'More was asked of the server than it can answer now.',
  NOT_READY: 'The server is starting, stopping or catching up.',
  STORE_UNAVAILABLE: 'The server cannot read its store now.',
}

const BY_STATUS: Record<number, string> = {
  400: 'The address cannot be read',
  429: 'Too soon',
  503: 'Not available now',
}

const ENTRY_PART = /^\/entries\/([^/]+)(?:\/.*)?$/
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi

/** The words of an address as a search query, without ids and file endings, shortened to the maximum length of a query. */
export function wordsOfAddress(path: string): string {
  const [, entry = path] = ENTRY_PART.exec(path) ?? []
  let text = entry
  try {
    text = decodeURIComponent(entry)
  } catch {
    // A malformed address is used as the query unchanged.
  }
  const plain = seen(text)
    .replace(UUID, ' ')
    .replace(/\.[a-z]{2,5}$/, '')
    .replace(/[-_/+\s]+/g, ' ')
  return [...plain.trim()].slice(0, LIMITS.queryCharacters).join('').trim()
}

/** The largest edit distance of a word that may be the misspelt one, for each four characters of it. */
const NEAR = 1

/** Entries ordered by how many words of an address their own address has, also misspelt; otherwise in the given order. */
export function nearestFirst<E extends { slug: string }>(q: string, entries: readonly E[]): E[] {
  const wanted = q.toLowerCase().split(' ')
  const isNear = (word: string, other: string): boolean => leven(word, other) <= NEAR * Math.floor(word.length / 4)
  const near = new Map(
    entries.map(entry => {
      const own = entry.slug.split('-')
      return [entry, wanted.filter(word => own.some(other => isNear(word, other))).length]
    }),
  )
  return entries.toSorted((one, other) => (near.get(other) ?? 0) - (near.get(one) ?? 0))
}

const searchFor = (q: string, label: string): Html =>
  html`<form class="search" action="/search" method="get" aria-label="${label}"><div class="field grow"><label for="missing-q">Search for</label><input id="missing-q" type="search" name="q" value="${q}" maxlength="${LIMITS.queryCharacters}" autocomplete="off" dir="auto"></div><button type="submit" class="do">Search</button></form>`

const proposed = ({ items, at }: Leads): Html =>
  items.length === 0
    ? NOTHING
    : html`<h2>Entries with words of this address</h2><ul class="plain">${items.map(entry => html`<li><a class="clip" dir="auto" href="/entries/${entry.slug}">${visible(entry.title)}</a>${standingStrip(entry, at)} ${signalBadges(entry)}</li>`)}</ul>`

const withdrawnOn = ({ at, record, isLogged }: Withdrawal): Html =>
  html`<p>Withdrawn on ${day(at)}${isLogged && html`, as <a href="/log?record=${record}">record ${record} of the public log</a>`}.</p>`

const onward = (status: number, q: string, leads: Leads): Html => {
  if (status === 404) {
    return html`${proposed(leads)}${searchFor(q, 'Search for the missing page')}<p>Or see the <a href="/activity">recent activity</a> or the <a href="/">home page</a>.</p>`
  }
  return status === 410
    ? html`${leads.withdrawal && withdrawnOn(leads.withdrawal)}${searchFor('', 'Search other entries')}<p>See <a href="/search">other entries</a> or the <a href="/">home page</a>.</p>`
    : NOTHING
}

/** The page of a problem: the status and code of the API, the remedy, and the request id for the operator. */
export function problemPage(problem: Problem, requestId: string, { q, leads }: { q: string; leads: Leads }): Document {
  const { code, detail } = problem
  const { status, remedy } = PROBLEMS[code]
  const heading = HEADINGS[code] ?? BY_STATUS[status] ?? 'The request was refused'
  const wait = detail.retryAfter
  return {
    title: heading,
    status,
    unlisted: true,
    ...(wait === undefined ? {} : { scripts: ['retry.js'] }),
    body: html`<article class="problem">
<p class="over" aria-hidden="true">${status}</p>
<h1>${heading}</h1>
<p class="lead">${REMEDIES[code] ?? remedy}</p>
${wait === undefined ? NOTHING : html`<p>You can try again in <strong><span data-retry-after="${wait}">${wait}</span> ${wait === 1 ? 'second' : 'seconds'}</strong>. <a href="" data-retry>Try again</a></p>`}
${onward(status, q, leads)}
<p class="small">Code <a href="/docs/errors/${code}"><code>${code}</code></a> · request <code>${requestId}</code></p>
</article>`,
  }
}
