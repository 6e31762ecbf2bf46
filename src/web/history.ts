import { Problem } from '../contract/problem.ts'
import type { Entry, Revision } from '../contract/resources.ts'
import { isUuid } from '../domain/uuid.ts'
import { HASH_RECIPE } from '../guide/texts.ts'
import { readAuthors, readHeadings, readLife, readLogSize, readRevisionState, VIEW_ROWS } from '../operations/views.ts'
import { difference } from './browser/difference.js'
import { differenceView, sizeOf } from './difference.ts'
import { sourcesOf } from './entry.ts'
import { type Html, html, NOTHING, raw } from './html.ts'
import type { Page, PageRequest } from './page.ts'
import { badge, by, CHANGE_WORDS, entryHead, olderLink, titleOf, trustNotice, when } from './parts.ts'
import { lifePlot } from './plot.ts'
import { prose } from './prose.ts'
import { stateOfEvidence } from './state.ts'
import { visible, words } from './visible.ts'

/** How many of the newest events the plot of an entry shows. */
const MOMENTS = 300

type RevisionPage = { items: Revision[]; nextCursor: string | null }

/** The revisions of an entry, newest first, with a form to compare two. */
export const HISTORY: Page = {
  path: '/entries/{slug}/history',
  as: 'listRevisions',
  query: ['before', 'limit'],
  async render({ params: { slug = '' }, query, read, reads, path }) {
    const entry = await read<Entry>('readEntry')
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/history` }
    const [{ items, nextCursor }, life, logged] = await Promise.all([
      read<RevisionPage>('listRevisions', { slug }, query),
      readLife(reads, slug, VIEW_ROWS),
      readLogSize(reads),
    ])
    const authors = await readAuthors(
      reads,
      items.map(({ actorId }) => actorId),
    )
    const steps = new Map(life.steps.map(step => [step.id, step]))
    const rows = items.map((revision, index) =>
      revisionRow(
        entry,
        revision,
        steps.get(revision.id)?.ordinal,
        index,
        html`${by(authors.get(revision.actorId), revision.actorId)}${inLog(steps.get(revision.id)?.record, logged)}`,
      ),
    )
    return {
      title: `History of ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, '/history', 'History')}
<p class="lead">Revisions are permanent. The newest is first.</p>
${lifePlot({ ...life, moments: life.moments.slice(-MOMENTS) })}
<form class="compare" action="/entries/${slug}/diff" method="get">
${items.length > 1 && html`<p class="row"><button type="submit">Compare the two chosen</button></p>`}
<ol class="revisions" reversed>${rows}</ol>
</form>
${olderLink(path, query, nextCursor)}
</article>`,
    }
  },
}

/** A link to the proof of a record, if the public log has it. */
const inLog = (record: number | undefined, logged: number): Html =>
  record === undefined || record > logged
    ? NOTHING
    : html` · <a href="/log?record=${record}">in the public log<span class="unshown">, record ${record}</span></a>`

function revisionRow(
  { slug, currentRevisionId }: Entry,
  revision: Revision,
  ordinal: number | undefined,
  index: number,
  author: Html,
): Html {
  const { id, previousRevisionId } = revision
  const name = ordinal === undefined ? 'this revision' : `revision ${ordinal}`
  return html`<li class="revision">
<p class="choose"><label><input type="radio" name="from" value="${id}"${index === 1 && raw(' checked')}> <span class="unshown">${name} as the </span>earlier</label> <label><input type="radio" name="to" value="${id}"${index === 0 && raw(' checked')}> <span class="unshown">${name} as the </span>later</label></p>
<div><h2><a href="/entries/${slug}/revisions/${id}">${ordinal === undefined ? 'Revision' : `Revision ${ordinal}`}</a> ${badge(CHANGE_WORDS[revision.changeType] ?? revision.changeType, revision.changeType === 'CORRECT' ? 'mixed' : 'quiet')}${id === currentRevisionId && html` ${badge('Current', 'good')}`}</h2>
<p class="rationale" dir="auto">${visible(revision.rationale)}</p>
<p class="meta">${author} · ${when(revision.createdAt)}${previousRevisionId !== null && html` · <a href="/entries/${slug}/diff?from=${previousRevisionId}&amp;to=${id}">changes<span class="unshown"> in ${name}</span></a>`} · <code title="evidenceHash">${revision.evidenceHash.slice(0, 12)}…</code></p></div>
</li>`
}

/** One revision at its permanent address, with the data to check it. */
export const REVISION: Page = {
  path: '/entries/{slug}/revisions/{revisionId}',
  as: 'readRevision',
  async render({ params: { slug = '', revisionId = '' }, read, reads }) {
    const entry = await read<Entry>('readEntry')
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/revisions/${revisionId}` }
    const revision = await read<Revision>('readRevision')
    const [content, state, life, names, logged] = await Promise.all([
      prose(revision.content),
      readRevisionState(reads, slug, revision.id),
      readLife(reads, slug, VIEW_ROWS),
      readHeadings(
        reads,
        revision.sources.map(({ entryId }) => entryId),
      ),
      readLogSize(reads),
    ])
    const next = life.steps.find(({ ordinal }) => ordinal === state.ordinal + 1)
    const current = revision.id === entry.currentRevisionId
    const links = [
      revision.previousRevisionId !== null &&
        html`<a rel="prev" href="/entries/${slug}/revisions/${revision.previousRevisionId}">← Revision ${state.ordinal - 1}</a>`,
      revision.previousRevisionId !== null &&
        html`<a href="/entries/${slug}/diff?from=${revision.previousRevisionId}&amp;to=${revision.id}">Changes of this revision</a>`,
      next !== undefined &&
        html`<a rel="next" href="/entries/${slug}/revisions/${next.id}">Revision ${next.ordinal} →</a>`,
    ]
    return {
      title: `${titleOf(revision.title)}, revision ${state.ordinal}`,
      description: titleOf(revision.summary),
      section: '/search',
      unlisted: !current,
      ...(current ? { canonical: `/entries/${slug}` } : {}),
      body: html`<article class="entry">
<header class="entry-head"><p class="over">Revision ${state.ordinal} of ${state.revisions} of <a href="/entries/${slug}">${words(entry.title)}</a></p>
<h1 dir="auto">${visible(revision.title)}</h1>
<p class="lead" dir="auto">${visible(revision.summary)}</p>
<p class="meta">${CHANGE_WORDS[revision.changeType]} by ${by(state.author)}, ${when(revision.createdAt)}: <q dir="auto">${visible(revision.rationale)}</q></p>
${current ? NOTHING : html`<p class="notice">This is not the latest revision. <a href="/entries/${slug}">Read the current entry</a>, or <a href="/entries/${slug}/diff?from=${revision.id}&amp;to=${entry.currentRevisionId}">see the later changes</a>.</p>`}
<nav class="pager" aria-label="Revisions">${links}</nav></header>
<div class="columns"><div class="column">${trustNotice(entry)}
<section class="prose" aria-label="Content" dir="auto">${content}</section></div>
<aside class="beside" aria-label="About this revision">
${stateOfEvidence(state, slug)}
${sourcesOf(revision, names)}
${hashOf(slug, revision, state.record <= logged ? state.record : undefined)}
</aside></div></article>`,
    }
  },
}

const hashOf = (
  slug: string,
  { id, evidenceHash }: Revision,
  record: number | undefined,
): Html => html`<section><h2>Check it</h2>
<p class="small">A change of this revision would be detected: its hash covers every word and the hash of the previous revision.</p>
<p><code class="hash">${evidenceHash}</code></p>
${record !== undefined && html`<p class="small"><a href="/log?record=${record}">Record ${record} of the public log</a></p>`}
<details><summary>How to check it</summary><p class="small">${HASH_RECIPE}</p><p class="small"><a href="/api/entries/${slug}/revisions/${id}">The revision as served</a></p></details></section>`

/** The difference between two revisions, by words if that fits into the time limit. */
export const DIFF: Page = {
  path: '/entries/{slug}/diff',
  as: 'listRevisions',
  ownQuery: ['from', 'to'],
  async render(request) {
    const { read, params } = request
    const entry = await read<Entry>('readEntry')
    if (params.slug !== entry.slug) {
      const query = new URLSearchParams(request.query as Record<string, string>)
      return { location: `/entries/${entry.slug}/diff?${query}` }
    }
    const [from, to] = await compared(request, entry)
    await read('listRevisions', params, { limit: 1 })
    const differences = [
      ['Title', difference(from.title, to.title)],
      ['Summary', difference(from.summary, to.summary)],
      ['Content', difference(from.content, to.content)],
    ] as const
    const changed = differences.filter(([, { pieces }]) => pieces.some(({ kind }) => kind !== 'same'))
    const content = sizeOf(differences[2][1])
    const { steps } = await readLife(request.reads, entry.slug, VIEW_ROWS)
    const nameOf = ({ id }: Revision): string => {
      const step = steps.find(one => one.id === id)
      return step === undefined ? 'an early revision' : `revision ${step.ordinal}`
    }
    return {
      title: `Changes in ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, '/diff', 'Changes')}
<dl class="ends">${endOf(entry.slug, `From ${nameOf(from)}`, from)}${endOf(entry.slug, `To ${nameOf(to)}`, to)}</dl>
<p class="meta">${content.gone.toLocaleString('en-GB')} characters of the content deleted, ${content.came.toLocaleString('en-GB')} inserted. ${content.gone + content.came > 0 && html`<span class="legend-line"><del>deleted</del> <ins>inserted</ins></span>`} <a href="/entries/${entry.slug}/diff?from=${to.id}&amp;to=${from.id}">Swap both revisions</a></p>
${changed.length === 0 && html`<p class="notice">The two revisions have the same texts.</p>`}
${changed.map(([name, one]) => html`<section><h2>${name}</h2>${one.by !== 'words' && html`<p class="small">The texts differ too much to compare them by words; ${one.by === 'lines' ? 'whole lines are shown.' : 'the whole texts are shown.'}</p>`}${differenceView(one)}</section>`)}
</article>`,
    }
  },
}

const endOf = (slug: string, name: string, { id, rationale, createdAt, changeType }: Revision): Html =>
  html`<div><dt>${name}</dt><dd><a href="/entries/${slug}/revisions/${id}">${when(createdAt)}</a> ${badge(CHANGE_WORDS[changeType] ?? changeType, 'quiet')}<br><span dir="auto">${visible(rationale)}</span></dd></div>`

/** The two requested revisions; by default the latest and the previous one. */
async function compared({ query, read, params }: PageRequest, entry: Entry): Promise<[Revision, Revision]> {
  const revision = (member: 'from' | 'to', revisionId: string): Promise<Revision> => {
    if (!isUuid(revisionId)) throw new Problem('INVALID_REVISION_ID', { member })
    return read<Revision>('readRevision', { ...params, revisionId })
  }
  const to = await revision('to', String(query.to ?? entry.currentRevisionId))
  return [await revision('from', String(query.from ?? to.previousRevisionId ?? to.id)), to]
}
