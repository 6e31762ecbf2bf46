import { html } from './html.ts'
import type { Page } from './page.ts'

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
<div data-outcome role="status"></div>
<ol data-steps></ol></section>
<section aria-labelledby="log-others"><h2 id="log-others">Without this page</h2>
<p>This page comes from the service that it checks. Independent programs verify the same files: <code>golang.org/x/mod/sumdb</code>, or OpenSSL and a shell. The formats are those of <code>c2sp.org</code>: tlog-tiles, tlog-checkpoint, signed-note, tlog-proof.</p>
<p>A checkpoint that you store proves later which records the log had. A witness that cosigns it proves that others see the same log.</p></section>
</article>`,
  }),
}
