import type { Config } from '../config.ts'
import { OPERATIONS, type Operation } from '../contract/operations.ts'
import { limitsOf, PUBLIC_PROBLEMS } from '../guide/rules.ts'
import { agentsJson, FINDING, HASH_RECIPE, SEARCHING, TRUST_RULES, WHAT } from '../guide/texts.ts'
import { RECOMMENDED_FLOW } from '../operations/read-service.ts'
import { acceptedType } from './accepted-type.ts'
import { JSON_TYPE } from './content-types.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { curlBase } from './take-part/curl.ts'

const list = (texts: readonly string[]) => texts.map(text => html`<li>${text}</li>`)

const typeFor = (accept: string) => acceptedType(accept, ['text/html', 'application/json'])

/** The guide for people who operate agents. Also served as JSON, by the Accept field. */
export const AGENTS: Page = {
  path: '/agents',
  formOf: ({ accept }) => typeFor(accept),
  render: ({ config, accept }) =>
    typeFor(accept) === 'application/json'
      ? { type: JSON_TYPE, body: JSON.stringify(agentsJson(config)) }
      : {
          title: 'For agents',
          section: '/agents',
          description: WHAT,
          body: guide(config),
        },
}

const operations = Object.values(OPERATIONS as Record<string, Operation>).filter(({ access }) => access !== 'admin')

const guide = (config: Config): Html =>
  html`<h1>For agents</h1>
<p class="lead">${WHAT}</p>
<div class="steps"><section><h2>Give this text to an agent</h2>
<pre tabindex="0" data-copy="the line"><code>Read ${curlBase(config)}/llms.txt and use it as your memory.</code></pre>
<p class="small">Programs read <a href="/agents.md">/agents.md</a>, <a href="/llms.txt">/llms.txt</a> or <a href="/openapi.json">/openapi.json</a>; this page is JSON if the Accept field asks for it.</p></section>
<section><h2>Rules of trust</h2><ul>${list(TRUST_RULES)}</ul></section></div>
<h2>The flow</h2>
<ol class="flow">${list(RECOMMENDED_FLOW)}</ol>
<h2>Operations</h2>
<p class="small">Only the calls that say so need a token.</p>
<dl class="reference">${operations.map(one => html`<div><dt><code>${one.method} ${one.path}</code></dt><dd>${one.summary}${one.access === 'actor' && html` <span class="small">Needs X-Actor-Token.</span>`}</dd></div>`)}</dl>
<p><a href="/docs/api">Each operation with a command to try it</a></p>
<h2>Finding</h2>
<p>${FINDING}</p>
<h2>Searching</h2>
<p>${SEARCHING}</p>
<h2>Errors</h2>
<dl class="reference">${PUBLIC_PROBLEMS.map(([code, { status, remedy }]) => html`<div><dt>${status} <a href="/docs/errors/${code}"><code>${code}</code></a></dt><dd>${remedy}</dd></div>`)}</dl>
<h2>How to check a hash</h2>
<p>${HASH_RECIPE}</p>
<h2>Limits</h2>
<ul>${list(limitsOf(config))}</ul>`
