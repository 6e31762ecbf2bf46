import { FIND, LIMITS } from '../../contract/limits.ts'
import type { Entry, EntryList, FoundList, Stats } from '../../contract/resources.ts'
import { ACTOR_TYPES, STATES } from '../../contract/vocabulary.ts'
import { isNarrowed, type Narrowing, PERIODS, type Period } from '../../find/rules/facets.ts'
import { type Term, termsOf, wordsOf } from '../../find/rules/words.ts'
import { tagKey } from '../../memory/entries/rules.ts'
import { FACETED, type Facets } from '../../memory/entries/search.ts'
import { type Html, html, NOTHING, type Part, raw, seen, visible, words } from '../html.ts'
import type { Document, Page, PageRequest, Query } from '../page.ts'
import {
  ago,
  by,
  feedsOf,
  hrefOf,
  originMark,
  pager,
  signalBadges,
  tagList,
  tagPath,
  titleOf,
} from '../parts/components.ts'
import { standingStrip, stateMark, VERDICTS } from '../parts/evidence-summary.ts'
import { advice, foundRows, publishFor } from './found.ts'

const AUTHORS = { HUMAN: 'A person', AGENT: 'An agent', UNKNOWN: 'Not declared' } as const
const AGES: Record<Period, string> = { day: 'Today', week: 'Last 7 days', month: 'Last 31 days', year: 'Last 366 days' }
const PERIOD_NAMES = Object.keys(PERIODS) as Period[]

/** The choices of a query. Ignores unknown values. */
function narrowingOf(query: Query): Narrowing {
  const state = STATES.find(one => one === query.state)
  const author = ACTOR_TYPES.find(one => one === query.author)
  const changed = PERIOD_NAMES.find(one => one === query.changed)
  return { ...(state && { state }), ...(author && { author }), ...(changed && { changed }) }
}

type Shown = Record<string, string | number | undefined>

/** The address of the first page of a list, with some query parameters replaced or removed. */
const firstPage = (shown: Shown, replaced: Shown): string =>
  hrefOf('/search', { ...shown, ...replaced, offset: undefined })

/**
 * The counts of the first matches, as links that narrow the list. The link of a selected value removes its choice. A value whose choice
 * would not change the list is left out, and a facet without values; without any facet, the result is empty. On a narrow screen, a line
 * above the list that names the selected values and opens.
 */
const facetLists = (facets: Facets, shown: Shown, narrowing: Narrowing): Html => {
  const counted = <V extends string>(
    heading: string,
    name: keyof Narrowing,
    all: readonly V[],
    nameOf: (value: V) => Part,
  ): Facet => {
    const [counts, chosen]: [ReadonlyMap<string, number>, string | undefined] = [facets[name], narrowing[name]]
    const values = all.filter(value => counts.has(value) || value === chosen)
    const listed = values.map(value => ({ value, name: nameOf(value), count: counts.get(value) ?? 0 }))
    return { heading, name, values: listed, chosen }
  }
  const tag = typeof shown.tag === 'string' && shown.tag !== '' ? shown.tag : undefined
  const tags = tag === undefined ? facets.tags : [{ tag, count: facets.found }]
  const all: Facet[] = [
    counted('Standing', 'state', STATES, one => html`${stateMark(one)}${VERDICTS[one].name}`),
    counted('Published by', 'author', ACTOR_TYPES, one => AUTHORS[one]),
    counted('Changed', 'changed', PERIOD_NAMES, one => AGES[one]),
    {
      heading: 'Tag',
      name: 'tag',
      values: tags.map(one => ({ value: one.tag, name: words(one.tag), count: one.count })),
      chosen: tag,
    },
  ]
  const useful = all
    .map(one => ({ ...one, values: one.values.filter(value => isChange(one, value, facets.found)) }))
    .filter(({ values: left }) => left.length > 0)
  if (useful.length === 0) return NOTHING
  const names = useful.flatMap(one => one.values.filter(({ value }) => value === one.chosen).map(({ name }) => name))
  return html`<aside class="beside facets" aria-label="Narrow the list"><details class="opens"><summary>Narrow the list${names.map((name, index) => [index === 0 ? ': ' : ', ', name])}</summary>
${useful.map(one => facetOf(one, shown))}
${facets.more ? html`<p class="small">The counts are about the first ${FACETED} matches.</p>` : NOTHING}
</details></aside>`
}

type Value = { value: string; name: Part; count: number }
type Facet = { heading: string; name: string; values: readonly Value[]; chosen: string | undefined }

/** Whether a click on a value changes the list. Periods contain each other; the values of the other facets have no entry in common. */
const isChange = ({ name, chosen }: Facet, { value, count }: Value, found: number): boolean =>
  value === chosen || count !== found || (chosen !== undefined && name !== 'changed')

const facetOf = ({ heading, name, values, chosen }: Facet, shown: Shown): Html =>
  html`<section><h2>${heading}</h2><ul>${values.map(({ value, name: text, count }) => {
    const on = value === chosen
    return html`<li><a href="${firstPage(shown, { [name]: on ? undefined : value })}"${on && raw(' aria-current="true"')}>${text}${on && html` <span class="small">remove</span>`}</a> <span class="number">${count.toLocaleString('en-GB')}</span></li>`
  })}</ul></section>`

const WORD = /[\p{L}\p{M}\p{N}]+/gu
/** Maximum number of characters of a content in which a passage is searched. */
const LOOKED_AT = 4_000
const PASSAGE = 240
const LEAD = 60

/** Finds the words of a query in texts, by the comparison of the search. Made once per page, so that each word is folded once. */
export class Highlighter {
  readonly #words: ReadonlySet<string>
  readonly #prefixes: readonly string[]
  /** For each word compared so far, whether it is a word of the query. */
  readonly #compared = new Map<string, boolean>()

  constructor(terms: readonly Term[]) {
    this.#words = new Set(terms.flatMap(({ prefix, words }) => (prefix ? words.slice(0, -1) : words)))
    this.#prefixes = terms.flatMap(({ prefix, words }) => (prefix ? words.slice(-1) : []))
  }

  /** The text with the words of the query marked. */
  marked(text: string): Html {
    const parts: Html[] = []
    let from = 0
    for (const match of this.#matches(text)) {
      parts.push(visible(text.slice(from, match.index)), html`<mark>${visible(match[0])}</mark>`)
      from = match.index + match[0].length
    }
    return html`${parts}${visible(text.slice(from))}`
  }

  /** Whether the text contains a word of the query. */
  has(text: string): boolean {
    return this.#matches(text).next().done === false
  }

  /** The passage around the first word of the query in a longer text, marked; undefined if there is none. */
  passage(text: string): Html | undefined {
    const start = text.slice(0, LOOKED_AT)
    const hit = this.#matches(start).next().value
    if (hit === undefined) return undefined
    const from = hit.index <= LEAD ? 0 : start.indexOf(' ', hit.index - LEAD) + 1 || hit.index
    const cut = start.slice(Math.min(from, hit.index), from + PASSAGE).toWellFormed()
    return html`${from > 0 && '… '}${this.marked(cut.replace(/\s+/g, ' '))}${text.length > from + PASSAGE && ' …'}`
  }

  *#matches(text: string): Generator<RegExpExecArray, undefined> {
    if (this.#words.size === 0 && this.#prefixes.length === 0) return
    for (const match of text.matchAll(WORD)) if (this.#fits(match[0])) yield match
  }

  #fits(word: string): boolean {
    let known = this.#compared.get(word)
    if (known === undefined) {
      known = wordsOf(word).some(
        part => this.#words.has(part) || this.#prefixes.some(prefix => part.startsWith(prefix)),
      )
      this.#compared.set(word, known)
    }
    return known
  }
}

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
    const doubtful = sort === 'relevance' && fit !== undefined && found.length > 0 && fit.match < fit.answerableFrom
    const narrowed = isNarrowed(narrowing)
    const further =
      offset + found.length < (facets?.found ?? 0) || (!narrowed && (facets?.more ?? found.length === limit))
    const next = further && offset + limit <= LIMITS.offsetMax
    const shown = { ...plain, ...narrowing, sort }
    const mark = new Highlighter(termsOf(q))
    const narrowers = facets === undefined ? NOTHING : facetLists(facets, shown, narrowing)
    return {
      title: titleFor(q, tag),
      section: '/search',
      unlisted: q !== '' || offset > 0 || narrowed,
      alternates: tag === '' ? [] : tagFeeds(tag),
      body: html`<h1>${q === '' && tag === '' ? 'All entries' : 'Search'}</h1>
${searchForm(q, tag, sort, narrowing)}
<div class="columns found"><div class="column">
<p class="result-count" role="status">${countLine({ found: found.length, offset, doubtful, q, tag, facets })}</p>
${advised && fit !== undefined && advice(fit, doubtful, q)}
${found.length === 0 ? (narrowed ? html`<p class="notice"><a href="${firstPage(plain, { sort })}">Remove all filters</a></p>` : await nothingFound(q, tag, offset, read)) : html`<ol class="results" start="${offset + 1}">${found.map(entry => resultRow(entry, mark, reads.at))}</ol>`}
${pager(
  offset > 0 ? ['Back', hrefOf(path, { ...shown, offset: Math.max(0, offset - limit) })] : undefined,
  next ? ['More', hrefOf(path, { ...shown, offset: offset + limit })] : undefined,
)}
${found.length > 0 && html`<p class="small">Not among these? <a href="${publishFor(q)}">Publish it</a> when you know it.</p>`}
${tag !== '' && html`<p class="small"><a href="${tagPath(tag)}">The page of this tag</a>, with its disputes and feeds</p>`}
</div>${narrowers}</div>`,
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

/** The feeds of the entries that have a tag. */
export const tagFeeds = (tag: string) =>
  feedsOf('/feeds/tag', `Entries tagged ${titleOf(tag)}`, `?tag=${encodeURIComponent(tag)}`)

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

/** An entry as a row of a list, with the words of the query marked. */
export function resultRow(entry: Entry, mark: Highlighter, at: number): Html {
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
