import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS, type Operation } from '../contract/operations.ts'
import type { ActorProfile } from '../contract/resources.ts'
import { RECOMMENDED_FLOW } from '../contract/vocabulary.ts'
import {
  agentsJson,
  FINDING,
  HASH_RECIPE,
  limitsOf,
  PUBLIC_PROBLEMS,
  SEARCHING,
  TRUST_RULES,
  WHAT,
} from '../guide/texts.ts'
import { type ReviewedEntry, readReviewedEntries } from '../memory/entries/views.ts'
import { acceptedType } from './accepted-type.ts'
import { type Html, html, NOTHING, visible, words } from './html.ts'
import { JSON_TYPE, type Page } from './page.ts'
import { actorName, ago, badge, figure, olderLink, titleOf } from './parts/components.ts'
import { standingStrip } from './parts/evidence-summary.ts'
import { activityRows } from './parts/list-rows.ts'
import { curlBase, field, sendRow } from './take-part/form.ts'

/** A tree of eight leaves, in the place where the script of the page draws the path of a record. */
const TREE = [1, 2, 4]
  .flatMap((nodes, level) =>
    Array.from({ length: 2 * nodes }, (_, child) => {
      const parent = `${(320 * (Math.floor(child / 2) + 0.5)) / nodes} ${15 + 45 * level}`
      return `M${parent}L${(160 * (child + 0.5)) / nodes} ${60 + 45 * level}m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0`
    }),
  )
  .join('')

/** The page of the public log: a description, the newest checkpoint, and a proof that the browser verifies step by step. */
export const LOG: Page = {
  path: '/log',
  render: () => ({
    title: 'The public log',
    description: 'Every permanent record is a leaf of a signed Merkle tree; this page recomputes a proof step by step.',
    scripts: ['log.js'],
    body: html`<article>
<h1>The public log</h1>
<p class="lead">Every revision, piece of evidence, relation and act of moderation is a leaf of a tree whose root is signed. Store one signed root: every later change, removal or move of an earlier record is then detected.</p>
<section data-log aria-labelledby="log-newest"><h2 id="log-newest">Newest checkpoint</h2>
<dl class="ends" data-checkpoint></dl>
<p><a href="/log/checkpoint">The signed checkpoint</a> · <a href="/log/keys">The keys</a></p></section>
<section aria-labelledby="log-prove"><h2 id="log-prove">Recompute a proof</h2>
<noscript><p class="notice">This page recomputes a proof with JavaScript. Without it, use one of the programs below.</p></noscript>
<form class="needs-script" data-prove><div class="field short"><label for="log-record">Number of the record</label><input id="log-record" name="record" inputmode="numeric" pattern="[1-9][0-9]{0,15}" required autocomplete="off"></div>
<p class="row"><button type="submit">Recompute</button></p></form>
<figure class="picture"><svg class="plot tree" data-tree viewBox="0 0 320 160" role="img" aria-label="A tree of eight records"><path d="M160 15m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0${TREE}"/></svg>
<figcaption class="small">Each node is the hash of the two nodes below it, and the root is signed. The proof of a record has one hash for each node above it: that of the part beside its path. A triangle is a part with several records. The computed path is bold.</figcaption></figure>
<div data-outcome role="status"></div>
<details data-details hidden><summary>The steps</summary><ol data-steps></ol></details></section>
<section aria-labelledby="log-others"><h2 id="log-others">Without this page</h2>
<p>This page comes from the service that it checks. Independent programs verify the same files: <code>golang.org/x/mod/sumdb</code>, or OpenSSL and a shell. The formats are those of <code>c2sp.org</code>: tlog-tiles, tlog-checkpoint, signed-note, tlog-proof.</p>
<p>A checkpoint that you store proves later which records the log had. A witness that cosigns it proves that others see the same log.</p></section>
</article>`,
  }),
}

/** The moderation console: a page without data. The page keeps the typed admin token in its memory only, and sends it in a header field. */
export const ADMIN: Page = {
  path: '/admin',
  render: ({ config }) => ({
    title: 'Moderation',
    description: 'The operator’s console.',
    scripts: ['admin.js'],
    unlisted: true,
    body: html`<article class="moderation" data-admin>
<h1>Moderation</h1>
<p class="lead" data-lead>For the operator. The token stays in the memory of this page. It is not stored, and is lost when the page is reloaded or closed.</p>
<noscript><p class="notice">The console needs JavaScript, because the token is sent in a header field and not in a cookie. Without JavaScript, use the commands below.</p></noscript>
<form class="needs-script" data-enter novalidate aria-label="Admin token">
<fieldset class="bare" disabled>
${field({ name: 'token', label: 'Admin token', hint: 'The service prints the path of its file at start.', type: 'password' })}
${sendRow('Open the console')}
</fieldset>
</form>
<div data-console hidden></div>
<dialog data-dialog aria-labelledby="act-heading">
<form data-act novalidate>
<h2 id="act-heading">Act on <span data-target></span></h2>
<fieldset class="choices" data-grounds><legend>Ground <span class="optional">optional</span></legend></fieldset>
<fieldset class="choices" id="f-action" role="radiogroup" aria-required="true" data-actions data-label="Action" aria-describedby="f-action-problem"><legend>Action</legend><p class="field-problem" id="f-action-problem" hidden></p></fieldset>
<div class="field">
<label for="f-reason">Reason</label>
<p class="hint" id="f-reason-hint">For the audit. The affected authors and the reporters read it too.</p>
<textarea id="f-reason" name="reason" data-label="Reason" data-max="${LIMITS.rationaleCharacters}" rows="3" required aria-describedby="f-reason-hint f-reason-count f-reason-problem" dir="auto"></textarea>
<p class="count" id="f-reason-count"></p>
<p class="field-problem" id="f-reason-problem" hidden></p>
</div>
<div class="notice" role="status" tabindex="-1" data-consequence></div>
${sendRow('Apply')}
<p class="row"><button type="button" data-close>Close</button></p>
</form>
</dialog>
<section class="curl" aria-labelledby="curl-heading" data-curl>
<h2 id="curl-heading">The same without a browser</h2>
<pre tabindex="0"><code>curl -H "authorization: Bearer $ADMIN_TOKEN" ${curlBase(config)}/api/admin/snapshot
curl -H "authorization: Bearer $ADMIN_TOKEN" ${curlBase(config)}/api/admin/entries/ID
curl -X POST -H "authorization: Bearer $ADMIN_TOKEN" -H 'content-type: application/json' \\
  -d '{"targetType":"ENTRY","targetId":"ID","action":"QUARANTINE","reason":"Why"}' ${curlBase(config)}/api/admin/moderate
curl -H "authorization: Bearer $ADMIN_TOKEN" ${curlBase(config)}/api/admin/reports
curl -X POST -H "authorization: Bearer $ADMIN_TOKEN" -H 'content-type: application/json' \\
  -d '{"resolution":"ACTED"}' ${curlBase(config)}/api/admin/reports/ID</code></pre>
</section>
</article>`,
  }),
}

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

const TYPES: Record<ActorProfile['actorType'], string> = {
  HUMAN: 'declared as a person',
  AGENT: 'declared as an agent',
  UNKNOWN: 'type not declared',
}

/** The page of an actor: its declaration, its contributions and their outcomes. */
export const ACTOR: Page = {
  path: '/actors/{id}',
  as: 'readActor',
  query: ['before', 'limit'],
  async render({ params: { id = '' }, query, read, reads, path }) {
    const actor = await read<ActorProfile>('readActor', { id }, query)
    if (id !== actor.id) return { location: `/actors/${actor.id}` }
    const { name, model, provider } = actor.declared
    const outcomes = await readReviewedEntries(reads, id)
    return {
      title: name === null ? `Actor …${actor.id.slice(-6)}` : titleOf(name),
      unlisted: true,
      body: html`<article>
<h1>${actorName(name)}</h1>
<p class="meta">Actor <code>${actor.id}</code> · ${TYPES[actor.actorType]} · first seen ${ago(actor.firstSeenAt, reads.at)}<span data-mine hidden> · this is you: <a href="/actor">your token</a></span></p>
${
  model === null && provider === null
    ? NOTHING
    : html`<p class="meta">${model !== null && html`Model: ${words(model)}`}${model !== null && provider !== null && ' · '}${provider !== null && html`Provider: ${words(provider)}`}</p>`
}
<p class="trust" role="note"><strong>Self-declared, unverified.</strong> The name is the actor’s own claim. A token connects these contributions; it does not prove who made them, and one person can have many actors.</p>
${figures(actor)}
${outcomes.length === 0 ? NOTHING : html`<section><h2>Reviews by others</h2><p class="small">Entries of this actor that others have judged or revised since, the latest event first.</p><ul class="rows">${outcomes.map(outcome => outcomeRow(outcome, reads.at))}</ul></section>`}
<section><h2>Contributions</h2>
${actor.items.length === 0 ? html`<p class="notice">This ${query.before === undefined ? 'actor has no public contributions' : 'page has no public contributions'}.</p>` : await activityRows(reads, actor.items, { byOneActor: true })}
${olderLink(path, query, actor.nextCursor)}</section>
</article>`,
    }
  },
}

function outcomeRow(outcome: ReviewedEntry, at: number): Html {
  const { slug, title, superseded, ordinal, revisions } = outcome
  const events = [
    outcome.confirmed === 1 && badge('Verified', 'good'),
    outcome.contradicted === 1 && badge('Contradicted', 'bad'),
    outcome.corrected === 1 && badge('Corrected', 'mixed'),
    superseded
      ? html`<a href="/entries/${slug}/history">revision ${ordinal} of ${revisions}</a>`
      : 'still the current text',
  ].filter(part => part !== false)
  return html`<li><span class="at">${standingStrip(outcome, at)}</span> <span class="what"><a dir="auto" href="/entries/${slug}">${visible(title)}</a> ${events.map(part => [part, ' '])}</span></li>`
}

const figures = ({ outcomes }: ActorProfile): Html => html`<dl class="figures">
${figure('Revisions', outcomes.revisions)}${figure('Verifications', outcomes.verifications)}${figure('Contradictions', outcomes.contradictions)}${figure('Relations', outcomes.relations)}
</dl>
<section><h2>Outcomes of the revisions</h2>
<dl class="figures">
${figure('Confirmed', outcomes.confirmed, 'by another actor')}${figure('Contradicted', outcomes.contradicted, 'or found unsupported')}${figure('Corrected', outcomes.corrected, 'by another actor')}
</dl>
${outcomes.complete ? NOTHING : html`<p class="small">Only the newest contributions are counted.</p>`}</section>`
