import type { Entry, Relation } from '../contract/resources.ts'
import { readAuthors, readHeadings } from '../operations/views.ts'
import { relationWords } from './entry.ts'
import { NEIGHBOURS_MAX, type Neighbour, relationGraph, TONES } from './graph.ts'
import { html, NOTHING } from './html.ts'
import type { Page } from './page.ts'
import { badge, by, entryHead, olderLink, titleOf, when } from './parts.ts'
import { visible, words } from './visible.ts'

/** The related entries of an entry, as a picture and as a list. */
export const RELATIONS: Page = {
  path: '/entries/{slug}/relations',
  as: 'listRelations',
  query: ['before', 'limit'],
  async render({ params: { slug = '' }, query, read, reads, path }) {
    const entry = await read<Entry>('readEntry')
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/relations` }
    const { items, nextCursor } = await read<{ items: Relation[]; nextCursor: string | null }>(
      'listRelations',
      { slug },
      query,
    )
    const otherOf = (one: Relation): string => (one.sourceEntryId === entry.id ? one.targetEntryId : one.sourceEntryId)
    const [names, authors] = await Promise.all([
      readHeadings(reads, items.map(otherOf)),
      readAuthors(
        reads,
        items.map(({ actorId }) => actorId),
      ),
    ])
    const neighbours: Neighbour[] = items.flatMap(one => {
      const name = names.get(otherOf(one))
      return name === undefined
        ? []
        : [{ ...name, relationType: one.relationType, outward: one.sourceEntryId === entry.id }]
    })
    const rows = items.map(relation => {
      const other = names.get(otherOf(relation))
      return html`<li class="piece">
<h2>${badge(relationWords(relation, relation.sourceEntryId === entry.id), TONES[relation.relationType])} ${other === undefined ? 'an entry that is not public' : html`<a href="/entries/${other.slug}">${words(other.title)}</a>`}</h2>
<p dir="auto">${visible(relation.rationale)}</p>
<p class="meta">${by(authors.get(relation.actorId), relation.actorId)}${relation.createdAt !== undefined && html` · ${when(relation.createdAt)}`}</p>
</li>`
    })
    const distinct = new Set(neighbours.map(one => one.slug)).size
    return {
      title: `Relations of ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, '/relations', 'Relations')}
${
  rows.length === 0
    ? html`<p class="notice">This entry has no relations yet. <a href="/entries/${slug}/relate">Relate it</a>.</p>`
    : html`${relationGraph(entry.title, neighbours)}
${distinct > NEIGHBOURS_MAX ? html`<p class="small">The picture shows ${NEIGHBOURS_MAX} of the ${distinct} entries listed below.</p>` : NOTHING}
<h2 class="unshown">All relations</h2>
<ol class="pieces">${rows}</ol>`
}
${olderLink(path, query, nextCursor)}
<p><a class="do quiet" href="/entries/${slug}/relate">Relate this entry to another</a></p>
</article>`,
    }
  },
}
