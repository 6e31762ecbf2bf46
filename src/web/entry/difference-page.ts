import { Problem } from '../../contract/problem.ts'
import type { Entry, Revision } from '../../contract/resources.ts'
import { readCounts, readSteps, type Step, VIEW_ROWS } from '../../memory/entries/views.ts'
import { isUuid } from '../../memory/values.ts'
import { type Difference, difference, type Piece } from '../browser/difference.js'
import { escapeHtml, type Html, html, NOTHING, raw, visible } from '../html.ts'
import type { Page, PageRequest } from '../page.ts'
import { badge, CHANGE_WORDS, many, moment, pager, titleOf } from '../parts/components.ts'
import { differenceView, sizeOf, splitView } from '../parts/difference.ts'
import { prose } from '../parts/prose.ts'
import { entryHead } from './head.ts'

/** Two rendered texts with their changes marked. */
export type RenderedDifference = {
  /** The earlier text, with its deleted words in `del`. */
  before: Html
  /** The later text, with its inserted words in `ins`. */
  after: Html
  by: Difference['by']
  /** Whether both texts have the same words. Then only the formatting can differ. */
  same: boolean
}

/** A piece of markup: a tag, or a text between two tags. */
type Token = { tag: string } | { text: string }

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#13': '\r' }

/** The tags and texts of markup in which every text and every attribute is escaped. */
const tokensOf = ({ markup }: Html): Token[] =>
  markup
    .split(/(<[^>]*>)/)
    .filter(part => part !== '')
    .map(part =>
      part.startsWith('<')
        ? { tag: part }
        : { text: part.replace(/&(amp|lt|gt|quot|#39|#13);/g, (whole, name: string) => ENTITIES[name] ?? whole) },
    )

const wordsOf = (tokens: readonly Token[]): string => tokens.map(token => ('text' in token ? token.text : '')).join('')

/** Compares two rendered texts by their words, and marks the changed words in both. Tags are not compared. */
export function renderedDifference(from: Html, to: Html): RenderedDifference {
  const [earlier, later] = [tokensOf(from), tokensOf(to)]
  const { by, pieces } = difference(wordsOf(earlier), wordsOf(later))
  return {
    before: marked(earlier, pieces, 'gone', 'del'),
    after: marked(later, pieces, 'new', 'ins'),
    by,
    same: pieces.every(({ kind }) => kind === 'same'),
  }
}

/** The markup of tokens, in which pieces of one kind are marked. A mark never contains a tag, and never only white space. */
function marked(tokens: readonly Token[], pieces: readonly Piece[], kind: Piece['kind'], mark: string): Html {
  const own = pieces.filter(piece => piece.kind === 'same' || piece.kind === kind)
  let at = 0
  let used = 0
  let markup = ''
  for (const token of tokens) {
    if ('tag' in token) {
      markup += token.tag
      continue
    }
    for (let from = 0; from < token.text.length; ) {
      const piece = own[at]
      const length = Math.min(
        token.text.length - from,
        piece === undefined ? Number.POSITIVE_INFINITY : piece.text.length - used,
      )
      const part = token.text.slice(from, from + length)
      const shown = escapeHtml(part)
      markup += piece?.kind === kind && part.trim() !== '' ? `<${mark}>${shown}</${mark}>` : shown
      from += length
      used += length
      if (piece !== undefined && used === piece.text.length) {
        at += 1
        used = 0
      }
    }
  }
  return raw(markup)
}

/** The difference between two revisions, by words if the comparison finishes within the time limit. */
export const DIFF: Page = {
  path: '/entries/{slug}/diff',
  as: 'listRevisions',
  ownQuery: ['from', 'to', 'view'],
  async render(request) {
    const { read, params } = request
    const entry = await read<Entry>('readEntry')
    if (params.slug !== entry.slug) {
      const query = new URLSearchParams(request.query as Record<string, string>)
      return { location: `/entries/${entry.slug}/diff?${query}` }
    }
    const [from, to] = await compared(request, entry)
    await read('listRevisions', params, { limit: 1 })
    await request.reads.yieldIfOverBudget()
    const differences = [
      ['Title', difference(from.title, to.title)],
      ['Summary', difference(from.summary, to.summary)],
      ['Content', difference(from.content, to.content)],
    ] as const
    await request.reads.yieldIfOverBudget()
    const changed = differences.filter(([, { pieces }]) => pieces.some(({ kind }) => kind !== 'same'))
    const content = sizeOf(differences[2][1])
    const steps = await readSteps(request.reads, entry.slug, VIEW_ROWS)
    await request.reads.yieldIfOverBudget()
    const view = VIEWS.find(([name]) => name === request.query.view)?.[0] ?? 'inline'
    const nameOf = ({ id }: Revision): string => {
      const step = steps.find(one => one.id === id)
      return step === undefined ? 'an early revision' : `revision ${step.ordinal}`
    }
    return {
      title: `Changes in ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, { here: '/diff', name: 'Changes', counts: await readCounts(request.reads, entry.slug), at: request.reads.at })}
${neighboursOf(entry.slug, steps, { from, to, view })}
<dl class="ends">${endOf(entry.slug, `From ${nameOf(from)}`, from, request.reads.at)}${endOf(entry.slug, `To ${nameOf(to)}`, to, request.reads.at)}</dl>
<p class="meta">${many(content.gone, 'character')} of the content deleted, ${content.came.toLocaleString('en-GB')} inserted. ${content.gone + content.came > 0 && html`<span class="legend-line"><del>deleted</del> <ins>inserted</ins></span>`} <a href="${addressOf(entry.slug, { from: to, to: from, view })}">Swap both revisions</a> · <a href="${addressOf(entry.slug, { from, to, view })}" data-copy="the link">Permanent address of this comparison</a></p>
${changed.length === 0 && html`<p class="notice">The two revisions have the same texts.</p>`}
${viewLinks(entry.slug, { from, to, view })}
${changed
  .filter(([name]) => view !== 'rendered' || name !== 'Content')
  .map(
    ([name, one]) =>
      html`<section><h2>${name}</h2>${coarse(one)}${view === 'inline' ? differenceView(one) : splitView(one)}</section>`,
  )}
${view === 'rendered' && (await renderedView(from, to, nameOf))}
</article>`,
    }
  },
}

/** The views of a difference, each with its name. */
const VIEWS = [
  ['inline', 'Unified'],
  ['split', 'Side by side'],
  ['rendered', 'Rendered'],
] as const

type View = (typeof VIEWS)[number][0]
type Comparison = { from: Pick<Revision, 'id'>; to: Pick<Revision, 'id'>; view: View }

/** The address of a comparison. It names both revisions, so its content never changes. */
const addressOf = (slug: string, { from, to, view }: Comparison): string =>
  `/entries/${slug}/diff?from=${from.id}&to=${to.id}${view === 'inline' ? '' : `&view=${view}`}`

const viewLinks = (slug: string, shown: Comparison): Html =>
  html`<nav class="pager" aria-label="Views">${VIEWS.map(([view, words]) => html`<a href="${addressOf(slug, { ...shown, view })}"${view === shown.view && html` aria-current="true"`}>${words}</a>`)}</nav>`

/** The changes before and after the compared revisions. */
function neighboursOf(slug: string, steps: readonly Step[], { from, to, view }: Comparison): Html {
  const ordinal = new Map(steps.map(step => [step.id, step.ordinal]))
  const first = Math.min(ordinal.get(from.id) ?? 0, ordinal.get(to.id) ?? 0)
  const last = Math.max(ordinal.get(from.id) ?? 0, ordinal.get(to.id) ?? 0)
  const change = (at: number): string | undefined => {
    const [before, after] = [steps.find(step => step.ordinal === at - 1), steps.find(step => step.ordinal === at)]
    return before && after && addressOf(slug, { from: before, to: after, view })
  }
  const [back, onward] = [change(first), change(last + 1)]
  return pager(
    back === undefined ? undefined : [`Previous change (revision ${first})`, back],
    onward === undefined ? undefined : [`Next change (revision ${last + 1})`, onward],
  )
}

const coarse = ({ by }: Pick<Difference, 'by'>): Html =>
  by === 'words'
    ? NOTHING
    : html`<p class="small">The texts differ too much to compare them by words; ${by === 'lines' ? 'whole lines are shown.' : 'the whole texts are shown.'}</p>`

/** Both contents as their pages render them. Deleted words are marked in the first, inserted words in the second. */
async function renderedView(from: Revision, to: Revision, nameOf: (revision: Revision) => string): Promise<Html> {
  const { before, after, by, same } = renderedDifference(await prose(from.content), await prose(to.content))
  const side = (label: string, revision: Revision, content: Html): Html =>
    html`<div><h3>${label} ${nameOf(revision)}</h3><section class="prose" aria-label="${label}" dir="auto">${content}</section></div>`
  return html`<section><h2>Content</h2>${coarse({ by })}${same && from.content !== to.content && html`<p class="notice">Only the formatting differs. The unified view shows it.</p>`}
<div class="both">${side('From', from, before)}${side('To', to, after)}</div></section>`
}

const endOf = (slug: string, name: string, { id, rationale, createdAt, changeType }: Revision, at: number): Html =>
  html`<div><dt>${name}</dt><dd><a href="/entries/${slug}/revisions/${id}">${moment(createdAt, at)}</a> ${badge(CHANGE_WORDS[changeType] ?? changeType, 'quiet')}<br><span dir="auto">${visible(rationale)}</span></dd></div>`

/** The two requested revisions; by default the latest and the previous one. */
async function compared({ query, read, params }: PageRequest, entry: Entry): Promise<[Revision, Revision]> {
  const revision = (member: 'from' | 'to', revisionId: string): Promise<Revision> => {
    if (!isUuid(revisionId)) throw new Problem('INVALID_REVISION_ID', { member })
    return read<Revision>('readRevision', { ...params, revisionId })
  }
  const to = await revision('to', String(query.to ?? entry.currentRevisionId))
  return [await revision('from', String(query.from ?? to.previousRevisionId ?? to.id)), to]
}
