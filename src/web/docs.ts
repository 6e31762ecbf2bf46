import { EXAMPLES } from '../contract/examples.ts'
import { GENERAL_PROBLEMS } from '../contract/general-problems.ts'
import { MEMBER_PROBLEMS } from '../contract/member-problems.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { PROBLEMS, problemsOf } from '../contract/problems.ts'
import { curlCall } from './curl.ts'
import { type Html, html, NOTHING } from './html.ts'
import type { Page } from './page.ts'

const CODES = Object.keys(PROBLEMS) as ProblemCode[]
const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][]

const problemTable = (name: string, heading: string, codes: readonly ProblemCode[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${name}"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">${heading}</th></tr></thead>
<tbody>${codes.map(code => html`<tr id="${code}"><td>${PROBLEMS[code].status}</td><th scope="row"><a href="/docs/errors/${code}"><code>${code}</code></a></th><td>${PROBLEMS[code].remedy}</td></tr>`)}</tbody></table></div>`

/** Every problem by status: what it means and what to do. */
export const ERRORS: Page = {
  path: '/docs/errors',
  render: () => ({
    title: 'Errors',
    section: '/docs/api',
    description: 'Every way in which a request can fail, and what to do about it.',
    body: html`<h1>Errors</h1>
<p class="lead">Every refusal has a status, a code and the number of the request. This is all of them, and what to do.</p>
<pre tabindex="0"><code>${JSON.stringify({ error: { code: 'ENTRY_NOT_FOUND', requestId: '019a9b1e-5c60-7f65-9081-70dfa6251006' } }, null, 2)}</code></pre>
<p>Every error carries <code>Link: &lt;/docs/errors#CODE&gt;; rel="help"</code>, which leads here. <code>member="tags.1"</code> in it names the member, parameter or nested member that is wrong.</p>
${problemTable('Errors', 'What to do', Object.keys(GENERAL_PROBLEMS) as ProblemCode[])}
<h2>Members and parameters</h2>
<p>What does not fit has a code of its own. Of a nested member the innermost name counts. Unknown members are reported before missing ones, and those before members that do not fit.</p>
${problemTable('Members and parameters', 'The rule', Object.keys(MEMBER_PROBLEMS) as ProblemCode[])}`,
  }),
}

const RETRY: Partial<Record<number, string>> = {
  409: 'Retry after reading the entry again: the answer’s ETag and Link name the latest revision.',
  410: 'Do not retry.',
  429: 'Retry after the seconds that Retry-After names; that suffices unless somebody else uses the same token or network.',
  503: 'Retry after the seconds that Retry-After names, with longer waits if it goes on.',
}

/** One problem: where it can happen and what to do. */
export const ERROR: Page = {
  path: '/docs/errors/{code}',
  formOf: ({ params: { code = '' } }) => CODES.find(one => one === code),
  render({ params: { code = '' } }) {
    const known = CODES.find(one => one === code.toUpperCase())
    if (known === undefined) throw new Problem('ROUTE_NOT_FOUND')
    if (known !== code) return { location: `/docs/errors/${known}` }
    const { status, remedy } = PROBLEMS[known]
    const where = ALL.filter(([, operation]) => problemsOf(operation).includes(known))
    return {
      title: known,
      section: '/docs/api',
      description: remedy,
      body: html`<p class="over"><a href="/docs/errors">Errors</a></p>
<h1><code>${known}</code></h1>
<p class="lead">${remedy}</p>
<dl class="ends"><div><dt>Status</dt><dd>${status}</dd></div><div><dt>Again?</dt><dd>${RETRY[status] ?? 'Correct the request first; the same one will fail again.'}</dd></div></dl>
<pre tabindex="0"><code>HTTP/1.1 ${status}
content-type: application/json

${JSON.stringify({ error: { code: known, requestId: '019a9b1e-5c60-7f65-9081-70dfa6251006' } })}</code></pre>
<h2>Where it can happen</h2>
<ul>${where.map(([name, { method, path }]) => html`<li><a href="/docs/api#${name}"><code>${method} ${path}</code></a></li>`)}</ul>
<p class="small">The requestId stands in the operator’s log. Quote it when you ask.</p>`,
    }
  },
}

const TAGS = [...new Set(ALL.map(([, { tag }]) => tag))]

/** Every operation of the contract, with a line to try it. */
export const API: Page = {
  path: '/docs/api',
  render: ({ config }) => ({
    title: 'The API, call by call',
    section: '/docs/api',
    description: 'Every operation of the public interface, with a line of curl to try it.',
    body: html`<h1>The API, call by call</h1>
<p class="lead">Everything the pages do goes through these operations. The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>; in one file for agents: <a href="/llms.txt">llms.txt</a>; in words: <a href="/agents">the guide</a>; what can fail: <a href="/docs/errors">errors</a>, some of them of every request.</p>
<nav class="contents" aria-label="Operations"><ul>${TAGS.map(tag => html`<li><strong>${tag}</strong> ${ALL.filter(([, one]) => one.tag === tag).map(([name, one]) => html`<a href="#${name}">${one.method} ${one.path}</a> `)}</li>`)}</ul></nav>
${TAGS.map(tag => html`<h2>${tag}</h2>${ALL.filter(([, one]) => one.tag === tag).map(([name, one]) => operationOf(name, one, curlCall(config, one)))}`)}`,
  }),
}

/** The first operation on the page that answers each resource: its example is there, and the others lead to it. */
const SHOWN_AT = new Map(
  TAGS.flatMap(tag => ALL.filter(([, one]) => one.tag === tag))
    .toReversed()
    .map(([name, { response }]) => [response, name]),
)

function exampleOf(name: OperationName, { response }: Operation): Html {
  const first = SHOWN_AT.get(response) ?? name
  if (first !== name) return html`<p>The same as <a href="#${first}">${first}</a>.</p>`
  const example = (EXAMPLES as Record<string, unknown>)[response] ?? {}
  return html`<pre tabindex="0"><code>${JSON.stringify(example, null, 1)}</code></pre>`
}

const NEEDS = { anyone: 'nothing', actor: 'an actor token', admin: 'the admin token' } as const

const operationOf = (
  name: OperationName,
  operation: Operation,
  curl: string,
): Html => html`<section class="operation" id="${name}">
<h3><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${operation.path}</code></h3>
<p>${operation.summary}</p>
<p class="small">Needs ${NEEDS[operation.access]}. ${operation.cost === 'free' ? 'Free of limits.' : `Charged as a ${operation.cost}.`} Answers ${operation.status} <code>${operation.response}</code>${operation.media !== undefined && html` as <code>${operation.media}</code>`}.</p>
${parameters(operation)}
<pre tabindex="0" aria-label="Try it"><code>${curl}</code></pre>
<details><summary>What it answers</summary>${exampleOf(name, operation)}
${operation.problems.length > 0 && html`<p class="small">Can fail with ${operation.problems.map((code, index) => html`${index > 0 && ', '}<a href="/docs/errors/${code}">${code}</a>`)}.</p>`}</details>
</section>`

type Described = { description?: string; maxLength?: number; minimum?: number; maximum?: number; enum?: string[] }

/** What stands in the query, with its bounds. */
function parameters({ query }: Operation): Html {
  const properties = Object.entries((query as { properties: Record<string, Described> }).properties)
  if (properties.length === 0) return NOTHING
  const bounds = ({ enum: values, maxLength, minimum, maximum }: Described): string =>
    values !== undefined
      ? values.join(', ')
      : maxLength !== undefined
        ? `at most ${maxLength} characters`
        : minimum !== undefined
          ? `${minimum} to ${maximum}`
          : ''
  return html`<dl class="parameters">${properties.map(([name, one]) => html`<div><dt><code>${name}</code></dt><dd>${one.description} <span class="small">${bounds(one)}</span></dd></div>`)}</dl>`
}
