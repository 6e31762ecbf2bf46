import type { Entry, Relation, Revision } from '../../contract/resources.ts'
import { COUNTED_MAX, type Counts, type Heading, readCounts } from '../../memory/entries/views.ts'
import { followButton } from '../following.ts'
import { type Html, html, NOTHING, visible } from '../html.ts'
import type { PageRequest, ReadPage } from '../page.ts'
import { CHANGE_WORDS, many, originMark, titleOf } from '../parts/components.ts'
import { standingStrip } from '../parts/evidence-summary.ts'

/** The tabs of an entry's pages, with the current one. */
export function entryTabs(slug: string, here: string, counts: Counts): Html {
  const tabs: readonly [string, string, keyof Counts | undefined][] = [
    ['', 'Entry', undefined],
    ['/layers', 'Layers', undefined],
    ['/history', 'History', 'revisions'],
    ['/evidence', 'Evidence', 'evidence'],
  ]
  return html`<nav class="tabs" aria-label="Parts of this entry"><ul>
${tabs.map(
  ([path, name, records]) =>
    html`<li><a href="/entries/${slug}${path}"${path === here && html` aria-current="page"`}>${name}${records !== undefined && html` <span class="number">${countedOf(counts, records)}</span>`}</a></li>`,
)}
</ul></nav>`
}

/** A number of records. All numbers except that of the revisions are counted only up to a bound. */
const countedOf = (counts: Counts, records: keyof Counts): string =>
  `${counts[records].toLocaleString('en-GB')}${records !== 'revisions' && counts[records] === COUNTED_MAX ? '+' : ''}`

/** What a page about an entry adds to the frame of all of them: the end of its address, its name, and the words before the title of the entry. */
type PartOfEntry = Omit<ReadPage, 'path' | 'render'> & { part: string; name: string; about: string }

/** A page about an entry, with its title, its standing and its tabs. The id of the entry leads to the address with its slug. */
export const partOfEntry = (
  { part, name, about, ...page }: PartOfEntry,
  render: (request: PageRequest, entry: Entry, counts: Counts) => Promise<Html>,
): ReadPage => ({
  ...page,
  path: `/entries/{slug}${part}`,
  async render(request) {
    const { params, query, read, reads } = request
    const [entry, counts] = await Promise.all([read<Entry>('readEntry'), readCounts(reads, params.slug ?? '')])
    const { slug, title } = entry
    if (params.slug !== slug) {
      const search = new URLSearchParams(query as Record<string, string>)
      return { location: `/entries/${slug}${part}${search.size === 0 ? '' : `?${search}`}` }
    }
    const content = await render(request, entry, counts)
    return {
      title: `${about} ${titleOf(title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
<header class="entry-head">
<p class="over" dir="auto"><a href="/entries/${slug}">${visible(title)}</a></p>
<p class="meta">${standingStrip(entry, reads.at)} ${originMark(entry)}</p>
<h1>${name}</h1>
${entryTabs(slug, part, counts)}
</header>
${content}
</article>`,
    }
  },
})

/** Maximum number of relations below an entry. The page of relations lists all. */
const RELATIONS_SHOWN = 6

/** The number of sources, and the number of sources that are contradicted now. */
export function restsOn({ sources }: Pick<Revision, 'sources'>, names: Map<string, Heading>): string {
  const states = sources.map(({ entryId }) => names.get(entryId)?.standing.state)
  const count = (state: string): number => states.filter(one => one === state).length
  return [
    `rests on ${many(sources.length, 'source')}`,
    ...(count('CONTRADICTED') > 0 ? [`${count('CONTRADICTED')} now contradicted`] : []),
    ...(count('DISPUTED') > 0 ? [`${count('DISPUTED')} now disputed`] : []),
  ].join(', ')
}

/** The sources that a revision declares, each with its present standing. For an entry that is no longer public, only its id is shown. */
export function sourcesOf(revision: Pick<Revision, 'sources'>, names: Map<string, Heading>, at: number): Html {
  const { sources } = revision
  if (sources.length === 0) return NOTHING
  return html`<section><h2 id="sources">Sources</h2><p class="small">It ${restsOn(revision, names)}. Reported by the author.</p><ul class="plain">${sources.map(
    ({ entryId, revisionId }) => {
      const name = names.get(entryId)
      return name === undefined
        ? html`<li class="small">an entry that is not public (<code>${entryId}</code>)</li>`
        : html`<li><a class="clip" dir="auto" href="/entries/${name.slug}/revisions/${revisionId}">${visible(name.title)}</a>${standingStrip(name, at)}</li>`
    },
  )}</ul></section>`
}

const RELATION_WORDS: Record<'out' | 'in', Record<Relation['relationType'], string>> = {
  out: {
    CONNECT: 'belongs with',
    REUSES: 'reuses',
    SYNTHESIZES: 'synthesizes',
    CONTRADICTS: 'contradicts',
  },
  in: {
    CONNECT: 'belongs with',
    REUSES: 'reused by',
    SYNTHESIZES: 'synthesized by',
    CONTRADICTS: 'contradicted by',
  },
}

/** A relation in words: from its source to its target if `direction` is `out`, from its target to its source if it is `in`. */
export const relationWords = (type: Relation['relationType'], direction: keyof typeof RELATION_WORDS): string =>
  RELATION_WORDS[direction][type]

/** The newest relations of an entry. Without one, a link to similar entries; the script of the page shows these in its place. */
export function relationsOf(
  entry: Entry,
  { relations, counts }: { relations: Relation[]; counts: Counts },
  names: Map<string, Heading>,
  at: number,
): Html {
  if (relations.length === 0)
    return html`<section data-later><h2>Related</h2><p class="small">Nobody wrote a relation yet. <a href="/entries/${entry.slug}/relations#similar">Similar entries</a></p></section>`
  const rows = relations.slice(0, RELATIONS_SHOWN).map(relation => {
    const outward = relation.sourceEntryId === entry.id
    const other = names.get(outward ? relation.targetEntryId : relation.sourceEntryId)
    return (
      other &&
      html`<li><span class="small">${relationWords(relation.relationType, outward ? 'out' : 'in')}</span> <a class="clip" dir="auto" href="/entries/${other.slug}">${visible(other.title)}</a>${standingStrip(other, at)}</li>`
    )
  })
  return html`<section><h2>Related</h2><ul class="plain">${rows}</ul><p class="small"><a href="/entries/${entry.slug}/relations">All ${many(counts.relations, 'relation')}</a></p></section>`
}

/** The address, the reason and the files of a revision, and how to follow its entry. */
export function revisionOf(
  { slug, revisionCount: ordinal, standing }: Entry,
  revision: Pick<Revision, 'id' | 'changeType' | 'rationale'>,
): Html {
  const { id, changeType, rationale } = revision
  const address = `/entries/${slug}`
  return html`<section><h2>This revision</h2><p>${CHANGE_WORDS[changeType] ?? 'Changed'}: <q dir="auto">${visible(rationale)}</q></p>
<ul class="plain small"><li><a href="${address}.md">Markdown</a> · <a href="${address}.json">JSON</a> · <a href="/api/entries/${slug}">API</a></li>
<li>Follow: <a href="${address}/feed.atom">Atom</a> · <a href="${address}/feed.json">JSON Feed</a> · <a href="/api/activity/changes?entry=${slug}">changes</a></li>
<li>${followButton('entry', slug, { revision: id, ordinal, state: standing.state })}</li>
<li><a href="${address}/report">Report it to the operator</a></li></ul></section>`
}
