import { LIMITS } from '../../contract/limits.ts'
import type {
  Author,
  Contradiction,
  Entry,
  Evidence,
  Relation,
  Standing,
  Verification,
} from '../../contract/resources.ts'
import { type Heading, readAuthors, readHeadings, readSteps, VIEW_ROWS } from '../../memory/entries/views.ts'
import { REPLY_WORDS } from '../../memory/evidence/rules.ts'
import { readWeights, type ShownReply, type Weight } from '../../memory/evidence/weights.ts'
import { inTurns, type Reads } from '../../memory/operation.ts'
import { type Html, html, NOTHING, visible, words } from '../html.ts'
import type { PageRequest, Query } from '../page.ts'
import { badge, by, many, moment, olderLink, RESULT_WORDS, signalBadges, sureWords } from '../parts/components.ts'
import { stateOfEvidence } from '../parts/evidence-summary.ts'
import { partOfEntry } from './head.ts'

type Piece = (Verification | Contradiction) & { createdAt?: string }

type Side = 'for' | 'against' | 'undecided'

const sideOf = (piece: Piece): Side =>
  !('result' in piece) || piece.result === 'UNSUPPORTED'
    ? 'against'
    : piece.result === 'SUPPORTED'
      ? 'for'
      : 'undecided'

/** Selects pieces: of one side, by actors that declared no model, about the current revision. */
type Filter = { side?: Side; by?: 'people'; on?: 'text' }

/** The links of the filter: the member and the value that each sets, and its words. */
const FILTERS = [
  ['side', 'for', 'For'],
  ['side', 'against', 'Against'],
  ['side', 'undecided', 'Undecided'],
  ['by', 'people', 'By people'],
  ['on', 'text', 'On this text'],
] as const

const filterOf = (query: Query): Filter =>
  Object.fromEntries(FILTERS.flatMap(([member, value]) => (query[member] === value ? [[member, value]] : [])))

/** The filter as links. Each adds itself to the filter, or removes itself from it. */
const filterLinks = (path: string, filter: Filter): Html =>
  html`<nav class="pager" aria-label="Filter the evidence">${FILTERS.map(([member, value, words]) => {
    const isOn = filter[member] === value
    const search = new URLSearchParams({ ...filter, [member]: value })
    if (isOn) search.delete(member)
    return html`<a href="${path}${search.size > 0 && `?${search}`}"${isOn && html` aria-current="true"`}>${words}</a>`
  })}</nav>`

/** Maximum number of pages of the API that are read for one page of a filter. */
const PAGES_READ = 10

/** One page of pieces, newest first. With a filter, reads up to PAGES_READ pages of the API to fill it. */
async function listPieces(request: PageRequest, entry: Entry, filter: Filter) {
  const { query, read, reads } = request
  const isFiltered = Object.keys(filter).length > 0
  const pieces: Piece[] = []
  let authors: Map<string, Author> = new Map()
  let next: string | null | undefined = typeof query.before === 'string' ? query.before : undefined
  for (let pages = 0; pages < PAGES_READ && next !== null; pages++) {
    const limit = isFiltered ? LIMITS.pageMax : (query.limit ?? LIMITS.pageDefault)
    const page: Evidence = await read<Evidence>(
      'listEvidence',
      { slug: entry.slug },
      { limit, ...(next === undefined ? {} : { before: next }) },
    )
    // Ids are ordered by time, so sorting by id merges both kinds into one list.
    const found: Piece[] = [...page.verifications, ...page.contradictions].sort((a, b) => (a.id < b.id ? 1 : -1))
    const of = await readAuthors(reads, found)
    authors = new Map([...authors, ...of])
    pieces.push(...found.filter(piece => passes(piece, entry, filter, of.get(piece.actorId))))
    next = page.nextCursor
    if (!isFiltered || pieces.length >= LIMITS.pageDefault) break
  }
  return { pieces, authors, next: next ?? null }
}

const passes = (piece: Piece, entry: Entry, { side, by, on }: Filter, author: Author | undefined): boolean =>
  (side === undefined || sideOf(piece) === side) &&
  (by === undefined || (author !== undefined && author.declared.model === null && author.declared.provider === null)) &&
  (on === undefined || piece.revisionId === entry.currentRevisionId)

/** The evidence about an entry, newest first: that in favour beside that against, or what a filter selects. */
export const EVIDENCE = partOfEntry(
  {
    ...{ part: '/evidence', name: 'Evidence', about: 'Evidence about' },
    as: 'listEvidence',
    query: ['before', 'limit'],
    ownQuery: ['side', 'by', 'on'],
  },
  async (request, entry, counts) => {
    const { query, read, reads, path, original } = request
    const { slug } = entry
    const filter = filterOf(query)
    const isOpen = entry.status !== 'LOCKED' && original === undefined
    const listed = await listPieces(request, entry, filter)
    const isWhole = query.before === undefined && filter.by === undefined && filter.on === undefined
    const objections =
      isWhole && (filter.side ?? 'against') === 'against' ? await objectionRows(request, entry, isOpen) : []
    const [state, rows] = await Promise.all([
      read<Standing>('readStanding', { slug }),
      pieceRows(reads, entry, listed, isOpen),
    ])
    const address = `/entries/${slug}`
    const isEmpty = rows.length + objections.length === 0
    return html`${counts.evidence > 0 && filterLinks(path, filter)}
<div class="columns"><div class="column">
${isEmpty && Object.keys(filter).length > 0 && html`<p class="notice">No judgement passes this filter.</p>`}
${isEmpty && counts.evidence === 0 && html`<p class="notice">This entry has no verification and no contradiction yet. <a href="${address}/verify?revision=${entry.currentRevisionId}">Record the first result</a>.</p>`}
${sidesOf(rows, objections)}
${olderLink(path, { ...filter, ...query }, listed.next)}
</div><aside class="beside" aria-label="About the current revision">
${stateOfEvidence(state)}
${isOpen && html`<p class="row"><a class="do" href="${address}/verify?revision=${entry.currentRevisionId}">Did it hold?</a></p>`}
</aside></div>`
  },
)

type Row = { side: Side; row: Html }

/** The rows in two columns, for and against, and the undecided ones below. A side without rows leaves its room to the other one. */
function sidesOf(rows: readonly Row[], objections: readonly Html[]): Html {
  const section = (side: Side, name: string, first: readonly Html[] = []): Html => {
    const list = [...first, ...rows.filter(one => one.side === side).map(({ row }) => row)]
    return list.length === 0 ? NOTHING : html`<section><h2>${name}</h2><ol class="pieces">${list}</ol></section>`
  }
  const sides = [section('for', 'For'), section('against', 'Against', objections)]
  return html`${sides.includes(NOTHING) ? sides : html`<div class="both">${sides}</div>`}${section('undecided', 'Undecided')}`
}

type Listed = { pieces: readonly Piece[]; authors: Map<string, Author> }

async function pieceRows(reads: Reads, entry: Entry, { pieces, authors }: Listed, isOpen: boolean): Promise<Row[]> {
  const [steps, weights, names] = await Promise.all([
    readSteps(reads, entry.slug, VIEW_ROWS),
    readWeights(
      reads,
      entry.slug,
      pieces.map(({ id }) => id),
    ),
    readHeadings(
      reads,
      pieces.map(piece => ({ entryId: 'result' in piece ? null : piece.sourceEntryId })),
    ),
  ])
  const ordinals = new Map(steps.map(({ id, ordinal }) => [id, ordinal]))
  // Each name is searched for signals.
  return inTurns(reads, pieces, piece => {
    const sourceId = 'result' in piece ? null : piece.sourceEntryId
    const source = sourceId == null ? undefined : names.get(sourceId)
    const weight = weights.get(piece.id)
    const side = sideOf(piece)
    const row = pieceRow(entry, piece, {
      ordinal: ordinals.get(piece.revisionId),
      author: html`${by(authors.get(piece.actorId), piece.actorId)}${weight?.own && (side === 'against' ? ' (an author of the text)' : ' (not counted: an author of the text)')}`,
      at: reads.at,
      place: weight && placeOf(entry, piece, weight),
      after: weight && html`${exchangeOf(entry, weight, reads.at)}${isOpen && actsOn(entry, piece, weight)}`,
      source:
        source && html`<p class="small">In favour of <a href="/entries/${source.slug}">${words(source.title)}</a></p>`,
    })
    return { side, row }
  })
}

/** The newest relations by which other entries contradict an entry, as rows. */
async function objectionRows({ read, reads }: PageRequest, entry: Entry, isOpen: boolean): Promise<Html[]> {
  const objecting = await contradicting(read, entry)
  if (objecting.length === 0) return []
  const [weights, names, authors] = await Promise.all([
    readWeights(
      reads,
      entry.slug,
      objecting.map(({ id }) => id),
    ),
    readHeadings(
      reads,
      objecting.map(({ sourceEntryId }) => ({ entryId: sourceEntryId })),
    ),
    readAuthors(reads, objecting),
  ])
  return inTurns(reads, objecting, one => {
    const weight = weights.get(one.id)
    return relationRow(one, {
      source: names.get(one.sourceEntryId),
      author: by(authors.get(one.actorId), one.actorId),
      at: reads.at,
      after: weight && html`${exchangeOf(entry, weight, reads.at)}${isOpen && actsOn(entry, one, weight)}`,
    })
  })
}

/** The newest relations by which other entries contradict an entry. Each is a voice against it. */
const contradicting = async (read: PageRequest['read'], { id, slug }: Entry): Promise<Relation[]> =>
  (await read<{ items: Relation[] }>('listRelations', { slug }, { limit: LIMITS.pageMax })).items.filter(
    ({ relationType, targetEntryId }) => relationType === 'CONTRADICTS' && targetEntryId === id,
  )

type Objecting = { source: Heading | undefined; author: Html; at: number; after: Html | undefined }

const relationRow = (
  { id, rationale, createdAt, signals = [] }: Relation,
  { source, author, at, after }: Objecting,
): Html => html`<li class="piece bad" id="evidence-${id}">
<h3>${badge('Contradicted', 'bad')} <span class="small">by an entry: ${source === undefined ? 'not public' : html`<a href="/entries/${source.slug}">${words(source.title)}</a>`}</span></h3>
${signalBadges({ signals })}
<p dir="auto">${visible(rationale)}</p>
<p class="meta">${author} · ${moment(createdAt, at)}</p>
${after}
</li>`

type PieceContext = {
  ordinal: number | undefined
  author: Html
  at: number
  source: Html | undefined
  place: string | undefined
  after: Html | undefined
}

/** The text that a piece of evidence is about, and the outcome of an objection, in words. */
function placeOf({ currentRevisionId }: Entry, { revisionId }: Piece, { about, status, replies }: Weight): string {
  if (about === 'REPLACED') return ' (replaced by a later judgement of the same actor)'
  if (about === 'CURRENT') return revisionId === currentRevisionId ? ' (current)' : ' (counts for the current text)'
  if (status === null) return ' (earlier)'
  return status === 'ADDRESSED'
    ? ' (earlier, addressed)'
    : ` (earlier, ${replies.length === 0 ? 'the text is gone' : 'answered'})`
}

/** What followed an objection, as a short exchange: the answer, and what others said about it. */
function exchangeOf({ slug }: Entry, { replies, more }: Weight, at: number): Html {
  if (replies.length === 0) return NOTHING
  const of = ({ kind, id, ordinal, author, at: time, rationale, signals = [] }: ShownReply): Html =>
    html`<p><span class="small">${REPLY_WORDS[kind]} ${kind === 'ANSWERED' ? html`<a href="/entries/${slug}/revisions/${id}">revision ${ordinal}</a> of ` : NOTHING}${by(author)}, ${moment(time, at)}</span> ${signalBadges({ signals })}<q dir="auto">${visible(rationale)}</q></p>`
  const last = replies.findLast(({ kind }) => kind === 'ANSWERED')
  return html`<div class="exchange">${replies.map(of)}${more > 0 && html`<p class="small"><a href="/entries/${slug}/revisions/${last?.id ?? ''}">${many(more, 'later judgement')} of the answer</a></p>`}</div>`
}

/** What a reader can do about an objection: correct the sentence, accept the answer, or object to it. */
function actsOn({ slug }: Entry, { id, quote }: { id: string; quote?: string }, { status }: Weight): Html {
  const link = (page: string, name: string): Html =>
    html`<a href="/entries/${slug}/${page}?objection=${id}">${name}</a>`
  if (status === 'STANDING')
    return html`<p class="meta">${link('revise', quote === undefined ? 'Correct the text' : 'Correct this sentence')}</p>`
  return status === 'ANSWERED'
    ? html`<p class="meta">${link('verify', 'This answers it')} · ${link('contradict', 'Still wrong')}</p>`
    : NOTHING
}

function pieceRow({ slug }: Entry, piece: Piece, { ordinal, author, at, source, place, after }: PieceContext): Html {
  const [name, tone] = RESULT_WORDS['result' in piece ? piece.result : 'CONTRADICTED'] ?? ['Judged', 'open']
  return html`<li class="piece ${tone}" id="evidence-${piece.id}">
<h3>${badge(name, tone)} ${'result' in piece && html`<span class="small">${sureWords(piece.confidence)}</span>`}</h3>
${signalBadges({ signals: piece.signals ?? [] })}
${'quote' in piece && piece.quote !== undefined && html`<blockquote dir="auto">${visible(piece.quote)}</blockquote>`}
<p dir="auto">${visible(piece.rationale)}</p>
${source}
<p class="meta">${author}${piece.createdAt !== undefined && html` · ${moment(piece.createdAt, at)}`} · about <a href="/entries/${slug}/revisions/${piece.revisionId}">${ordinal === undefined ? 'a revision' : `revision ${ordinal}`}</a>${place} · <a href="/entries/${slug}/report?evidence=${piece.id}">Report</a></p>
${after}
</li>`
}
