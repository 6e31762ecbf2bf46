import type { Config } from '../config.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { GENERAL_PROBLEMS } from '../contract/general-problems.ts'
import { MEMBER_PROBLEMS } from '../contract/member-problems.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { ownProblems, PROBLEMS, problemsOf } from '../contract/problems.ts'
import { type Html, html, NOTHING } from './html.ts'
import type { Page } from './page.ts'
import { curlBase, shellQuoted } from './take-part/form.ts'

/** A curl command that calls an operation. Its ids are examples that the caller must replace. */
function curlCall(
  config: Pick<Config, 'publicUrl' | 'port'>,
  { method, path, access, body, query, media }: Operation,
): string {
  const entry = EXAMPLES.Entry as { slug: string; currentRevisionId: string }
  const filled = path
    .replace('{slug}', entry.slug)
    .replace(
      '{id}',
      path.includes('/reports/')
        ? EXAMPLES.ReportReceipt.id
        : path.includes('/actors/')
          ? EXAMPLES.ActorProfile.id
          : entry.slug,
    )
    .replace('{revisionId}', entry.currentRevisionId)
  const tried = Object.entries(EXAMPLES.Query).filter(([name]) => name in (query as { properties: object }).properties)
  const asks = tried.length === 0 ? '' : `?${new URLSearchParams(tried)}`
  return [
    `curl -sS${media === 'text/event-stream' ? 'N' : ''}${method === 'POST' ? ' -X POST' : ''} ${shellQuoted(`${curlBase(config)}${filled}${asks}`)}`,
    ...(access === 'actor' ? [`-H ${shellQuoted('x-actor-token: ')}"$TOKEN"`] : []),
    ...(access === 'admin' ? [`-H ${shellQuoted('authorization: Bearer ')}"$ADMIN_TOKEN"`] : []),
    ...(body === undefined
      ? []
      : [`-H ${shellQuoted('content-type: application/json')}`, `-d ${shellQuoted(JSON.stringify(EXAMPLES[body]))}`]),
  ].join(' \\\n  ')
}

const CODES = Object.keys(PROBLEMS) as ProblemCode[]
const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][]

const problemTable = (name: string, heading: string, codes: readonly ProblemCode[]): Html =>
  html`<div class="wide codes" tabindex="0" role="region" aria-label="${name}"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">${heading}</th></tr></thead>
<tbody>${codes.map(code => html`<tr id="${code}"><td>${PROBLEMS[code].status}</td><th scope="row"><a href="/docs/errors/${code}"><code>${code}</code></a></th><td>${PROBLEMS[code].remedy}</td></tr>`)}</tbody></table></div>`

/** All problems by status, with their remedies. */
export const ERRORS: Page = {
  path: '/docs/errors',
  render: () => ({
    title: 'Errors',
    section: '/docs/api',
    description: 'All problems of requests, with their remedies.',
    body: html`<h1>Errors</h1>
<p class="lead">Every error has a status, a code and the id of the request. This page lists all codes, each with its remedy.</p>
<pre tabindex="0"><code>${JSON.stringify({ error: { code: 'ENTRY_NOT_FOUND', requestId: '019a9b1e-5c60-7f65-9081-70dfa6251006' } }, null, 2)}</code></pre>
<p>Every error carries <code>Link: &lt;/docs/errors#CODE&gt;; rel="help"</code>, which leads to this page. <code>member="tags.1"</code> in it names the wrong member or parameter.</p>
${problemTable('Errors', 'Remedy', Object.keys(GENERAL_PROBLEMS) as ProblemCode[])}
<h2>Members and parameters</h2>
<p>Each member and parameter has its own code. A nested member has the code of its innermost name. Unknown members are reported first, then missing members, then invalid members.</p>
${problemTable('Members and parameters', 'Rule', Object.keys(MEMBER_PROBLEMS) as ProblemCode[])}`,
  }),
}

const RETRY: Partial<Record<number, string>> = {
  409: 'Retry after reading the entry again: the answer’s ETag and Link name the latest revision.',
  410: 'Do not retry.',
  429: 'Wait as many seconds as the field Retry-After says, then try again. This suffices unless another client uses the same token or network.',
  503: 'Wait as many seconds as the field Retry-After says, then try again. Wait longer after each further failure.',
}

/** The page of one problem: its remedy, and the operations where it can happen. */
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
<dl class="ends"><div><dt>Status</dt><dd>${status}</dd></div><div><dt>Again?</dt><dd>${RETRY[status] ?? 'Correct the request before you retry; the same request fails again.'}</dd></div></dl>
<pre tabindex="0"><code>HTTP/1.1 ${status}
content-type: application/json

${JSON.stringify({ error: { code: known, requestId: '019a9b1e-5c60-7f65-9081-70dfa6251006' } })}</code></pre>
<h2>Where it can happen</h2>
<ul>${where.map(([name, { method, path }]) => html`<li><a href="/docs/api#${name}"><code>${method} ${path}</code></a></li>`)}</ul>
<p class="small">The operator can find the requestId in the log. Include it in a report.</p>`,
    }
  },
}

const TAGS = [...new Set(ALL.map(([, { tag }]) => tag))]

/** All operations of the contract, each with a command to try it. */
export const API: Page = {
  path: '/docs/api',
  render: ({ config }) => ({
    title: 'The API, call by call',
    section: '/docs/api',
    scripts: ['try.js'],
    forms: false,
    description: 'All operations of the public interface, each with a curl command to try it.',
    body: html`<h1>The API, call by call</h1>
<p class="lead">The pages use only these operations. Other descriptions: <a href="/openapi.json">OpenAPI 3.1</a> for programs, <a href="/llms.txt">llms.txt</a> for agents, <a href="/agents">the guide</a> for people, and all <a href="/docs/errors">errors</a>, some of which any request can get.</p>
<nav class="contents" aria-label="Operations"><ul>${TAGS.map(tag => html`<li><strong>${tag}</strong> ${ALL.filter(([, one]) => one.tag === tag).map(([name, one]) => html`<a href="#${name}">${one.method} ${one.path}</a> `)}</li>`)}</ul></nav>
${TAGS.map(tag => html`<h2>${tag}</h2>${ALL.filter(([, one]) => one.tag === tag).map(([name, one]) => operationOf(name, one, curlCall(config, one)))}`)}`,
  }),
}

/**
 * The first operation on the page that returns each resource. The page shows the example of the resource there; the other operations link
 * to it.
 */
const SHOWN_AT = new Map(
  TAGS.flatMap(tag => ALL.filter(([, one]) => one.tag === tag))
    .toReversed()
    .map(([name, { response }]) => [response, name]),
)

/** The name of each example. */
const NAMES = new Map<unknown, string>(Object.entries(EXAMPLES).map(([name, example]) => [example, name]))

/** An example as JSON. A resource inside it that has an example of its own is only named. */
const shortened = (example: unknown): string =>
  JSON.stringify(example, (key, value) => (key === '' || !NAMES.has(value) ? value : `(${NAMES.get(value)})`), 1)

function exampleOf(name: OperationName, { response }: Operation): Html {
  const first = SHOWN_AT.get(response) ?? name
  if (first !== name) return html`<p>The same as <a href="#${first}">${first}</a>.</p>`
  const example = (EXAMPLES as Record<string, unknown>)[response] ?? {}
  return html`<pre tabindex="0"><code>${shortened(example)}</code></pre>`
}

const NEEDS = { anyone: 'nothing', actor: 'an actor token', admin: 'the admin token' } as const

const operationOf = (
  name: OperationName,
  operation: Operation,
  curl: string,
): Html => html`<section class="operation" id="${name}">
<h3><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${operation.path}</code></h3>
<p>${operation.summary}</p>
<p class="small">Needs ${NEEDS[operation.access]}. ${operation.cost === 'free' ? 'Not charged.' : `Charged as a ${operation.cost}.`} Answers ${operation.status} <code>${operation.response}</code>${operation.media !== undefined && html` as <code>${operation.media}</code>`}.</p>
${parameters(operation)}
<pre tabindex="0" aria-label="Try it"><code>${curl}</code></pre>
<details><summary>Response</summary>${exampleOf(name, operation)}
${ownProblems(operation).length > 0 && html`<p class="small">Can fail with ${ownProblems(operation).map((code, index) => html`${index > 0 && ', '}<a href="/docs/errors/${code}">${code}</a>`)}.</p>`}</details>
</section>`

type Described = { description?: string; maxLength?: number; minimum?: number; maximum?: number; enum?: string[] }

/** The parameters of the query, with their bounds. */
function parameters({ query }: Operation): Html {
  const properties = Object.entries((query as { properties: Record<string, Described> }).properties)
  if (properties.length === 0) return NOTHING
  const boundsOf = ({ enum: values, maxLength, minimum, maximum }: Described): string | undefined =>
    values !== undefined
      ? values.join(', ')
      : maxLength !== undefined
        ? `at most ${maxLength} characters`
        : minimum !== undefined
          ? `${minimum} to ${maximum}`
          : undefined
  const row = (name: string, one: Described): Html => {
    const bounds = boundsOf(one)
    return html`<div><dt><code>${name}</code></dt><dd>${one.description}${bounds && html` <span class="small">${bounds}</span>`}</dd></div>`
  }
  return html`<dl class="parameters">${properties.map(([name, one]) => row(name, one))}</dl>`
}
