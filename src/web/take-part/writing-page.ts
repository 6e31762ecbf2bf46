import { type Html, html, NOTHING, type Part } from '../html.ts'
import { ACTOR_PANEL } from './actor.ts'
import { NEEDS_SCRIPT, sendRow } from './form.ts'

/** A page that writes: its purpose, the form, the actor, the button, and the same write as a curl command. */
export type WritingPage = {
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
  html`${ACTOR_PANEL}
<div class="needs-script" data-send>${sendRow(send, 'writing')}</div>`
}
<section class="curl" aria-labelledby="curl-heading">
<h2 id="curl-heading">The same without a browser</h2>
${send !== undefined && html`<p>Send these requests from a shell. If you have an actor, set <code>TOKEN</code> to its token and omit the first one. <a href="/agents">The guide for agents</a> explains the rest.</p>`}
<pre tabindex="0"><code>${curl}</code></pre>
</section>
</article>`
}
