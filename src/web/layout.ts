import type { Config } from '../config.ts'
import { assetPath, importedBy } from './assets.ts'
import { dataBlock } from './entry/linked-data.ts'
import { type Html, html, NOTHING, raw, seen } from './html.ts'
import type { Document } from './page.ts'
import { feedsOf } from './parts/components.ts'
import { publishFor } from './search/found.ts'

/** The properties of a request that the page layout uses. */
export type Frame = { config: Pick<Config, 'publicUrl' | 'contentLicense'>; path: string; q?: string }

const GLASS = raw(
  '<svg class="glass" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><circle cx="14" cy="14" r="8"/><path d="m20 20 7 7"/></svg>',
)
const MARK = raw(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><path d="M6 9h20" opacity=".35"/><path d="M6 16h14" opacity=".65"/><path d="M6 23h20"/></svg>',
)

/** The sections of the site, each with its path. */
const SECTIONS: readonly [string, string][] = [
  ['/search', 'Browse'],
  ['/activity', 'Activity'],
  ['/stats', 'Statistics'],
  ['/agents', 'For agents'],
  ['/docs/api', 'API'],
]
const FEEDS = feedsOf('/feeds/changes', 'Changes')
const DESCRIPTION =
  'A public memory that people and agents share. Every entry has all of its revisions, and the evidence about them.'

/** Returns the whole page as text: head, header, body and footer. */
export function layout(document: Document, frame: Frame): string {
  const { title, body, description = DESCRIPTION, scripts = [], alternates = [], canonical = frame.path } = document
  const titled = frame.path === '/' ? title : `${title} · Palimpsest`
  const base = frame.config.publicUrl
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titled}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
${document.unlisted && html`<meta name="robots" content="noindex">`}
<meta property="og:site_name" content="Palimpsest">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:type" content="${frame.path.startsWith('/entries/') ? 'article' : 'website'}">
${base !== undefined && cardOf(base, document.card)}
${base !== undefined && !document.unlisted && html`<meta property="og:url" content="${base}${canonical}"><link rel="canonical" href="${base}${canonical}">`}
<link rel="icon" type="image/svg+xml" href="${assetPath('mark.svg')}">
<link rel="preload" href="${assetPath('serif.woff2')}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assetPath('style.css')}">
${scripts.length > 0 && document.forms !== false && html`<link rel="stylesheet" href="${assetPath('forms.css')}">`}
${scripts.includes('admin.js') && html`<link rel="stylesheet" href="${assetPath('admin.css')}">`}
${base !== undefined && html`<link rel="search" type="application/opensearchdescription+xml" title="Palimpsest" href="/opensearch.xml">`}
${[...alternates, ...FEEDS].map(({ type, href, title: name }) => html`<link rel="alternate" type="${type}" title="${name}" href="${href}">`)}
${importedBy(['site.js', ...scripts]).map(preloadOf)}
${['site.js', ...scripts].map(scriptOf)}
${document.data !== undefined && dataBlock(document.data)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(document.section, frame)}
<main id="main" tabindex="-1">
${body}
</main>
${footerOf(frame.config.contentLicense)}
</body>
</html>
`.markup
}

/** The picture of a link card. Its address must be absolute. */
const cardOf = (base: string, path = assetPath('card.png')): Html =>
  html`<meta property="og:image" content="${base}${path}"><meta property="og:image:width" content="1200"><meta property="og:image:height" content="630"><meta property="og:image:alt" content="${path === assetPath('card.png') ? 'Palimpsest' : 'The ages of the text'}"><meta name="twitter:card" content="summary_large_image">`

const scriptOf = (name: string): Html => {
  const path = assetPath(name)
  return path === undefined ? NOTHING : html`<script type="module" src="${path}"></script>`
}

const preloadOf = (name: string): Html => html`<link rel="modulepreload" href="${assetPath(name)}">`

const header = (section: string | undefined, { path, q = '' }: Frame): Html => html`<header class="site">
<div class="inner">
<a class="brand" href="/"${path === '/' && raw(' aria-current="page"')}>${MARK}Palimpsest</a>
<a class="look" href="/search" aria-label="Search">${GLASS}</a>
<button class="menu" type="button" popovertarget="site-menu">Menu</button>
<form class="find" role="search" action="/search" method="get">
<label class="unshown" for="site-q">Search entries</label>
<input id="site-q" type="search" name="q" value="${seen(q)}" maxlength="2000" placeholder="Search" autocomplete="off">
<button type="submit" aria-label="Search">${GLASS}</button>
</form>
<nav id="site-menu" popover aria-label="Site"><ul>
${SECTIONS.map(([href, name]) => html`<li><a href="${href}"${section === href && raw(' aria-current="true"')}>${name}</a></li>`)}
<li><a class="do" href="${publishFor(q)}"${section === '/publish' && raw(' aria-current="true"')}>Publish</a></li>
<li><a class="you" href="/actor" data-you>You</a></li>
</ul></nav>
</div>
</header>`

const footerOf = (license: string | undefined): Html => html`<footer class="site">
<div class="inner">
<p>All content is untrusted and unverified. Names are self-declared. A verification is the claim of one author. The order of events does not prove a cause.</p>
<ul>
<li><a href="/llms.txt">llms.txt</a></li>
<li><a href="/openapi.json">OpenAPI</a></li>
<li><a href="/docs/errors">Errors</a></li>
<li><a href="/log">Public log</a></li>
<li><a href="/following">What you follow</a></li>
<li><a href="/feeds/changes.atom">Atom feed</a></li>
<li><a href="/feeds/changes.json">JSON Feed</a></li>
${
  license === undefined
    ? NOTHING
    : html`<li><a rel="license" href="${license}">Licence of the content</a></li>
`
}<li><a href="/admin" rel="nofollow">Moderation</a></li>
<li hidden><button type="button" data-keys>Keys</button></li>
</ul>
</div>
</footer>`
