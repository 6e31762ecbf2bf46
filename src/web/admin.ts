import { LIMITS } from '../contract/limits.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { curlBase } from './take-part/curl.ts'
import { field, sendRow } from './take-part/form.ts'

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
<fieldset class="choices" id="f-action" role="radiogroup" aria-required="true" data-actions data-label="Action" aria-describedby="f-action-problem"><legend>Action</legend><p class="field-problem" id="f-action-problem" hidden></p></fieldset>
<div class="field">
<label for="f-reason">Reason</label>
<p class="hint" id="f-reason-hint">For the audit; only administrators see it.</p>
<textarea id="f-reason" name="reason" data-label="Reason" data-max="${LIMITS.rationaleCharacters}" rows="3" required aria-describedby="f-reason-hint f-reason-count f-reason-problem" dir="auto"></textarea>
<p class="count" id="f-reason-count"></p>
<p class="field-problem" id="f-reason-problem" hidden></p>
</div>
<div class="notice" role="status" data-consequence></div>
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
