import type { Blame, Entry } from '../../contract/resources.ts'
import { readCounts } from '../../memory/entries/views.ts'
import { voicesWords } from '../../memory/evidence/rules.ts'
import { type Html, html, seen, visible } from '../html.ts'
import type { Page } from '../page.ts'
import {
  ageIn,
  badge,
  by,
  CHANGE_WORDS,
  many,
  moment,
  titleOf,
  trustNotice,
  UNNAMED_ACTOR,
} from '../parts/components.ts'
import { VERDICTS } from '../parts/evidence-summary.ts'
import { proseInLayers } from '../parts/prose.ts'
import { entryHead } from './head.ts'

/** Number of steps of age, from 0 for the newest layers to the faintest. */
const SHADES = 5
/** Above this number of layers, the list has one row for each author. */
const ROWS_MAX = 8
/** Maximum number of parts with a note. Later parts have only a shade. */
const NOTES_MAX = 300
/** Maximum number of layers in the list beside the text, newest first. */
const LISTED_MAX = 50

type Revision = Blame['revisions'][number]
type Piece = Blame['pieces'][number]
/** Consecutive sentences of one revision with the same evidence. */
type Part = { revision: Revision; piece: Piece; text: string }

/** An entry as layers: for each sentence its author, its time and the evidence about it. */
export const LAYERS: Page = {
  path: '/entries/{slug}/layers',
  as: 'readBlame',
  async render({ params: { slug = '' }, read, reads }) {
    const entry = await read<Entry>('readEntry', { slug })
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/layers` }
    const [blame, counts] = await Promise.all([read<Blame>('readBlame', { slug }), readCounts(reads, slug)])
    const layers = blame.revisions.toReversed()
    const shades = new Map(layers.map(({ id }, index) => [id, shadeOf(index, layers.length)]))
    return {
      title: `Layers of ${titleOf(entry.title)}`,
      section: '/search',
      unlisted: true,
      body: html`<article class="entry">
${entryHead(entry, { here: '/layers', name: 'Layers', counts, at: reads.at })}
<p class="lead">Who wrote each sentence, and what the evidence says about it. The number after a passage is the revision that wrote it. The bar beside each paragraph shows the age of its newest passage, and a sign its evidence.</p>
${trustNotice(entry, entry, slug)}
${!blame.complete && html`<p class="notice">The history is long: ${many(blame.lookedAt, 'revision')} were compared. A faint sentence may be older than its number.</p>`}
<div class="columns"><div class="column palimpsest">${await textOf(slug, blame, shades, reads.at)}</div>
<aside class="beside" aria-label="The layers">${listOf(slug, blame, layers, shades, reads.at)}</aside></div>
</article>`,
    }
  },
}

/** The newest layer has shade 0, and the oldest of several the last one. */
const shadeOf = (index: number, count: number): number =>
  count === 1 ? 0 : Math.round((index / (count - 1)) * (SHADES - 1))

async function textOf(slug: string, blame: Blame, shades: Map<string, number>, at: number): Promise<Html[]> {
  let notes = 0
  const against = ({ evidence }: Piece): number => blame.evidence[evidence ?? -1]?.tally.against ?? 0
  const common = blame.pieces.reduce((least, piece) => Math.min(least, against(piece)), Number.POSITIVE_INFINITY)
  const inkOf = ({ revision }: Part): string => `ink-${shades.get(revision.id) ?? 0}`
  const lookOf = (part: Part): string => inkOf(part) + toneOf(blame, part, common)
  const noted = (part: Part, words: Html): Html => {
    notes += 1
    return notes > NOTES_MAX
      ? html`<span class="${inkOf(part)}">${words}</span>`
      : partOf(slug, part, words, lookOf(part), noteOf(blame, part, at))
  }
  const unnoted = (part: Part, words: Html): Html =>
    notes > NOTES_MAX
      ? html`<span class="${inkOf(part)}">${words}</span>`
      : html`<span class="words ${lookOf(part)}">${words}</span>`
  const partsIn = (section: Piece['section']): Html[] =>
    partsOf(blame, section).map(part => {
      const words = part.text.trimEnd()
      return html`${noted(part, visible(words))}${part.text.slice(words.length)}`
    })
  const parts = partsOf(blame, 'CONTENT')
  const content = await proseInLayers(parts.map(({ text }) => text).join(''), endsOf(parts), {
    noted: (index, words) => noted(parts[index] as Part, words),
    unnoted: (index, words) => unnoted(parts[index] as Part, words),
  })
  return [
    html`<h2 class="layer-title" dir="auto">${partsIn('TITLE')}</h2>`,
    html`<p class="layer-summary" dir="auto">${partsIn('SUMMARY')}</p>`,
    html`<div class="prose layer-text" dir="auto">${content}</div>`,
  ]
}

/** The offset in the text where each part ends. */
function endsOf(parts: readonly Part[]): number[] {
  let end = 0
  return parts.map(({ text }) => {
    end += text.length
    return end
  })
}

function partsOf({ pieces, revisions }: Blame, section: Piece['section']): Part[] {
  const byId = new Map(revisions.map(revision => [revision.id, revision]))
  const parts: Part[] = []
  for (const piece of pieces) {
    const revision = byId.get(piece.revisionId)
    if (piece.section !== section || revision === undefined) continue
    const last = parts.at(-1)
    const same =
      last?.revision === revision &&
      last.piece.evidence === piece.evidence &&
      last.piece.sinceRevisionId === piece.sinceRevisionId &&
      last.piece.earlier === piece.earlier
    if (last !== undefined && same) last.text += piece.text
    else parts.push({ revision, piece, text: piece.text })
  }
  return parts
}

/** Words of a part, with its number. The note appears while the pointer is over the words or the focus is on the number. */
const partOf = (slug: string, { revision }: Part, words: Html, look: string, note: Html): Html =>
  html`<span class="part ${look}"><span class="words">${words}</span><a class="ref" href="/entries/${slug}/revisions/${revision.id}">${revision.ordinal}<span class="note" dir="ltr">${note}</span></a></span>`

const evidenceOf = ({ evidence }: Blame, { piece }: Part): Blame['evidence'][number] | undefined =>
  piece.evidence === null ? undefined : evidence[piece.evidence]

/**
 * The classes for the evidence of a part, after a space; empty without evidence. A part is contested itself if it has more objections than
 * all parts have in common.
 */
function toneOf(blame: Blame, part: Part, common: number): string {
  const { state = 'UNCHECKED', tally } = evidenceOf(blame, part) ?? {}
  if (state === 'UNCHECKED') return ''
  return ` is-${VERDICTS[state].tone}${(tally?.against ?? 0) > common ? ' contested' : ''}`
}

/** The author, the age and the evidence of a part. */
function noteOf(blame: Blame, part: Part, at: number): Html {
  const { revision, piece } = part
  const restored = blame.revisions.find(({ id }) => id === piece.sinceRevisionId)
  return html`<b>Revision ${revision.ordinal}</b> by ${nameOf(revision)}, ${ageIn(revision.createdAt, at)}${restored && `; restored by revision ${restored.ordinal}`}${piece.earlier && '; perhaps older'}. ${voicesOf(evidenceOf(blame, part))}`
}

const nameOf = ({ actor }: Revision): string => seen(actor.declared.name ?? '').trim() || UNNAMED_ACTOR

function voicesOf(evidence: Blame['evidence'][number] | undefined): string {
  if (evidence === undefined || evidence.tally.actors === 0) return 'No other actor has checked it.'
  return `${VERDICTS[evidence.state].name}: ${voicesWords(evidence.tally)}.`
}

/** A revision with the number of characters of the text that it wrote. */
type Layer = Revision & { size: number }

const share = (size: number, all: number): string => {
  const percent = Math.round((size / Math.max(all, 1)) * 100)
  return `${percent < 1 ? 'under 1' : percent} % of the text`
}

/** The layers, newest first, or their authors if there are many layers; with the legend. */
function listOf(
  slug: string,
  { pieces }: Blame,
  revisions: readonly Revision[],
  shades: Map<string, number>,
  at: number,
): Html {
  const all = pieces.reduce((sum, { text }) => sum + text.length, 0)
  const sizes = new Map<string, number>()
  for (const { revisionId, text } of pieces) sizes.set(revisionId, (sizes.get(revisionId) ?? 0) + text.length)
  const layers = revisions.flatMap((revision): Layer[] => {
    const size = sizes.get(revision.id)
    return size === undefined ? [] : [{ ...revision, size }]
  })
  const link = ({ id, ordinal }: Layer, name = ''): Html =>
    html`<a href="/entries/${slug}/revisions/${id}">${name}${ordinal}</a>`
  const rowOf = (layer: Layer): Html => {
    const { id, changeType, createdAt, actor, size } = layer
    return html`<li class="ink-${shades.get(id) ?? 0}">${link(layer, 'Revision ')} ${badge(CHANGE_WORDS[changeType] ?? changeType, 'quiet')} <span class="small">${share(size, all)}<br>${by(actor)}, ${moment(createdAt, at)}</span></li>`
  }
  const authorRow = (own: readonly Layer[]): Html => {
    const [newest] = own
    const size = own.reduce((sum, layer) => sum + layer.size, 0)
    return html`<li class="ink-${shades.get(newest?.id ?? '') ?? 0}">${by(newest?.actor)} <span class="small">${share(size, all)}, the newest ${newest && moment(newest.createdAt, at)}<br>Revisions ${own.map((layer, index) => html`${index > 0 && ', '}${link(layer)}`)}</span></li>`
  }
  const listed = layers.slice(0, LISTED_MAX)
  const authors = [...Map.groupBy(listed, ({ actor }) => actor.id).values()]
  return html`<section>${legendOf(layers, shades)}<h2>${listed.length > ROWS_MAX ? 'Authors' : 'Revisions'}</h2><ol class="plain layers">${listed.length > ROWS_MAX ? authors.map(authorRow) : listed.map(rowOf)}</ol>${listed.length < layers.length && html`<p class="small">${many(layers.length - listed.length, 'older layer')} not listed.</p>`}</section>`
}

/** The steps of age with their revisions, and the signs of the evidence. */
function legendOf(layers: readonly Layer[], shades: Map<string, number>): Html {
  const steps = [...Map.groupBy(layers, ({ id }) => shades.get(id) ?? 0)].map(([shade, [newest, ...older]]) => {
    const oldest = older.at(-1)
    return html`<li class="ink-${shade}">${oldest ? html`Revisions ${oldest.ordinal} to ${newest?.ordinal}` : html`Revision ${newest?.ordinal}`}</li>`
  })
  return html`<h2>Ages and evidence</h2><ol class="plain ages small">${steps}</ol><p class="small"><b class="is-good">✓</b> supported, <b class="is-mixed">±</b> disputed, <b class="is-bad">✗</b> contradicted, <b class="is-open">?</b> inconclusive. A sentence with objections of its own has a background.</p>`
}
