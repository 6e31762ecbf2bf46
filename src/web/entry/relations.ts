import { LIMITS } from '../../contract/limits.ts'
import type { Author, Entry, Relation, Revision, Similar, SimilarList } from '../../contract/resources.ts'
import { type Heading, readAuthors, readHeadings } from '../../memory/entries/views.ts'
import { type Html, html, NOTHING, visible } from '../html.ts'
import type { PageRequest } from '../page.ts'
import { ago, badge, by, olderLink, signalBadges } from '../parts/components.ts'
import { standingStrip } from '../parts/evidence-summary.ts'
import { partOfEntry, relationWords } from './head.ts'

type RelationPage = { items: Relation[]; nextCursor: string | null }
/** An entry at the other end of a relation, or an entry that is a source. */
type Neighbour = { relation?: Relation; direction: 'out' | 'in'; entryId: string }
type Names = { entry: Entry; names: Map<string, Heading>; authors: Map<string, Author>; at: number }

/** The related entries of an entry: entries that it rests on, entries that use it, and contradictions. */
export const RELATIONS = partOfEntry(
  {
    ...{ part: '/relations', name: 'Relations', about: 'Relations of' },
    as: 'listRelations',
    query: ['before', 'limit'],
  },
  async (request, entry) => {
    const { query, read, reads, path } = request
    const { slug } = entry
    const [{ items, nextCursor }, { sources }] = await Promise.all([
      relationsOf(request, slug),
      read<Revision>('readRevision', { slug, revisionId: entry.currentRevisionId }),
    ])
    const neighbours = items.map((relation): Neighbour => {
      const { sourceEntryId, targetEntryId } = relation
      return sourceEntryId === entry.id
        ? { relation, direction: 'out', entryId: targetEntryId }
        : { relation, direction: 'in', entryId: sourceEntryId }
    })
    const cited: Neighbour[] =
      query.before === undefined ? sources.map(({ entryId }) => ({ direction: 'out' as const, entryId })) : []
    const all = [...cited, ...neighbours]
    const [names, authors] = await Promise.all([readHeadings(reads, all), readAuthors(reads, items)])
    await reads.yieldIfOverBudget()
    return html`${all.length === 0 ? html`<p class="notice">This entry has no relations yet. <a href="/entries/${slug}/relate">Relate it</a>.</p>` : neighbourhood(all, { entry, names, authors, at: reads.at })}
${items.length === 0 && query.before === undefined && (await similarTo(entry, request))}
${olderLink(path, query, nextCursor)}
<p><a class="do quiet" href="/entries/${slug}/relate">Relate this entry to another</a></p>`
  },
)

/** The newest relations. Without a page in the request, reads two pages of the API. */
async function relationsOf({ query, read }: PageRequest, slug: string): Promise<RelationPage> {
  if (query.limit !== undefined || query.before !== undefined) return read('listRelations', { slug }, query)
  const limit = LIMITS.pageMax
  const first = await read<RelationPage>('listRelations', { slug }, { limit })
  if (first.nextCursor === null) return first
  const second = await read<RelationPage>('listRelations', { slug }, { limit, before: first.nextCursor })
  return { items: [...first.items, ...second.items], nextCursor: second.nextCursor }
}

/** Maximum number of similar entries that are shown in the place of relations. */
const SIMILAR_SHOWN = 3

/** The entries with the most words of an entry in common. Nothing if the index cannot be read now. */
async function similarTo({ slug, title, summary }: Entry, { read, reads }: PageRequest): Promise<Html> {
  const { items } = await read<Pick<SimilarList, 'items'>>('listSimilar', {}, { title, summary }).catch(() => ({
    items: [],
  }))
  const others = items.filter(one => one.slug !== slug).slice(0, SIMILAR_SHOWN)
  const rowOf = (one: Similar): Html =>
    html`<li><a class="clip" dir="auto" href="/entries/${one.slug}">${visible(one.title)}</a>${standingStrip(one, reads.at)} ${signalBadges(one)}</li>`
  return html`<section id="similar"><h2>Similar, found by words</h2><p class="small">Nobody wrote a relation. ${others.length === 0 ? 'No other entry has enough words in common.' : 'These entries have words in common; they may be about something else.'}</p><ul class="plain">${others.map(rowOf)}</ul></section>`
}

function neighbourhood(all: readonly Neighbour[], about: Names): Html {
  const ofType = ({ relation }: Neighbour): string => relation?.relationType ?? 'SOURCE'
  const uses = all.filter(one => !['CONNECT', 'CONTRADICTS'].includes(ofType(one)))
  const contradictions = all.filter(one => ofType(one) === 'CONTRADICTS')
  const connected = all.filter(one => ofType(one) === 'CONNECT')
  return html`${contradictions.length > 0 && html`<section class="contradictions">${column('Contradictions', contradictions, about)}</section>`}
<div class="neighbours">
<section class="rests-on">${column(
    'Rests on',
    uses.filter(({ direction }) => direction === 'out'),
    about,
  )}</section>
<section class="this"><h2>This entry</h2><p class="here" dir="auto">${visible(about.entry.title)}</p>${connected.length > 0 && column('Belongs with', connected, about)}</section>
<section class="used-by">${column(
    'Used by',
    uses.filter(({ direction }) => direction === 'in'),
    about,
  )}</section>
</div>`
}

/** Maximum number of neighbours of a column that are all shown. With more, the newest SHOWN_FIRST are shown and a line opens the others. */
const SHOWN_MAX = 10
const SHOWN_FIRST = 8

function column(name: string, neighbours: readonly Neighbour[], about: Names): Html {
  const heading = html`<h2>${name} <span class="number">${neighbours.length}</span></h2>`
  if (neighbours.length === 0) return html`${heading}<p class="small">Nothing.</p>`
  const shown = neighbours.length > SHOWN_MAX ? SHOWN_FIRST : SHOWN_MAX
  const list = (some: readonly Neighbour[]): Html =>
    html`<ul class="plain">${some.map(one => neighbourOf(one, about))}</ul>`
  const others = neighbours.slice(shown)
  return html`${heading}${list(neighbours.slice(0, shown))}${others.length > 0 && html`<details class="others"><summary>${others.length} more</summary>${list(others)}</details>`}`
}

const TONES: Record<Relation['relationType'], string> = {
  CONNECT: 'connects',
  REUSES: 'reuses',
  SYNTHESIZES: 'synthesizes',
  CONTRADICTS: 'contradicts',
}

function neighbourOf({ relation, direction, entryId }: Neighbour, { names, authors, at }: Names): Html {
  const other = names.get(entryId)
  const kind =
    relation === undefined
      ? badge('source', 'quiet')
      : badge(relationWords(relation.relationType, direction), TONES[relation.relationType])
  return html`<li class="neighbour">${kind} ${other === undefined ? 'an entry that is not public' : html`<a dir="auto" href="/entries/${other.slug}">${visible(other.title)}</a> ${standingStrip(other, at)}`}${
    relation === undefined
      ? NOTHING
      : html`<details><summary class="small">Rationale</summary>${signalBadges({ signals: relation.signals ?? [] })}<p dir="auto">${visible(relation.rationale)}</p><p class="meta">${by(authors.get(relation.actorId), relation.actorId)}${relation.createdAt !== undefined && html` · ${ago(relation.createdAt, at)}`}</p></details>`
  }</li>`
}
