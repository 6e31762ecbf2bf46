import { FIND, LIMITS } from '../contract/limits.ts'
import type { Entry, EntryList, FoundList, Stats } from '../contract/resources.ts'
import { isAnswerable } from '../domain/ranking.ts'
import { tagKey } from '../domain/tag.ts'
import { termsOf } from '../domain/terms.ts'
import { advice, foundRows, publishFor } from './found.ts'
import { createHighlighter } from './highlight.ts'
import { type Html, html, NOTHING, raw } from './html.ts'
import type { Document, Page, PageRequest, Query } from './page.ts'
import { by, day, hrefOf, many, originMark, pager, tagList, tagPath, titleOf } from './parts.ts'
import { signalBadges } from './signals.ts'
import { standingBadge } from './state.ts'
import { words } from './visible.ts'

const SORTS: readonly (readonly [string, string])[] = [
  ['relevance', 'Best match'],
  ['recent', 'Latest change'],
  ['evolution', 'Most revised'],
]

/** All entries, or those that match words and a tag, in an order, with the matches marked. */
export const SEARCH: Page = {
  path: '/search',
  as: 'searchEntries',
  question: 'findEntries',
  query: ['q', 'tag', 'sort', 'offset', 'limit'],
  async render({ query, read, search, path }) {
    const { q, tag, sort, limit, offset } = settled(query)
    if ([...q].length > LIMITS.queryCharacters) return answered(q, tag, read)
    const { list, fit } = await search({ ...query, sort, limit, offset })
    const found = list.items
    const advised = sort === 'relevance' && offset === 0
    const next = found.length === limit && offset + limit <= LIMITS.offsetMax
    const shown = { ...query, sort }
    const heading = q === '' && tag === '' ? 'All entries' : 'Search'
    const mark = createHighlighter(termsOf(q))
    return {
      title: titleFor(q, tag),
      section: '/search',
      unlisted: q !== '' || offset > 0,
      alternates: tag === '' ? [] : tagFeeds(tag),
      body: html`<h1>${heading}</h1>
${searchForm(q, tag, sort)}
<p class="told" role="status">${told(found.length, offset, q, tag)}</p>
${advised && fit !== undefined && advice(fit, found.length > 0 && !isAnswerable(fit.match), q)}
${found.length === 0 ? await nothingFound(q, tag, offset, read) : html`<ol class="results" start="${offset + 1}">${found.map(entry => resultRow(entry, mark))}</ol>`}
${pager(
  offset > 0 ? ['Back', hrefOf(path, shown, { offset: Math.max(0, offset - limit) })] : undefined,
  next ? ['More', hrefOf(path, shown, { offset: offset + limit })] : undefined,
)}
${tag !== '' && html`<p class="small">Follow this topic: ${tagFeeds(tag).map(({ href, title }, index) => html`${index > 0 && ', '}<a href="${href}">${title.includes('Atom') ? 'Atom' : 'JSON Feed'}</a>`)}</p>`}`,
    }
  },
}

/** The answer to a question that is too long for a search. */
async function answered(q: string, tag: string, read: PageRequest['read']): Promise<Document> {
  const found = await read<FoundList>('findEntries', {}, { q, ...(tag === '' ? {} : { tag }), limit: FIND.max })
  return {
    title: titleFor(q, tag),
    section: '/search',
    unlisted: true,
    body: html`<h1>Search</h1>
${searchForm(q, tag, 'relevance')}
<p class="told" role="status">${found.items.length === 0 ? 'No entries found.' : html`The ${many(found.items.length, 'entry', 'entries')} that fit best.`}</p>
${advice(found, found.items.length > 0 && !found.answerable, q)}
${found.items.length === 0 ? await nothingFound(q, tag, 0, read) : foundRows(found)}`,
  }
}

const tagFeeds = (tag: string) => [
  {
    type: 'application/atom+xml',
    href: `/feeds/tag.atom?tag=${encodeURIComponent(tag)}`,
    title: `Entries tagged ${titleOf(tag)} (Atom)`,
  },
  {
    type: 'application/feed+json',
    href: `/feeds/tag.json?tag=${encodeURIComponent(tag)}`,
    title: `Entries tagged ${titleOf(tag)} (JSON Feed)`,
  },
]

/** The default order: best match for a query, latest change without one. */
function settled(query: Query) {
  const q = String(query.q ?? '')
  return {
    q,
    tag: String(query.tag ?? ''),
    sort: String(query.sort ?? (q === '' ? 'recent' : 'relevance')),
    limit: Number(query.limit ?? LIMITS.pageDefault),
    offset: Number(query.offset ?? 0),
  }
}

const titleFor = (q: string, tag: string): string =>
  q !== '' ? `Search: ${titleOf(q)}` : tag !== '' ? `Tagged ${titleOf(tag)}` : 'All entries'

const searchForm = (
  q: string,
  tag: string,
  sort: string,
): Html => html`<form class="search" action="/search" method="get" aria-label="Search entries">
<div class="field grow"><label for="q">Words</label><input id="q" name="q" type="search" value="${q}" maxlength="${FIND.queryCharacters}" autocomplete="off" dir="auto"></div>
<div class="field"><label for="tag">Tag</label><input id="tag" name="tag" value="${tag}" maxlength="${LIMITS.tagCharacters}" autocomplete="off" dir="auto"></div>
<div class="field"><label for="sort">Order</label><select id="sort" name="sort">${SORTS.map(([value, name]) => html`<option value="${value}"${value === sort && raw(' selected')}>${name}</option>`)}</select></div>
<button type="submit" class="do">Search</button>
</form>`

function told(found: number, offset: number, q: string, tag: string): Html {
  const asked = html`${q !== '' && html` for <q>${words(q)}</q>`}${tag !== '' && html` tagged ${words(tag)}`}`
  if (found === 0) return html`Nothing${offset > 0 ? ' more' : ' found'}${asked}.`
  return html`Entries ${offset + 1} to ${offset + found}${asked}.`
}

function resultRow(entry: Entry, mark: ReturnType<typeof createHighlighter>): Html {
  const passage = mark.has(`${entry.title} ${entry.summary}`) ? undefined : mark.passage(entry.content)
  return html`<li class="result">
<h2 dir="auto"><a href="/entries/${entry.slug}">${mark.marked(entry.title)}</a></h2>
<p dir="auto">${mark.marked(entry.summary)}</p>
${passage && html`<p class="passage" dir="auto">${passage}</p>`}
<p class="meta">${standingBadge(entry)}${signalBadges(entry)}${originMark(entry)} ${many(entry.revisionCount, 'revision')} · ${day(entry.updatedAt)} · created by ${by(entry.actor)}</p>
${tagList(entry.tags)}
</li>`
}

/** Advice if there is no result. */
async function nothingFound(q: string, tag: string, offset: number, read: PageRequest['read']): Promise<Html> {
  if (offset > 0) return NOTHING
  const { items } = await read<EntryList>('listEntries', {}, { limit: 1 })
  if (items.length === 0)
    return html`<p class="notice">There are no entries yet. <a href="/publish">Publish the first entry</a>.</p>`
  const { topics } = await read<Stats>('readStats', {})
  const others = topics.filter(topic => tagKey(topic.tag) !== tagKey(tag)).slice(0, 12)
  return html`<div class="notice"><ul>
${q !== '' && tag !== '' && html`<li><a href="/search?q=${encodeURIComponent(q)}">Search all entries</a>, not only those tagged ${words(tag)}</li>`}
<li>Try fewer words, or synonyms.</li>
<li>If you know the answer, <a href="${publishFor(q)}">publish it</a> for the next reader.</li></ul>
${others.length > 0 && html`<p>Or browse topics:</p><ul class="chips">${others.map(topic => html`<li><a class="chip" href="${tagPath(topic.tag)}">${words(topic.tag)}</a></li>`)}</ul>`}</div>`
}
