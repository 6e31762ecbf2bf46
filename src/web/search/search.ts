import { FIND, LIMITS } from '../../contract/limits.ts'
import type { Entry, EntryList, FoundList, Stats } from '../../contract/resources.ts'
import { isNarrowed, type Narrowing } from '../../domain/find/facets.ts'
import { isAnswerable } from '../../domain/find/ranking.ts'
import { tagKey } from '../../domain/tag.ts'
import { termsOf } from '../../domain/terms/terms.ts'
import type { Facets } from '../../operations/entries/faceted-search.ts'
import { type Html, html, NOTHING, raw } from '../html.ts'
import type { Document, Page, PageRequest, Query } from '../page.ts'
import { ago, by, hrefOf, originMark, pager, tagList, tagPath, titleOf } from '../parts/components.ts'
import { Highlighter } from '../parts/highlight.ts'
import { signalBadges } from '../parts/signals.ts'
import { standingStrip } from '../parts/standing-strip.ts'
import { seen, words } from '../untrusted-text.ts'
import { facetLists, narrowingOf, widened } from './facets.ts'
import { advice, foundRows, publishFor } from './found.ts'

const SORTS: readonly (readonly [string, string])[] = [
  ['relevance', 'Best match'],
  ['recent', 'Latest change'],
  ['evolution', 'Most revised'],
]

/**
 * All entries, or the entries that match words and a tag, in an order. Marks the matches, and shows counts by which the list can be
 * narrowed.
 */
export const SEARCH: Page = {
  path: '/search',
  as: 'searchEntries',
  question: 'findEntries',
  query: ['q', 'tag', 'sort', 'offset', 'limit'],
  ownQuery: ['state', 'author', 'changed'],
  async render({ query, read, reads, search, path }) {
    const { q, tag, sort, limit, offset } = settled(query)
    if ([...q].length > LIMITS.queryCharacters) return answered(q, tag, { read, reads })
    const narrowing = narrowingOf(query)
    const { state, author, changed, ...plain } = query
    const { list, fit, facets } = await search({ ...plain, sort, limit, offset }, narrowing)
    const found = list.items
    const advised = sort === 'relevance' && offset === 0
    const doubtful = sort === 'relevance' && fit !== undefined && found.length > 0 && !isAnswerable(fit)
    const narrowed = isNarrowed(narrowing)
    const further =
      offset + found.length < (facets?.found ?? 0) || (!narrowed && (facets?.more ?? found.length === limit))
    const next = further && offset + limit <= LIMITS.offsetMax
    const shown = { ...plain, ...narrowing, sort }
    const mark = new Highlighter(termsOf(q))
    return {
      title: titleFor(q, tag),
      section: '/search',
      unlisted: q !== '' || offset > 0 || narrowed,
      alternates: tag === '' ? [] : tagFeeds(tag),
      body: html`<h1>${q === '' && tag === '' ? 'All entries' : 'Search'}</h1>
${searchForm(q, tag, sort, narrowing)}
<div class="columns found"><div class="column">
<p class="result-count" role="status">${countLine({ found: found.length, offset, doubtful, q, tag, facets })}${facets !== undefined && found.length > 0 && html` <a class="to-facets" href="#narrow">Narrow the list</a>`}</p>
${advised && fit !== undefined && advice(fit, doubtful, q)}
${found.length === 0 ? (narrowed ? html`<p class="notice"><a href="${widened(shown)}">Remove all filters</a></p>` : await nothingFound(q, tag, offset, read)) : html`<ol class="results" start="${offset + 1}">${found.map(entry => resultRow(entry, mark, reads.at))}</ol>`}
${pager(
  offset > 0 ? ['Back', hrefOf(path, shown, { offset: Math.max(0, offset - limit) })] : undefined,
  next ? ['More', hrefOf(path, shown, { offset: offset + limit })] : undefined,
)}
${found.length > 0 && html`<p class="small">Not among these? <a href="${publishFor(q)}">Publish it</a> when you know it.</p>`}
${tag !== '' && html`<p class="small">Follow this topic: ${tagFeeds(tag).map(({ href, title }, index) => html`${index > 0 && ', '}<a href="${href}">${title.includes('Atom') ? 'Atom' : 'JSON Feed'}</a>`)}</p>`}
</div>${facets !== undefined && facetLists(facets, shown, narrowing)}</div>`,
    }
  },
}

/** The answer to a question that is too long for a search. */
async function answered(
  q: string,
  tag: string,
  { read, reads }: Pick<PageRequest, 'read' | 'reads'>,
): Promise<Document> {
  const found = await read<FoundList>('findEntries', {}, { q, ...(tag === '' ? {} : { tag }), limit: FIND.max })
  return {
    title: titleFor(q, tag),
    section: '/search',
    unlisted: true,
    body: html`<h1>Search</h1>
${searchForm(q, tag, 'relevance', {})}
<p class="result-count" role="status">${found.items.length === 0 ? 'No entries found.' : found.items.length === 1 ? 'The entry that matches best.' : html`The ${found.items.length} entries that match best.`}</p>
${advice(found, found.items.length > 0 && !found.answerable, q)}
${found.items.length === 0 ? await nothingFound(q, tag, 0, read) : foundRows(found, reads.at)}`,
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

/** Fills in the defaults of a query. The default order is best match for a query with words, otherwise latest change. */
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
  narrowing: Narrowing,
): Html => html`<form class="search" action="/search" method="get" aria-label="Search entries">
<div class="field grow"><label for="q">Words</label><input id="q" name="q" type="search" value="${seen(q)}" maxlength="${FIND.queryCharacters}" autocomplete="off" dir="auto"></div>
<div class="field"><label for="tag">Tag</label><input id="tag" name="tag" value="${seen(tag)}" maxlength="${LIMITS.tagCharacters}" autocomplete="off" dir="auto"></div>
<div class="field"><label for="sort">Order</label><select id="sort" name="sort">${SORTS.map(([value, name]) => html`<option value="${value}"${value === sort && raw(' selected')}>${name}</option>`)}</select></div>
${Object.entries(narrowing).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`)}<button type="submit" class="do">Search</button>
</form>`

/** The counts above the results. `doubtful` is true if the results hardly match. */
type Counted = {
  found: number
  offset: number
  doubtful: boolean
  q: string
  tag: string
  facets: Facets | undefined
}

function countLine({ found, offset, doubtful, q, tag, facets }: Counted): Html {
  const asked = html`${q !== '' && html` for <q>${words(q)}</q>`}${tag !== '' && html` tagged ${words(tag)}`}`
  if (found === 0) return html`Nothing${offset > 0 ? ' more' : ' found'}${asked}.`
  const all = facets && html` of ${facets.more && 'the first '}${facets.found.toLocaleString('en-GB')}`
  const [one, many] = doubtful ? ['Nearest entry', 'Nearest entries'] : ['Entry', 'Entries']
  return html`${found === 1 ? html`${one} ${offset + 1}` : html`${many} ${offset + 1} to ${offset + found}`}${all}${asked}.`
}

function resultRow(entry: Entry, mark: Highlighter, at: number): Html {
  const passage = mark.has(`${entry.title} ${entry.summary}`) ? undefined : mark.passage(entry.content)
  return html`<li class="result">
<h2 dir="auto"><a href="/entries/${entry.slug}">${mark.marked(entry.title)}</a></h2>
<div class="about"><p${passage && html` class="passage"`} dir="auto">${passage ?? mark.marked(entry.summary)}</p>${tagList(entry.tags)}</div>
<p class="meta">${standingStrip(entry, at)} ${signalBadges(entry)}${originMark(entry)}<span>${entry.revisionCount > 1 ? html`revision ${entry.revisionCount.toLocaleString('en-GB')},` : 'published'} ${ago(entry.updatedAt, at)} · ${entry.revisionCount > 1 && 'created by '}${by(entry.actor)}</span></p>
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
