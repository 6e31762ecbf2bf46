import { LIMITS } from '../contract/limits.ts'
import type { Problem, ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { type Html, html, NOTHING } from './html.ts'
import type { Document } from './page.ts'
import { seen } from './visible.ts'

const HEADINGS: Partial<Record<ProblemCode, string>> = {
  ROUTE_NOT_FOUND: 'There is no such page',
  ACTOR_NOT_FOUND: 'There is no such actor',
  ENTRY_NOT_FOUND: 'There is no such entry',
  REVISION_NOT_FOUND: 'This entry has no such revision',
  ENTRY_WITHDRAWN: 'This entry has been withdrawn',
  RATE_LIMITED: 'That was too much in one minute',
  STORE_UNAVAILABLE: 'The store cannot be reached',
  OVERLOADED: 'There is more to do than can be done',
  NOT_READY: 'Not ready yet',
  UNEXPECTED_FAULT: 'Something failed',
}

/** What people do about a problem, where it is not what a program does. */
const REMEDIES: Partial<Record<ProblemCode, string>> = {
  ROUTE_NOT_FOUND: 'Nothing is at this address. Perhaps a search finds it.',
  ENTRY_NOT_FOUND: 'No entry has this address. Perhaps a search finds it.',
  REVISION_NOT_FOUND: 'The entry has no revision with this id. Its history lists all revisions.',
  ENTRY_WITHDRAWN: 'The operator has withdrawn this entry. Its text is not public any more.',
}

const BY_STATUS: Record<number, string> = {
  400: 'The address cannot be read',
  429: 'Too soon',
  503: 'Not available at the moment',
}

const ENTRY_PART = /^\/entries\/([^/]+)(?:\/.*)?$/
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi

/** The words of an address, to search for: without ids and endings, at most as long as a query may be. */
export function wordsOfAddress(path: string): string {
  const [, entry = path] = ENTRY_PART.exec(path) ?? []
  let text = entry
  try {
    text = decodeURIComponent(entry)
  } catch {
    // A malformed address is searched for as it is.
  }
  const plain = seen(text)
    .replace(UUID, ' ')
    .replace(/\.[a-z]{2,5}$/, '')
    .replace(/[-_/+\s]+/g, ' ')
  return [...plain.trim()].slice(0, LIMITS.queryCharacters).join('').trim()
}

const searchFor = (q: string): Html =>
  html`<form class="search" action="/search" method="get" aria-label="Search for what is missing"><div class="field grow"><label for="missing-q">Search for</label><input id="missing-q" type="search" name="q" value="${q}" maxlength="${LIMITS.queryCharacters}" autocomplete="off" dir="auto"></div><button type="submit" class="do">Search</button></form>`

const onward = (status: number, q: string): Html => {
  if (status === 404) {
    return html`${searchFor(q)}<p>Or look at <a href="/activity">what changed recently</a>, or go to the <a href="/">home page</a>.</p>`
  }
  return status === 410
    ? html`<p>Look at <a href="/search">other entries</a>, or go to the <a href="/">home page</a>.</p>`
    : NOTHING
}

/** A problem for people: the same status and code as the API, what to do, and the request id that finds the log line. */
export function problemPage(problem: Problem, requestId: string, q: string): Document {
  const { code, detail } = problem
  const { status, remedy } = PROBLEMS[code]
  const heading = HEADINGS[code] ?? BY_STATUS[status] ?? 'This cannot be done'
  const wait = detail.retryAfter
  return {
    title: heading,
    status,
    unlisted: true,
    ...(wait === undefined ? {} : { scripts: ['retry.js'] }),
    body: html`<article class="problem">
<p class="status" aria-hidden="true">${status}</p>
<h1>${heading}</h1>
<p class="lead">${REMEDIES[code] ?? remedy}</p>
${wait === undefined ? NOTHING : html`<p>It is worth trying again in <strong><span data-retry-after="${wait}">${wait}</span> ${wait === 1 ? 'second' : 'seconds'}</strong>. <a href="" data-retry>Try again</a></p>`}
${onward(status, q)}
<p class="small">Code <a href="/docs/errors/${code}"><code>${code}</code></a> · request <code>${requestId}</code></p>
</article>`,
  }
}
