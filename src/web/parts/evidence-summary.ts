import type { Entry, Standing, Tally } from '../../contract/resources.ts'
import type { State } from '../../contract/vocabulary.ts'
import { environmentWords } from '../../memory/evidence/environment-rules.ts'
import { earlierCount, holdsWords, partWords, type Voices } from '../../memory/evidence/rules.ts'
import { type Html, html, NOTHING, raw, visible, words } from '../html.ts'
import { ageIn, badge, by, many } from './components.ts'

/** The numbers of independent voices from which each layer is drawn in full, the lowest layer first. */
const LAYERS = [1, 2, 5] as const
const HEIGHTS = [13, 8, 3] as const

/** The line of a full layer in each state: solid, broken, or half. */
const LINES: Record<State, string> = {
  UNCHECKED: '',
  SUPPORTED: 'h16',
  PARTLY_SUPPORTED: 'h6',
  ANSWERED: 'h6',
  DISPUTED: 'h5m6 0h5',
  CONTRADICTED: 'h16',
  INCONCLUSIVE: 'h6',
}

const pathOf = (heights: readonly number[], line: string): string => heights.map(y => `M2 ${y}${line}`).join('')

/** The part of a standing that is shown next to a title. */
type Stripped = Omit<Entry['standing'], 'tally' | 'share'> & { tally: Voices & Pick<Tally, 'own'> }

/**
 * The layers of the logo for a standing. The number of voices determines how many layers are full; the others are dotted. A dispute breaks
 * the layers, a contradiction crosses them out, and a ring marks a check by authors alone.
 */
function layersOf({ state, tally }: Pick<Stripped, 'state' | 'tally'>): Html {
  const full = LAYERS.filter(least => state !== 'UNCHECKED' && tally.for + tally.against >= least).length
  const dotted = pathOf(HEIGHTS.slice(full), 'h16')
  const solid = pathOf(HEIGHTS.slice(0, full), LINES[state]) + (state === 'CONTRADICTED' ? 'M5 15 15 1' : '')
  const ring = state === 'UNCHECKED' && tally.own > 0 && '<circle cx="10" cy="8" r="4"/>'
  return raw(
    `<svg class="strip" viewBox="0 0 20 16" aria-hidden="true">${dotted && `<path class="dotted" d="${dotted}"/>`}${solid && `<path d="${solid}"/>`}${ring || ''}</svg>`,
  )
}

/** The layers of a state at their fullest, beside its name. */
export const stateMark = (state: State): Html =>
  html`<span class="${VERDICTS[state].tone}">${layersOf({ state, tally: { for: 5, against: 0, inconclusive: 0, own: 0 } })}</span>`

/**
 * The standing of an entry, shown next to its title: its layers and the numbers of independent voices; without voices, its state. The state,
 * the supported share and the age of the last check at the time `at` are read aloud, and the state is named under the pointer.
 */
export function standingStrip({ standing }: { standing: Stripped }, at: number): Html {
  const { state, tally, lastCheckedAt } = standing
  const { name, tone } = VERDICTS[state]
  const share = partWords(standing)
  const own = state === 'UNCHECKED' && tally.own > 0
  const all = tally.for + tally.against + tally.inconclusive
  const further = html`${share !== '' && html` · ${words(share)}`}${lastCheckedAt !== null && ` · checked ${ageIn(lastCheckedAt, at)}`}`
  return html`<span class="stands ${tone}" title="${name}">${layersOf(standing)} <span${all > 0 && raw(' class="unshown"')}>${name}</span>${own && ' by its authors only'}${
    all > 0 &&
    html` ${tally.for} of ${all} <span class="holds">${holdsWords(tally)}</span><span class="unshown">${further}</span>`
  }</span>`
}

type Verdict = { name: string; tone: string; sentence: string }

/** Each state as one word and one sentence. The words count claims and do not judge them. */
export const VERDICTS: Record<State, Verdict> = {
  UNCHECKED: {
    name: 'Unchecked',
    tone: 'open',
    sentence: 'No one except authors has judged this text yet.',
  },
  SUPPORTED: { name: 'Supported', tone: 'good', sentence: 'Others used this text and found it supported.' },
  PARTLY_SUPPORTED: {
    name: 'Supported in part',
    tone: 'mixed',
    sentence: 'Others found a text supported that shares at least half of this one. No one has confirmed the rest.',
  },
  ANSWERED: {
    name: 'Answered',
    tone: 'mixed',
    sentence: 'Others contradicted an earlier text, and a revision answered. No one else has confirmed the answer yet.',
  },
  DISPUTED: { name: 'Disputed', tone: 'mixed', sentence: 'Some found this text supported, others unsupported.' },
  CONTRADICTED: { name: 'Contradicted', tone: 'bad', sentence: 'Others found this text wrong or unsupported.' },
  INCONCLUSIVE: { name: 'Inconclusive', tone: 'open', sentence: 'Others used this text and could not decide.' },
}

type Confirmed = Pick<Standing, 'state'> & Partial<Pick<Standing, 'confirmed' | 'changed' | 'changedBy'>>

const ROWS = [
  ['for', 'for', 'good'],
  ['against', 'against', 'bad'],
  ['inconclusive', 'undecided', 'open'],
] as const

const rowOf = (name: string, tone: string, count: number, of: number): Html => html`<tr class="${tone}">
<th scope="row">${name}</th><td class="count">${count}</td>
<td class="meter" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="all" width="100" height="8" rx="3"/><rect class="part" width="${of === 0 ? 0 : Math.round((count / of) * 100)}" height="8" rx="3"/></svg></td></tr>`

/** The voices about a text as a table. */
function voicesOf(tally: Tally): Html {
  if (tally.actors === 0) return NOTHING
  const all = tally.for + tally.against + tally.inconclusive
  return html`<table><caption class="unshown">Voices about this text</caption><tbody>${ROWS.map(([key, row, tone]) => rowOf(row, tone, tally[key], all))}</tbody></table>
<p class="small">${many(tally.actors, 'actor')} judged it.</p>`
}

/** The words of one voice on one side; empty if there is none. */
export const reason = (side: string, tone: string, rationale: string | null | undefined): Html =>
  rationale == null
    ? NOTHING
    : html`<p class="side ${tone}"><span class="small">${side}</span> <q class="clip" dir="auto">${visible(rationale)}</q></p>`

/** The standing of a text. For the current text of the entry, also the judgements of earlier texts. `slug` adds a link to the evidence. */
export function stateOfEvidence(
  {
    tally,
    earlier,
    best,
    unconfirmed = [],
    observedOn = [],
    ...one
  }: Confirmed & Pick<Standing, 'tally'> & Partial<Pick<Standing, 'earlier' | 'best' | 'unconfirmed' | 'observedOn'>>,
  slug?: string,
): Html {
  const { name, tone, sentence } = VERDICTS[one.state]
  const share = partWords(one)
  const before = earlier === undefined ? 0 : earlierCount({ earlier })
  const notCounted = [
    ...(tally.own > 0 ? [`${many(tally.own, 'judgement')} by authors of the text`] : []),
    ...(before > 0 ? [`${many(before, 'judgement')} about earlier texts`] : []),
  ]
  const found =
    before > 0 && best != null && slug !== undefined
      ? html` <a href="/entries/${slug}/revisions/${best.revisionId}">An earlier revision</a> was found supported.`
      : NOTHING
  return html`<section class="state" aria-labelledby="state">
<h2 id="state">Evidence ${badge(name, tone)}</h2>
<p>${sentence}${share !== '' && html` ${words(share)}.`}</p>
${voicesOf(tally)}
${observedOn.length > 0 && html`<p class="small">Confirmed on ${visible(environmentWords(observedOn))}.</p>`}
${unconfirmed.map(({ text, actor }) => html`<p class="small">Changed since it was checked, by ${by(actor, actor.id)}: <q dir="auto">${visible(text)}</q></p>`)}
${notCounted.length > 0 && html`<p class="small">Not counted: ${notCounted.join(', ')}.${found}</p>`}
${slug !== undefined && html`<p class="small"><a href="/entries/${slug}/evidence">Read the evidence</a></p>`}
</section>`
}
