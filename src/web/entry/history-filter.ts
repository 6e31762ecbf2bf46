import type { Author } from '../../contract/resources.ts'
import type { Step } from '../../operations/entries/entry-views.ts'
import { type Html, html, NOTHING, raw } from '../html.ts'
import type { Query } from '../page.ts'
import { CHANGE_WORDS, type PagerLink, pager, UNNAMED_ACTOR } from '../parts/components.ts'
import { seen } from '../untrusted-text.ts'

const ROWS = 20
/** Maximum number of actors in the form: those with the most revisions. */
const ACTORS_MAX = 50

/** Selects the revisions of a history: of one kind, of one actor, below one ordinal. */
export type Filter = { kind: string | undefined; by: string | undefined; below: number }

/** The filter of a query; undefined if the query names none. Ignores unknown kinds, and actors without a revision of this entry. */
export function filterOf({ kind, by, below }: Query, steps: readonly Step[]): Filter | undefined {
  const known = String(kind) in CHANGE_WORDS ? String(kind) : undefined
  const actor = steps.find(({ actorId }) => actorId === by)?.actorId
  if (known === undefined && actor === undefined) return undefined
  const end = /^\d{1,9}$/.test(String(below)) ? Number(below) : Number.MAX_SAFE_INTEGER
  return { kind: known, by: actor, below: end }
}

/** The newest revisions that pass a filter: one page of them, and whether there are older ones. */
export function filtered(steps: readonly Step[], { kind, by, below }: Filter): { page: Step[]; older: boolean } {
  const passing = steps.filter(
    ({ changeType, actorId, ordinal }) =>
      (kind === undefined || changeType === kind) && (by === undefined || actorId === by) && ordinal < below,
  )
  return { page: passing.slice(0, ROWS), older: passing.length > ROWS }
}

/** The actors of a history, those with the most revisions first. */
export const actorsOf = (steps: readonly Step[]): string[] =>
  [...Map.groupBy(steps, ({ actorId }) => actorId)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, ACTORS_MAX)
    .map(([id]) => id)

/** The form that filters a history. */
export function filterForm(slug: string, ids: readonly string[], names: Map<string, Author>, filter?: Filter): Html {
  const option = (value: string, name: string | Html, chosen: string | undefined): Html =>
    html`<option value="${value}"${value === chosen && raw(' selected')}>${name}</option>`
  const nameOf = (id: string): string => seen(names.get(id)?.declared.name ?? UNNAMED_ACTOR)
  return html`<form class="row jump" action="/entries/${slug}/history" method="get" aria-label="Filter the history">
<span><label for="filter-kind">Kind</label> <select id="filter-kind" name="kind"><option value="">all</option>${Object.entries(CHANGE_WORDS).map(([value, name]) => option(value, name, filter?.kind))}</select></span>
<span><label for="filter-by">By</label> <select id="filter-by" name="by"><option value="">everyone</option>${ids.map(id => option(id, `${nameOf(id)} …${id.slice(-6)}`, filter?.by))}</select></span>
<button type="submit">Filter</button>${filter !== undefined && html` <a href="/entries/${slug}/history">All revisions</a>`}
</form>`
}

/** Links to the pages of a filtered history. */
export function filterPager(slug: string, { kind, by, below }: Filter, next: number | undefined): Html {
  const at = (end: number | undefined): string => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries({ kind, by, below: end }))
      if (value !== undefined) search.set(name, String(value))
    return `/entries/${slug}/history?${search}`
  }
  const newest: PagerLink | undefined = below === Number.MAX_SAFE_INTEGER ? undefined : ['Newest', at(undefined)]
  return pager(newest, next === undefined ? undefined : ['Older', at(next)])
}

/** The notice above a filtered history that is empty, or that considers only the newest revisions. */
export const filterNote = (found: number, considered: number, revisions: number): Html =>
  found > 0 && considered >= revisions
    ? NOTHING
    : html`<p class="notice">${found === 0 && 'No revision passes this filter. '}${considered < revisions && `The filter considers the newest ${considered.toLocaleString('en-GB')} revisions.`}</p>`
