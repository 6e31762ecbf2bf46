import { Problem } from '../../contract/problem.ts'
import type { Entry, Revision } from '../../contract/resources.ts'
import { readSteps, type Step, VIEW_ROWS } from '../../memory/entries/views.ts'
import { isUuid } from '../../memory/values.ts'
import { comparison, difference, matching, type Piece } from '../browser/difference.js'
import { escapeHtml, type Html, html, type Part, raw, visible } from '../html.ts'
import type { PageRequest } from '../page.ts'
import { badge, CHANGE_WORDS, many, moment, pager } from '../parts/components.ts'
import {
  differenceView,
  type Group,
  groupsOf,
  type Numbered,
  numbering,
  sideBySide,
  sizeOf,
  unchanged,
} from '../parts/difference.ts'
import { finished, prose } from '../parts/prose.ts'
import { partOfEntry } from './head.ts'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#13': '\r' }

/** Elements that have no end tag. */
const VOID = /^<(?:hr|br|input)\b/

/** The number of tags and texts that are read before other work may run. */
const PAUSE = 1_000

/** The markup of the outermost elements of a rendered text, each with the space after it. Every text is escaped. */
function* blocksOf({ markup }: Html): Generator<undefined, string[]> {
  const blocks: string[] = []
  let [from, depth, count] = [0, 0, 0]
  for (const { 0: tag, index } of markup.matchAll(/<[^>]*>/g)) {
    if (depth === 0 && index > from) {
      blocks.push(markup.slice(from, index))
      from = index
    }
    if (tag.startsWith('</')) depth -= 1
    else if (!VOID.test(tag)) depth += 1
    count += 1
    if (count % PAUSE === 0) yield
  }
  return [...blocks, markup.slice(from)].filter(block => block !== '')
}

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|#13);/g, (whole, name: string) => ENTITIES[name] ?? whole)

/** A block of both rendered texts, or the blocks of a change with their deleted and inserted words marked. */
type Blocks = { before: Html; after: Html; sameWords: boolean }

/** Compares two rendered texts by blocks, and the blocks of each change by words. Tags are not marked. Yields where other work may run. */
export function* renderedDifference(from: Html, to: Html): Generator<undefined, Group<Blocks>[]> {
  const earlier = yield* blocksOf(from)
  const later = yield* blocksOf(to)
  const found = yield* matching(earlier, later)
  const groups: Group<Blocks>[] = []
  const size = from.markup.length + to.markup.length
  let [a, b] = [0, 0]
  for (const match of [...found, { a: earlier.length, b: later.length, count: 0 }]) {
    const [gone, came] = [earlier.slice(a, match.a).join(''), later.slice(b, match.b).join('')]
    if (gone !== '' || came !== '') groups.push({ isChanged: true, items: [yield* changedBlocks(gone, came, size)] })
    const same = later.slice(match.b, match.b + match.count).map(raw)
    if (same.length > 0)
      groups.push({ isChanged: false, items: same.map(block => ({ before: block, after: block, sameWords: true })) })
    a = match.a + match.count
    b = match.b + match.count
  }
  return groups
}

/** The blocks of a change. They are compared with their share of the work that both texts, of `size` characters, may take. */
function* changedBlocks(earlier: string, later: string, size: number): Generator<undefined, Blocks> {
  const share = (earlier.length + later.length) / size
  const pieces = yield* comparison(yield* wordsOf(earlier), yield* wordsOf(later), share)
  return {
    before: yield* marked(earlier, pieces, 'gone', 'del'),
    after: yield* marked(later, pieces, 'new', 'ins'),
    sameWords: pieces.every(({ kind }) => kind === 'same'),
  }
}

/** The tags of markup, each as it is, and the texts between them, unescaped. */
function* partsOf(markup: string): Generator<{ tag: string } | { text: string }> {
  for (const [part] of markup.matchAll(/<[^>]*>|[^<]+/g))
    yield part.startsWith('<') ? { tag: part } : { text: unescaped(part) }
}

function* wordsOf(markup: string): Generator<undefined, string> {
  const texts: string[] = []
  let count = 0
  for (const part of partsOf(markup)) {
    if ('text' in part) texts.push(part.text)
    count += 1
    if (count % PAUSE === 0) yield
  }
  return texts.join('')
}

/** Markup in which pieces of one kind are marked. A mark never contains a tag, and never only white space. */
function* marked(
  markup: string,
  pieces: readonly Piece[],
  kind: Piece['kind'],
  mark: string,
): Generator<undefined, Html> {
  const own = pieces.filter(piece => piece.kind === 'same' || piece.kind === kind)
  let [at, used, count] = [0, 0, 0]
  const shown: string[] = []
  for (const part of partsOf(markup)) {
    count += 1
    if (count % PAUSE === 0) yield
    if ('tag' in part) {
      shown.push(part.tag)
      continue
    }
    for (let from = 0; from < part.text.length; ) {
      const piece = own[at]
      const left = piece === undefined ? Number.POSITIVE_INFINITY : piece.text.length - used
      const words = part.text.slice(from, from + left)
      const isMarked = piece?.kind === kind && words.trim() !== ''
      shown.push(isMarked ? `<${mark}>${escapeHtml(words)}</${mark}>` : escapeHtml(words))
      from += words.length
      used += words.length
      if (used === piece?.text.length) {
        at += 1
        used = 0
      }
    }
  }
  return raw(shown.join(''))
}

/** Colours of code would differ where the code does not. */
const PLAIN = { isPlain: true } as const

/** The difference between two revisions: by lines, and by words within each change. */
export const DIFF = partOfEntry(
  { part: '/diff', name: 'Changes', about: 'Changes in', as: 'listRevisions', ownQuery: ['from', 'to', 'view'] },
  async (request, entry) => {
    const { read, params } = request
    const [from, to] = await compared(request, entry)
    await read('listRevisions', params, { limit: 1 })
    const steps = await readSteps(request.reads, entry.slug, VIEW_ROWS)
    await request.reads.yieldIfOverBudget()
    const view = VIEWS.find(([name]) => name === request.query.view)?.[0] ?? 'inline'
    const nameOf = ({ id }: Revision): string => {
      const step = steps.find(one => one.id === id)
      return step === undefined ? 'an early revision' : `revision ${step.ordinal}`
    }
    return html`${neighboursOf(entry.slug, steps, { from, to, view })}
<dl class="ends">${endOf(entry.slug, `From ${nameOf(from)}`, from, request.reads.at)}${endOf(entry.slug, `To ${nameOf(to)}`, to, request.reads.at)}</dl>
${await changesBetween(from, to, view, entry.slug)}`
  },
)

/** The size of the difference, the links to its views, and its changes. */
async function changesBetween(from: Revision, to: Revision, view: View, slug: string): Promise<Html> {
  const content = await finished(comparison(from.content, to.content))
  const texts = [
    ['Title', await finished(groupsOf(difference(from.title, to.title)))],
    ['Summary', await finished(groupsOf(difference(from.summary, to.summary)))],
    ['Content', await finished(groupsOf(content))],
  ] as const
  const isChanged = (groups: readonly Group<unknown>[]): boolean => groups.some(group => group.isChanged)
  const changed = texts.filter(([name, groups]) => isChanged(groups) && (view !== 'rendered' || name !== 'Content'))
  const rendered = view === 'rendered' && from.content !== to.content && (await renderedGroups(from, to))
  const shown: Group<unknown>[][] = [...changed.map(([, groups]) => groups), rendered || []]
  const count = shown.flat().filter(group => group.isChanged).length
  const numbered = numbering(count)
  const sections: Html[] = []
  for (const [name, groups] of changed) {
    sections.push(
      html`<section><h2>${name}</h2>${await finished(differenceView(groups, numbered, view !== 'inline'))}</section>`,
    )
  }
  const { gone, came } = sizeOf(content)
  return html`<p class="meta">${count > 0 && html`<a href="#change-1">${many(count, 'change')}</a>: `}${many(gone, 'character')} of the content deleted, ${came.toLocaleString('en-GB')} inserted. ${gone + came > 0 && html`<span class="legend-line"><del>deleted</del> <ins>inserted</ins></span>`} <a href="${addressOf(slug, { from: to, to: from, view })}">Swap both revisions</a></p>
<p class="meta"><a href="${addressOf(slug, { from, to, view })}" rel="bookmark" data-copy="the link">Permanent address</a></p>
${!texts.some(([, groups]) => isChanged(groups)) && html`<p class="notice">The two revisions have the same texts.</p>`}
${viewLinks(slug, { from, to, view })}
${sections}${rendered && (await finished(renderedView(rendered, numbered)))}`
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

const renderedGroups = async (from: Revision, to: Revision): Promise<Group<Blocks>[]> =>
  finished(renderedDifference(await prose(from.content, PLAIN), await prose(to.content, PLAIN)))

/** Both contents as their pages render them, side by side where they differ. Unchanged blocks are shown once, and folded if they are many. */
function* renderedView(groups: readonly Group<Blocks>[], numbered: Numbered): Generator<undefined, Html> {
  const text = (content: Part): Html => html`<div class="prose" dir="auto">${content}</div>`
  const same = function* (items: readonly Blocks[]): Generator<undefined, Html> {
    yield
    return text(items.map(({ after }) => after))
  }
  const parts: Html[] = []
  for (const [index, { isChanged, items }] of groups.entries()) {
    const sides = { after: index > 0, before: index < groups.length - 1 }
    if (!isChanged) parts.push(yield* unchanged(items, same, sides, 1, 'paragraph'))
    else
      for (const { before, after, sameWords } of items) {
        parts.push(numbered(html`${sameWords && FORMATTING}${sideBySide(text(before), text(after))}`))
        yield
      }
  }
  const isShown = groups.some(({ isChanged }) => isChanged)
  return html`<section class="rendered"><h2>Content</h2>${!isShown && FORMATTING}${parts}</section>`
}

const FORMATTING = html`<p class="notice">Only the formatting differs. The unified view shows it.</p>`

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
