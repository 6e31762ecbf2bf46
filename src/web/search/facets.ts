import { ACTOR_TYPES, STATES } from '../../contract/vocabulary.ts'
import { type Narrowing, PERIODS, type Period } from '../../domain/find/facets.ts'
import { FACETED, type Facets } from '../../operations/entries/faceted-search.ts'
import { type Html, html, NOTHING, type Part, raw } from '../html.ts'
import type { Query } from '../page.ts'
import { VERDICTS } from '../parts/evidence-summary.ts'
import { words } from '../untrusted-text.ts'

const AUTHORS = { HUMAN: 'A person', AGENT: 'An agent', UNKNOWN: 'Not declared' } as const
const AGES: Record<Period, string> = { day: 'Today', week: 'Last 7 days', month: 'Last 31 days', year: 'Last 366 days' }
const PERIOD_NAMES = Object.keys(PERIODS) as Period[]

/** The choices of a query. Ignores unknown values. */
export function narrowingOf(query: Query): Narrowing {
  const state = STATES.find(one => one === query.state)
  const author = ACTOR_TYPES.find(one => one === query.author)
  const changed = PERIOD_NAMES.find(one => one === query.changed)
  return { ...(state && { state }), ...(author && { author }), ...(changed && { changed }) }
}

type Shown = Record<string, string | number | undefined>

/** The address of the first page of a list, with one query parameter replaced or removed. */
function withChoice(shown: Shown, name: string, value: string | undefined): string {
  const search = new URLSearchParams()
  for (const [key, one] of Object.entries({ ...shown, [name]: value, offset: undefined }))
    if (one !== undefined && one !== '') search.set(key, String(one))
  return `/search?${search}`
}

/** The address of a list without choices. Retains only its words and its tag. */
export const widened = (shown: Shown): string =>
  withChoice({ ...shown, state: undefined, author: undefined }, 'changed', undefined)

/** The counts of the first matches, as links that narrow the list. The link of a selected value removes its choice. */
export const facetLists = (facets: Facets, shown: Shown, { state, author, changed }: Narrowing): Html => {
  const tag = typeof shown.tag === 'string' && shown.tag !== '' ? shown.tag : undefined
  const values = <V extends string>(
    all: readonly V[],
    counts: Map<V, number>,
    names: (value: V) => Part,
    chosen: V | undefined,
  ) =>
    all
      .filter(value => counts.has(value) || value === chosen)
      .map(value => ({ value, name: names(value), count: counts.get(value) ?? 0 }))
  return html`<aside class="beside facets" id="narrow" aria-label="Narrow the list" tabindex="-1">
${facet(
  'Standing',
  'state',
  values(STATES, facets.state, one => VERDICTS[one].name, state),
  state,
  shown,
)}
${facet(
  'Published by',
  'author',
  values(ACTOR_TYPES, facets.author, one => AUTHORS[one], author),
  author,
  shown,
)}
${facet(
  'Changed',
  'changed',
  values(PERIOD_NAMES, facets.changed, one => AGES[one], changed),
  changed,
  shown,
)}
${facet('Tag', 'tag', tag === undefined ? facets.tags.map(one => ({ value: one.tag, name: words(one.tag), count: one.count })) : [{ value: tag, name: words(tag), count: facets.found }], tag, shown)}
${facets.more ? html`<p class="small">The counts are about the first ${FACETED} matches.</p>` : NOTHING}
</aside>`
}

type Value = { value: string; name: Part; count: number }

const facet = (
  heading: string,
  name: string,
  values: readonly Value[],
  chosen: string | undefined,
  shown: Shown,
): Html =>
  values.length === 0
    ? NOTHING
    : html`<section><h2>${heading}</h2><ul>${values.map(({ value, name: text, count }) => {
        const on = value === chosen
        return html`<li><a href="${withChoice(shown, name, on ? undefined : value)}"${on && raw(' aria-current="true"')}>${text}${on && html` <span class="small">remove</span>`}</a> <span class="number">${count.toLocaleString('en-GB')}</span></li>`
      })}</ul></section>`
