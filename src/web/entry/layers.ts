import type { Blame } from '../../contract/resources.ts'
import { type AgedPiece, readBlameAt } from '../../memory/entries/blame.ts'
import { voicesWords } from '../../memory/evidence/rules.ts'
import { type Html, html, seen, visible } from '../html.ts'
import type { Query } from '../page.ts'
import { ageIn, badge, by, CHANGE_WORDS, many, moment, trustNotice, UNNAMED_ACTOR } from '../parts/components.ts'
import { VERDICTS } from '../parts/evidence-summary.ts'
import { proseInLayers } from '../parts/prose.ts'
import { allOf, type Look, lookOf, revisionsOf, shareOf } from './ages.ts'
import { partOfEntry } from './head.ts'

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

/** An entry as layers: for each sentence its author, its time and the evidence about it. `at` selects one of the revisions. */
export const LAYERS = partOfEntry(
  { part: '/layers', name: 'Layers', about: 'Layers of', as: 'readEntry', ownQuery: ['at'] },
  async ({ query, reads }, entry) => {
    const { slug } = entry
    const ordinal = ordinalOf(query, entry.revisionCount)
    const blame = await readBlameAt(reads, { slug, ordinal })
    const look = lookOf(agedPieces(blame))
    return html`<p class="lead">Who wrote each sentence, and what the evidence says about it. The number after a passage is the revision that wrote it. The bar beside each paragraph shows the age of its newest passage, and a sign its evidence.</p>
${trustNotice(entry, entry, slug)}
${slider(slug, ordinal, entry.revisionCount)}
<div class="columns"><div class="column palimpsest">${!blame.complete && html`<p class="notice">The history is long: ${many(blame.lookedAt, 'revision')} were compared. A faint sentence may be older than its number.</p>`}${ordinal < entry.revisionCount && html`<p class="notice">The text of revision ${ordinal}, with the evidence of today. <a href="/entries/${slug}/layers">Show the current text</a>.</p>`}${await textOf(slug, blame, look, reads.at)}</div>
<aside class="beside" aria-label="The layers">${listOf(slug, blame, look, reads.at)}</aside></div>`
  },
)

/** The revision that the query names; otherwise the current one. */
const ordinalOf = ({ at }: Query, revisions: number): number =>
  /^[1-9]\d{0,8}$/.test(String(at)) ? Math.min(Number(at), revisions) : revisions

/** Selects a revision. A browser script shows it in place; without a script, the button does. Empty for a single revision. */
const slider = (slug: string, ordinal: number, revisions: number): Html | false =>
  revisions > 1 &&
  html`<form class="row jump" action="/entries/${slug}/layers" method="get" data-layers><label for="at">Revision</label> <input id="at" name="at" type="range" min="1" max="${revisions}" value="${ordinal}"> <output for="at">${ordinal} of ${revisions}</output> <button type="submit">Show</button></form>`

/** The pieces of a text with their ages and objections. */
function agedPieces({ pieces, revisions, evidence }: Blame): AgedPiece[] {
  const ordinals = new Map(revisions.map(({ id, ordinal }) => [id, ordinal]))
  return pieces.map(({ text, revisionId, evidence: at }) => ({
    size: text.length,
    ordinal: ordinals.get(revisionId) ?? 0,
    against: evidence[at ?? -1]?.tally.against ?? 0,
  }))
}

async function textOf(slug: string, blame: Blame, { shades, common }: Look, at: number): Promise<Html[]> {
  let notes = 0
  const inkOf = ({ revision }: Part): string => `ink-${shades.get(revision.ordinal)}`
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

/** The layers, newest first, or their authors if there are many layers; with the legend. */
function listOf(slug: string, blame: Blame, { layers: sizes, shades, steps }: Look, at: number): Html {
  const all = allOf(steps)
  const layers = blame.revisions.toReversed().flatMap((revision): Layer[] => {
    const size = sizes.get(revision.ordinal)
    return size === undefined ? [] : [{ ...revision, size }]
  })
  const link = ({ id, ordinal }: Layer, name = ''): Html =>
    html`<a href="/entries/${slug}/revisions/${id}">${name}${ordinal}</a>`
  const rowOf = (layer: Layer): Html => {
    const { ordinal, changeType, createdAt, actor, size } = layer
    return html`<li class="ink-${shades.get(ordinal)}">${link(layer, 'Revision ')} ${badge(CHANGE_WORDS[changeType] ?? changeType, 'quiet')} <span class="small">${shareOf(size, all)} of the text<br>${by(actor)}, ${moment(createdAt, at)}</span></li>`
  }
  const authorRow = (own: readonly Layer[]): Html => {
    const [newest] = own
    return html`<li class="ink-${shades.get(newest?.ordinal ?? 0)}">${by(newest?.actor)} <span class="small">${shareOf(allOf(own), all)} of the text, the newest ${newest && moment(newest.createdAt, at)}<br>Revisions ${own.map((layer, index) => html`${index > 0 && ', '}${link(layer)}`)}</span></li>`
  }
  const listed = layers.slice(0, LISTED_MAX)
  const authors = [...Map.groupBy(listed, ({ actor }) => actor.id).values()]
  return html`<section>${legendOf(steps)}<h2>${listed.length > ROWS_MAX ? 'Authors' : 'Revisions'}</h2><ol class="plain layers">${listed.length > ROWS_MAX ? authors.map(authorRow) : listed.map(rowOf)}</ol>${listed.length < layers.length && html`<p class="small">${many(layers.length - listed.length, 'older layer')} not listed.</p>`}</section>`
}

/** The steps of age with their revisions, and the signs of the evidence. */
function legendOf(steps: Look['steps']): Html {
  const ages = steps.map(step => html`<li class="ink-${step.shade}">${revisionsOf(step)}</li>`)
  return html`<h2>Ages and evidence</h2><ol class="plain ages small">${ages}</ol><p class="small"><b class="is-good">✓</b> supported, <b class="is-mixed">±</b> disputed, <b class="is-bad">✗</b> contradicted, <b class="is-open">?</b> inconclusive. A sentence with objections of its own has a background.</p>`
}
