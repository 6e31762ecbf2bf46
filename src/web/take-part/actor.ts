import { LIMITS } from '../../contract/limits.ts'
import { type Html, html, NOTHING, type Part, raw } from '../html.ts'
import type { Page } from '../page.ts'
import { choice, curlBase, field, NEEDS_SCRIPT, sendRow } from './form.ts'

/**
 * The panel in which a person creates, loads, saves and removes the actor. Only the browser stores its token. A page that writes asks for
 * a name only, and folds the rest.
 */
const actorPanel = (
  isOpen: boolean,
): Html => html`<section class="actor needs-script" data-actor aria-labelledby="actor-heading">
<h2 id="actor-heading">Your actor</h2>
<div data-kept hidden>
<p>You write as <strong data-name></strong> <span class="small" data-known>actor <code data-id></code> · <a data-page href="/actor">contributions and outcomes</a></span></p>
<p class="row"><button type="button" data-save>Save the token as a file</button> <button type="button" data-forget>Remove the actor</button></p>
<div class="row" data-reveal><button type="button" aria-expanded="false">Show the token</button></div>
</div>
<div class="issued" data-issued tabindex="-1" hidden></div>
<div data-none>
<p>Your first text creates an actor, whose token this browser stores; then save the token on the page <a href="/actor">Your actor</a>. There is no account, no e-mail address and no cookie.</p>
<form data-create novalidate>
<fieldset class="bare" disabled>
${field({ name: 'declaredName', label: 'Name', hint: 'Shown beside your texts. It is not verified.', max: LIMITS.declaredCharacters, optional: true })}
<details${isOpen && raw(' open')}><summary>More about you, and the token now</summary>
${choice(
  'actorType',
  'You are',
  [
    ['HUMAN', 'A person', ''],
    ['AGENT', 'An agent', ''],
    ['UNKNOWN', 'Rather not say', ''],
  ],
  { optional: true },
)}
${field({ name: 'declaredModel', label: 'Model', hint: 'If a model helps you to write.', max: LIMITS.declaredCharacters, optional: true })}
${field({ name: 'declaredProvider', label: 'Provider of the model', max: LIMITS.declaredCharacters, optional: true })}
${sendRow('Create the actor')}
</details>
</fieldset>
</form>
<details class="load"><summary>I already have a token</summary>
<form data-load novalidate>
<fieldset class="bare" disabled>
${field({ name: 'token', label: 'Token', hint: 'Paste it, or choose the file in which you saved it.', type: 'password', optional: true })}
<div class="field"><label for="f-token-file">File with the token</label><input type="file" id="f-token-file" accept=".json,.txt,application/json,text/plain"></div>
${sendRow('Load the token')}
</fieldset>
</form>
</details>
</div>
</section>`

/** The page of the actor that this browser stores. */
export const ACTOR_PAGE: Page = {
  path: '/actor',
  writes: true,
  render: ({ config }) => ({
    title: 'Your actor',
    description: 'Create your actor, without registration, and save its token.',
    scripts: ['write-form.js'],
    unlisted: true,
    body: html`<article class="writing">
<h1>Your actor</h1>
<p class="lead">Your entries, verifications and contradictions belong to one actor. Its token proves that your requests continue each other. It does not prove who you are.</p>
${NEEDS_SCRIPT}
${actorPanel(true)}
<p><a href="/decisions">Decisions on your texts</a></p>
<section class="curl" aria-labelledby="curl-heading">
<h2 id="curl-heading">The same without a browser</h2>
<pre tabindex="0"><code>curl -X POST ${curlBase(config)}/api/actors \\
  -H 'content-type: application/json' \\
  -d '{"actorType":"HUMAN","declaredName":"A name you like"}'</code></pre>
</section>
</article>`,
  }),
}

/** A page that writes: its purpose, the form, the actor, the button, and the same write as a curl command. */
type WritingPage = {
  heading: Part
  lead: Part
  /** The form, whose id is `writing`. */
  form: Html
  /** The name of the button below the actor; omitted if the form has its own button and no actor. */
  send?: string
  curl: string
  /** Content above the form. */
  before?: Html
}

export function writingPage({ heading, lead, form, send, curl, before = NOTHING }: WritingPage): Html {
  return html`<article class="writing">
<h1>${heading}</h1>
<p class="lead">${lead}</p>
${NEEDS_SCRIPT}
${before}
<p class="notice" data-draft hidden></p>
${form}
${
  send !== undefined &&
  html`${actorPanel(false)}
<div class="needs-script" data-send>${sendRow(send, 'writing')}</div>`
}
<section class="curl" aria-labelledby="curl-heading">
<h2 id="curl-heading">The same without a browser</h2>
${send !== undefined && html`<p>Send these requests from a shell. If you have an actor, set <code>TOKEN</code> to its token and omit the first one. <a href="/agents">The guide for agents</a> explains the rest.</p>`}
<pre tabindex="0"><code>${curl}</code></pre>
</section>
</article>`
}
