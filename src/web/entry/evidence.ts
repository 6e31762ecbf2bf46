import type { Contradiction, Entry, Evidence, Relation, Standing, Verification } from '../../contract/resources.ts'
import {
  type Heading,
  readAuthors,
  readCounts,
  readHeadings,
  readSteps,
  readWeights,
  VIEW_ROWS,
  type Weight,
} from '../../memory/entries/views.ts'
import { inTurns } from '../../memory/operation.ts'
import { type Html, html, NOTHING, visible, words } from '../html.ts'
import type { Page, PageRequest } from '../page.ts'
import { badge, by, moment, olderLink, RESULT_WORDS, signalBadges, titleOf } from '../parts/components.ts'
import { stateOfEvidence } from '../parts/evidence-summary.ts'
import { entryHead } from './head.ts'

type Piece = (Verification | Contradiction) & { createdAt?: string }

/** The evidence about an entry: verifications and contradictions in one list, newest first. */
export const EVIDENCE: Page = {
  path: '/entries/{slug}/evidence',
  as: 'listEvidence',
  query: ['before', 'limit'],
  async render({ params: { slug = '' }, query, read, reads, path }) {
    const entry = await read<Entry>('readEntry')
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/evidence` }
    const page = await read<Evidence>('listEvidence', { slug }, query)
    // Ids are ordered by time, so sorting by id merges both kinds into one list.
    const pieces: Piece[] = [...page.verifications, ...page.contradictions].sort((a, b) => (a.id < b.id ? 1 : -1))
    const objecting = query.before === undefined ? await contradicting(read, entry) : []
    const [counts, state, steps, weights, authors, names] = await Promise.all([
      readCounts(reads, slug),
      read<Standing>('readStanding', { slug }),
      readSteps(reads, slug, VIEW_ROWS),
      readWeights(
        reads,
        slug,
        pieces.map(({ id }) => id),
      ),
      readAuthors(
        reads,
        [...pieces, ...objecting].map(({ actorId }) => actorId),
      ),
      readHeadings(reads, [
        ...pieces.flatMap(piece => ('result' in piece ? [] : (piece.sourceEntryId ?? []))),
        ...objecting.map(({ sourceEntryId }) => sourceEntryId),
      ]),
    ])
    const ordinals = new Map(steps.map(({ id, ordinal }) => [id, ordinal]))
    // Each name is searched for signals.
    const rows = await inTurns(reads, pieces, piece => {
      const sourceId = 'result' in piece ? null : piece.sourceEntryId
      const source = sourceId == null ? undefined : names.get(sourceId)
      const weight = weights.get(piece.id)
      return pieceRow(entry, piece, {
        ordinal: ordinals.get(piece.revisionId),
        author: html`${by(authors.get(piece.actorId), piece.actorId)}${weight?.own && ('result' in piece && piece.result !== 'UNSUPPORTED' ? ' (not counted: an author of the text)' : ' (an author of the text)')}`,
        at: reads.at,
        place: weight && placeOf(entry, piece, weight, ordinals),
        source:
          source &&
          html`<p class="small">In favour of <a href="/entries/${source.slug}">${words(source.title)}</a></p>`,
      })
    })
    const objections = await inTurns(reads, objecting, one =>
      relationRow(one, {
        source: names.get(one.sourceEntryId),
        author: by(authors.get(one.actorId), one.actorId),
        at: reads.at,
      }),
    )
    const address = `/entries/${slug}`
    return {
      title: `Evidence about ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, { here: '/evidence', name: 'Evidence', counts, at: reads.at })}
<div class="columns"><div class="column">
${objecting.length > 0 && html`<ol class="pieces" aria-label="Contradicting entries">${objections}</ol>`}
${rows.length === 0 && objecting.length > 0 ? NOTHING : rows.length === 0 ? html`<p class="notice">This entry has no verification and no contradiction yet. <a href="${address}/verify?revision=${entry.currentRevisionId}">Record the first result</a>.</p>` : html`<ol class="pieces">${rows}</ol>`}
${olderLink(path, query, page.nextCursor)}
</div><aside class="beside" aria-label="About the current revision">
${stateOfEvidence(state)}
${entry.status === 'LOCKED' ? NOTHING : html`<p class="row"><a class="do" href="${address}/verify?revision=${entry.currentRevisionId}">Verify</a> <a class="do quiet" href="${address}/contradict?revision=${entry.currentRevisionId}">Contradict</a></p>`}
</aside></div></article>`,
    }
  },
}

/** The newest relations by which other entries contradict an entry. Each is a voice against it. */
const contradicting = async (read: PageRequest['read'], { id, slug }: Entry): Promise<Relation[]> =>
  (await read<{ items: Relation[] }>('listRelations', { slug })).items.filter(
    ({ relationType, targetEntryId }) => relationType === 'CONTRADICTS' && targetEntryId === id,
  )

type Objecting = { source: Heading | undefined; author: Html; at: number }

const relationRow = (
  { id, rationale, createdAt, signals = [] }: Relation,
  { source, author, at }: Objecting,
): Html => html`<li class="piece bad" id="relation-${id}">
<h2>${badge('Contradicted', 'bad')} <span class="small">by an entry: ${source === undefined ? 'not public' : html`<a href="/entries/${source.slug}">${words(source.title)}</a>`}</span></h2>
${signalBadges({ signals })}
<p dir="auto">${visible(rationale)}</p>
<p class="meta">${author} · ${moment(createdAt, at)}</p>
</li>`

type Around = {
  ordinal: number | undefined
  author: Html
  at: number
  source: Html | undefined
  place: Html | undefined
}

/** The text that a piece of evidence is about, and the outcome of a contradiction. */
function placeOf(
  { slug, currentRevisionId }: Entry,
  { revisionId }: Piece,
  { about, status, answeredBy }: Weight,
  ordinals: ReadonlyMap<string, number>,
): Html {
  if (about === 'REPLACED') return html` (replaced by a later judgement of the same actor)`
  if (about === 'CURRENT')
    return revisionId === currentRevisionId ? html` (current)` : html` (counts for the current text)`
  if (status === null) return html` (earlier)`
  const outcome = status === 'ANSWERED' ? 'answered' : 'answered and confirmed'
  if (answeredBy === null) return html` (earlier, ${status === 'ANSWERED' ? 'the text is gone' : 'no longer open'})`
  const by = ordinals.get(answeredBy)
  return html` (earlier, ${outcome} by <a href="/entries/${slug}/revisions/${answeredBy}">${by === undefined ? 'a later revision' : `revision ${by}`}</a>)`
}

function pieceRow({ slug }: Entry, piece: Piece, { ordinal, author, at, source, place }: Around): Html {
  const [name, tone] = RESULT_WORDS['result' in piece ? piece.result : 'CONTRADICTED'] ?? ['Judged', 'open']
  return html`<li class="piece ${tone}" id="evidence-${piece.id}">
<h2>${badge(name, tone)} ${'result' in piece && html`<span class="small">${Math.round(piece.confidence * 100)} % sure</span>`}</h2>
${signalBadges({ signals: piece.signals ?? [] })}
${'quote' in piece && piece.quote !== undefined && html`<blockquote dir="auto">${visible(piece.quote)}</blockquote>`}
<p dir="auto">${visible(piece.rationale)}</p>
${source}
<p class="meta">${author}${piece.createdAt !== undefined && html` · ${moment(piece.createdAt, at)}`} · about <a href="/entries/${slug}/revisions/${piece.revisionId}">${ordinal === undefined ? 'a revision' : `revision ${ordinal}`}</a>${place} · <a href="/entries/${slug}/report?evidence=${piece.id}">Report</a></p>
</li>`
}
