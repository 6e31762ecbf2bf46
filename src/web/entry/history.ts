import { LIMITS } from '../../contract/limits.ts'
import type { Author, Entry, Evidence, Relation, Revision } from '../../contract/resources.ts'
import { HASH_RECIPE } from '../../guide/texts.ts'
import {
  readAuthors,
  readHeadings,
  readLogSize,
  readRevisionState,
  readSteps,
  readVerdicts,
  type Step,
  VIEW_ROWS,
} from '../../memory/entries/views.ts'
import { voicesWords } from '../../memory/evidence/rules.ts'
import { inTurns } from '../../memory/operation.ts'
import { offsetCursor } from '../../memory/values.ts'
import { type Html, html, NOTHING, raw, seen, visible, words } from '../html.ts'
import type { Page, PageRequest, Query } from '../page.ts'
import {
  actorName,
  badge,
  by,
  CHANGE_WORDS,
  moment,
  olderLink,
  type PagerLink,
  pager,
  RESULT_WORDS,
  titleOf,
  trustNotice,
  UNNAMED_ACTOR,
} from '../parts/components.ts'
import { changedWords, sizeOfChange } from '../parts/difference.ts'
import { stateOfEvidence, VERDICTS } from '../parts/evidence-summary.ts'
import { prose } from '../parts/prose.ts'
import { citing, fragmentOf, sentencesOf } from './cite.ts'
import { partOfEntry, relationWords, sourcesOf } from './head.ts'
import { lifeLine } from './life-line.ts'

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
function filterForm(slug: string, ids: readonly string[], names: Map<string, Author>, filter?: Filter): Html {
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
function filterPager(slug: string, { kind, by, below }: Filter, next: number | undefined): Html {
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
const filterNote = (found: number, considered: number, revisions: number): Html =>
  found > 0 && considered >= revisions
    ? NOTHING
    : html`<p class="notice">${found === 0 && 'No revision passes this filter. '}${considered < revisions && `The filter considers the newest ${considered.toLocaleString('en-GB')} revisions.`}</p>`

type RevisionPage = { items: Revision[]; nextCursor: string | null }

/** The revisions of an entry, newest first: all of them, or those that pass a filter. A form compares two of them. */
export const HISTORY = partOfEntry(
  {
    ...{ part: '/history', name: 'History', about: 'History of' },
    as: 'listRevisions',
    query: ['before', 'limit'],
    ownQuery: ['at', 'kind', 'by', 'below'],
  },
  async ({ query, read, reads, path }, entry, counts) => {
    const { slug } = entry
    const steps = await readSteps(reads, slug, VIEW_ROWS)
    const { kind: _kind, by: _by, below: _below, ...own } = query
    const filter = filterOf(query, steps)
    const found = filter && filtered(steps, filter)
    const place = placeOf(own, entry.revisionCount)
    const [{ items, nextCursor }, logged, verdicts, events] = await Promise.all([
      found === undefined ? read<RevisionPage>('listRevisions', { slug }, place) : revisionsOf(read, slug, found.page),
      readLogSize(reads),
      readVerdicts(reads, slug),
      readEvents({ read, reads }, entry, steps),
    ])
    const before = found === undefined ? items.at(-1)?.previousRevisionId : undefined
    const actors = actorsOf(steps)
    const [authors, earlier] = await Promise.all([
      readAuthors(reads, [...items, ...actors.map(actorId => ({ actorId }))]),
      before == null ? undefined : read<Revision>('readRevision', { slug, revisionId: before }),
    ])
    const byId = new Map(steps.map(step => [step.id, step]))
    await reads.yieldIfOverBudget()
    const rows = await inTurns(reads, [...items.entries()], ([index, revision]) => {
      const step = byId.get(revision.id)
      const author = html`${by(authors.get(revision.actorId), revision.actorId)} · ${moment(revision.createdAt, reads.at)}`
      const previous = items[index + 1] ?? earlier
      const adjoins = (previous?.id ?? null) === revision.previousRevisionId
      const changes = html`${step && standingOf(verdicts.get(step.record))}${adjoins && previous !== undefined && changedWords(previous.content, revision.content)}`
      const log = html`${adjoins && sizeOf(previous, revision)}${inLog(step?.record, logged)}`
      return revisionRow(entry, revision, step?.ordinal, index, {
        author,
        changes,
        events: events.get(revision.id),
        log,
      })
    })
    return html`<p class="meta">Revisions are permanent. Below each are its newest <a href="/entries/${slug}/evidence">judgements</a> and <a href="/entries/${slug}/relations">relations</a>. The order of events does not prove a cause.</p>
${lifeLine(slug, steps, verdicts, counts.revisions)}
${entry.revisionCount >= JUMP_FROM && html`<div class="finders">${jumpForm(slug, entry.revisionCount)}${filterForm(slug, actors, authors, filter)}</div>`}
${found && filterNote(found.page.length, steps.length, entry.revisionCount)}
<form class="compare" action="/entries/${slug}/diff" method="get">
${items.length > 1 && html`<p class="row"><button type="submit">Compare the two chosen</button></p>`}
<ol class="revisions" reversed>${rows}</ol>
</form>
${filter === undefined ? olderLink(path, place, nextCursor) : filterPager(slug, filter, found?.older ? found.page.at(-1)?.ordinal : undefined)}`
  },
)

/** The revisions of some steps. Also reads the list, so that the request is observed as that read. */
async function revisionsOf(read: PageRequest['read'], slug: string, steps: readonly Step[]): Promise<RevisionPage> {
  await read('listRevisions', { slug }, { limit: 1 })
  const items = await Promise.all(steps.map(({ id }) => read<Revision>('readRevision', { slug, revisionId: id })))
  return { items, nextCursor: null }
}

/** The page of the list that the query names: by its cursor, or by the number of its first revision. */
function placeOf({ at, ...query }: Query, revisions: number): Query {
  if (typeof at !== 'string' || !/^\d{1,9}$/.test(at)) return query
  const offset = Math.max(0, revisions - Math.max(1, Number(at)))
  return { ...query, before: offsetCursor({ size: revisions, offset }) }
}

/** Minimum number of revisions for which the page shows a jump and a filter. */
const JUMP_FROM = 6

const jumpForm = (slug: string, revisions: number): Html =>
  html`<form class="row jump" action="/entries/${slug}/history" method="get"><label for="jump-at">Go to revision</label> <input id="jump-at" name="at" type="number" min="1" max="${revisions}" required> <button type="submit">Go</button></form>`

/** A judgement of a revision, or a relation that its entry got while the revision was current. `what` is in words. */
type Event = { id: string; actorId: string; what: Html }
/** Maximum number of events below a revision: the newest ones. */
const EVENTS_SHOWN = 2

/** The newest judgements and relations of an entry as lines of words, by the id of their revision. */
async function readEvents(
  { read, reads }: Pick<PageRequest, 'read' | 'reads'>,
  { id, slug }: Entry,
  steps: readonly Step[],
): Promise<Map<string, Html>> {
  const [{ verifications, contradictions }, { items: relations }] = await Promise.all([
    read<Evidence>('listEvidence', { slug }, { limit: LIMITS.pageMax }),
    read<{ items: Relation[] }>('listRelations', { slug }, { limit: LIMITS.pageMax }),
  ])
  const otherOf = ({ sourceEntryId, targetEntryId }: Relation) => (sourceEntryId === id ? targetEntryId : sourceEntryId)
  const others = relations.map(one => ({ entryId: otherOf(one) }))
  const names = await readHeadings(reads, others)
  const events = [
    ...verifications.map(one => ({ ...one, what: html`${RESULT_WORDS[one.result]?.[0].toLowerCase()}` })),
    ...contradictions.map(one => ({ ...one, what: html`contradicted` })),
    ...relations.flatMap(one => {
      const [other, during] = [names.get(otherOf(one)), steps.find(({ at }) => at <= Date.parse(one.createdAt ?? ''))]
      const what = html`${relationWords(one.relationType, one.sourceEntryId === id ? 'out' : 'in')} ${other && html`<a href="/entries/${other.slug}">${words(other.title)}</a>`}`
      return other === undefined || during === undefined ? [] : [{ ...one, revisionId: during.id, what }]
    }),
  ]
  const byRevision = Map.groupBy(
    events.toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    ({ revisionId }) => revisionId,
  )
  const shown = [...byRevision.values()].flatMap(all => all.slice(0, EVENTS_SHOWN))
  const authors = await readAuthors(reads, shown)
  return new Map([...byRevision].map(([revisionId, all]) => [revisionId, eventsLine(all, authors)]))
}

/** The newest events of a revision in one line, and the number of the others. */
function eventsLine(all: readonly Event[], authors: Map<string, Author>): Html {
  const shown = all.slice(0, EVENTS_SHOWN).map(({ what, actorId }, index) => {
    return html`${index > 0 && ' · '}${what} by ${actorName(authors.get(actorId)?.declared.name)}`
  })
  const left = all.length - EVENTS_SHOWN
  return html`<small>${shown}${left > 0 && ` · ${left} more`}</small>`
}

/** The numbers of characters that a revision deleted and inserted in the content, compared by sentences. */
function sizeOf(before: Revision | undefined, { content }: Revision): Html {
  const { gone, came } = sizeOfChange(before?.content ?? '', content)
  return html` · <span class="size">${came > 0 && html`<ins>+${came.toLocaleString('en-GB')}</ins>`} ${gone > 0 && html`<del>−${gone.toLocaleString('en-GB')}</del>`} ${gone + came === 0 ? 'same content' : gone + came === 1 ? 'character' : 'characters'}</span>`
}

/** The result of the judgements of exactly this revision. */
function standingOf(standing: Pick<Entry['standing'], 'state' | 'tally'> | undefined): Html {
  if (standing === undefined || standing.state === 'UNCHECKED') return NOTHING
  const { name, tone } = VERDICTS[standing.state]
  return html`${badge(name, tone)} ${voicesWords(standing.tally)} `
}

/** A link to the proof of a record, if the public log has it. */
const inLog = (record: number | undefined, logged: number): Html =>
  record === undefined || record > logged ? NOTHING : html` · <a href="/log?record=${record}">record ${record}</a>`

function revisionRow(
  { slug, currentRevisionId, status }: Entry,
  revision: Revision,
  ordinal: number | undefined,
  index: number,
  { author, changes, events, log }: { author: Html; changes: Html; events: Html | undefined; log: Html },
): Html {
  const { id, previousRevisionId } = revision
  const name = ordinal === undefined ? 'this revision' : `revision ${ordinal}`
  return html`<li class="revision">
<p class="choose"><label><input type="radio" name="from" value="${id}"${index === 1 && raw(' checked')}> <span class="unshown">${name} as the </span>earlier</label> <label><input type="radio" name="to" value="${id}"${index === 0 && raw(' checked')}> <span class="unshown">${name} as the </span>later</label></p>
<div><h2><a href="/entries/${slug}/revisions/${id}">${ordinal === undefined ? 'Revision' : `Revision ${ordinal}`}</a> ${badge(CHANGE_WORDS[revision.changeType] ?? revision.changeType, revision.changeType === 'CORRECT' ? 'mixed' : 'quiet')}${id === currentRevisionId && html` ${badge('Current', 'quiet')}`} <span class="rationale" dir="auto">${visible(revision.rationale)}</span></h2>
<p class="meta">${changes}</p>${events}</div>
<div class="meta"><p>${author}</p><p>${previousRevisionId !== null && html`<a href="/entries/${slug}/diff?from=${previousRevisionId}&amp;to=${id}">changes<span class="unshown"> in ${name}</span></a>`}${id !== currentRevisionId && status !== 'LOCKED' && html` · <a href="/entries/${slug}/revise?from=${id}">restore<span class="unshown"> ${name}</span></a>`}${log}</p></div></li>`
}

/** A revision at its permanent address, with the data to verify it. */
export const REVISION: Page = {
  path: '/entries/{slug}/revisions/{revisionId}',
  as: 'readRevision',
  ownQuery: ['cite'],
  async render({ params: { slug = '', revisionId = '' }, query, read, reads, config }) {
    const entry = await read<Entry>('readEntry')
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/revisions/${revisionId}` }
    const revision = await read<Revision>('readRevision')
    const [content, state, steps, names, logged] = await Promise.all([
      prose(revision.content),
      readRevisionState(reads, slug, revision.id),
      readSteps(reads, slug, VIEW_ROWS),
      readHeadings(reads, revision.sources),
      readLogSize(reads),
    ])
    const next = steps.find(({ ordinal }) => ordinal === state.ordinal + 1)
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
<div class="meta">${CHANGE_WORDS[revision.changeType]} by ${by(state.author)}, ${moment(revision.createdAt, reads.at)}: <q dir="auto">${visible(revision.rationale)}</q> · ${citing(config, { slug, revision, ...state, at: reads.at })}</div>
${current ? NOTHING : html`<p class="notice">This is not the latest revision. <a href="/entries/${slug}">Read the current entry</a>, or <a href="/entries/${slug}/diff?from=${revision.id}&amp;to=${entry.currentRevisionId}">see the later changes</a>${entry.status !== 'LOCKED' && html`, or <a href="/entries/${slug}/revise?from=${revision.id}">restore this text</a> in a new revision`}.</p>`}
<nav class="pager" aria-label="Revisions">${links}</nav></header>
<div class="columns"><div class="column">${trustNotice(entry, state)}
<section class="prose" aria-label="Content" dir="auto">${content}</section>
${query.cite === 'sentences' && sentenceLinks(slug, revision)}</div>
<aside class="beside" aria-label="About this revision">
${stateOfEvidence(state, slug)}
${sourcesOf(revision, names, reads.at)}
${hashOf(slug, revision, state.record <= logged ? state.record : undefined)}
</aside></div></article>`,
    }
  },
}

/** Links to the sentences of a revision, for who cites one of them. */
function sentenceLinks(slug: string, revision: Revision): Html {
  const rows = sentencesOf(revision, text => `/entries/${slug}/revisions/${revision.id}${fragmentOf(text)}`)
  return html`<section><h2 id="sentences">Links to the sentences</h2><p class="small">Each address leads to its sentence in this exact revision.</p><ul class="plain">${rows}</ul></section>`
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
