import { PROBLEMS, type Problem, type ProblemCode } from '../contract/problems.ts'
import { html, NOTHING } from './html.ts'
import type { Document } from './page.ts'

const HEADINGS: Partial<Record<ProblemCode, string>> = {
  ROUTE_NOT_FOUND: 'There is no such page',
  ENTRY_NOT_FOUND: 'There is no such entry',
  REVISION_NOT_FOUND: 'This entry has no such revision',
  ENTRY_WITHDRAWN: 'This entry has been withdrawn',
  RATE_LIMITED: 'That was too much in one minute',
  INVALID_QUERY: 'The question cannot be read',
  INVALID_PATH: 'The address cannot be read',
  STORE_UNAVAILABLE: 'The store cannot be reached',
  OVERLOADED: 'There is more to do than can be done',
  NOT_READY: 'Not ready yet',
  UNEXPECTED_FAULT: 'Something failed',
}

const BY_STATUS: Record<number, string> = { 429: 'Too soon', 503: 'Not available at the moment' }

/** What a person is told of a problem: the same status and code as the API, what to do, and the number that finds the log line. */
export function problemPage(problem: Problem, requestId: string): Document {
  const { code, detail } = problem
  const { status, mend } = PROBLEMS[code]
  const heading = HEADINGS[code] ?? BY_STATUS[status] ?? 'This cannot be done'
  const wait = detail.retryAfter
  return {
    title: heading,
    status,
    unlisted: true,
    scripts: ['retry.js'],
    body: html`<article class="problem">
<p class="status" aria-hidden="true">${status}</p>
<h1>${heading}</h1>
<p class="lead">${mend}</p>
${wait === undefined ? NOTHING : html`<p>It is worth trying again in <strong><span data-retry-after="${wait}">${wait}</span> ${wait === 1 ? 'second' : 'seconds'}</strong>. <a href="" data-retry>Try again</a></p>`}
${status === 404 || status === 410 ? html`<p><a href="/search">Search for it</a>, look at <a href="/activity">what changed lately</a>, or begin <a href="/">at the beginning</a>.</p>` : NOTHING}
<p class="small">Code <a href="/docs/errors/${code}"><code>${code}</code></a> · request <code>${requestId}</code></p>
</article>`,
  }
}
