import type { Standing, Tally } from '../../contract/resources.ts'
import type { State } from '../../contract/vocabulary.ts'
import { RETAINED_FROM } from '../../domain/evidence/retained-text.ts'
import { earlierCount, percentOf } from '../../domain/evidence/standing-line.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { badge, many } from './components.ts'

type Verdict = { name: string; tone: string; sentence: string }

/** Each state as one word and one sentence. The words count claims and do not judge them. */
export const VERDICTS: Record<State, Verdict> = {
  UNCHECKED: {
    name: 'Unchecked',
    tone: 'open',
    sentence: 'No one except authors has judged this text yet.',
  },
  SUPPORTED: { name: 'Supported', tone: 'good', sentence: 'Others used this text and found it supported.' },
  DISPUTED: { name: 'Disputed', tone: 'mixed', sentence: 'Some found this text supported, others unsupported.' },
  CONTRADICTED: { name: 'Contradicted', tone: 'bad', sentence: 'Others found this text wrong or unsupported.' },
  INCONCLUSIVE: { name: 'Inconclusive', tone: 'open', sentence: 'Others used this text and could not decide.' },
}

const IN_PART: Verdict = {
  name: 'Supported in part',
  tone: 'mixed',
  sentence: 'Others found a text supported that is only a part of this one. No one has confirmed the rest.',
}

type Confirmed = Pick<Standing, 'state'> & Partial<Pick<Standing, 'confirmed'>>

/** The state of a text in words. A text is supported in part if readers supported less than RETAINED_FROM of it. */
export const verdictOf = ({ state, confirmed }: Confirmed): Verdict =>
  state === 'SUPPORTED' && (confirmed ?? 1) < RETAINED_FROM ? IN_PART : VERDICTS[state]

/** The share of a text that readers supported, in words; empty if the share is unknown or the whole text. */
export const confirmedWords = ({ confirmed }: Confirmed): string =>
  confirmed == null || confirmed === 1 ? '' : `${percentOf(confirmed)} % of this text was supported`

const ROWS = [
  ['supported', 'supported', 'good'],
  ['unsupported', 'unsupported', 'bad'],
  ['contradicted', 'contradicted', 'bad'],
  ['inconclusive', 'inconclusive', 'open'],
] as const

const rowOf = (name: string, tone: string, count: number, of: number): Html => html`<tr class="${tone}">
<th scope="row">${name}</th><td class="count">${count}</td><td class="small">${count > 0 ? (count === 1 ? 'actor' : 'actors') : ''}</td>
<td class="meter" aria-hidden="true"><svg viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="all" width="100" height="8" rx="3"/><rect class="part" width="${of === 0 ? 0 : Math.round((count / of) * 100)}" height="8" rx="3"/></svg></td></tr>`

/** States how many voices are counted on both sides. A network whose actors disagree counts as one voice on each side. */
function bothSides({ independent, independentFor, independentAgainst }: Tally): string {
  const both = independentFor + independentAgainst - independent
  return both > 0 ? `, ${both} of them on both sides` : ''
}

const voicesOf = (tally: Tally): Html => {
  const { independent, independentFor, independentAgainst, actors } = tally
  return actors === 0
    ? NOTHING
    : html`<p class="small">${many(independent, 'independent voice')}: ${independentFor} for, ${independentAgainst} against${bothSides(tally)}. All judgements from one network on one day are one voice, for any number of actors.</p>`
}

/** The independent checks of a text in words; empty without one. */
export function checksOf(tally: Tally): string {
  const { independent, independentFor, independentAgainst } = tally
  if (independent === 0) return ''
  const support = `held for ${independentFor} of ${independent}`
  return independentAgainst > 0 ? `${support} · contested by ${independentAgainst}${bothSides(tally)}` : support
}

/** The standing of a text. For the current text of the entry, also the judgements of earlier texts. `slug` adds a link to the evidence. */
export function stateOfEvidence(
  { tally, earlier, best, ...one }: Confirmed & Pick<Standing, 'tally'> & Partial<Pick<Standing, 'earlier' | 'best'>>,
  slug?: string,
): Html {
  const { name, tone, sentence } = verdictOf(one)
  const share = confirmedWords(one)
  const before = earlier === undefined ? 0 : earlierCount({ earlier })
  return html`<section class="state" aria-labelledby="state">
<h2 id="state">Evidence ${badge(name, tone)}</h2>
<p>${sentence}${share !== '' && ` ${share}.`}</p>
${tally.actors > 0 && html`<table><caption class="unshown">Judgements of this text</caption><tbody>${ROWS.map(([key, row, colour]) => rowOf(row, colour, tally[key], tally.actors))}</tbody></table>`}
${voicesOf(tally)}
${tally.own > 0 ? html`<p class="small">${many(tally.own, 'judgement')} by authors of the text, which ${tally.own === 1 ? 'does' : 'do'} not count.</p>` : NOTHING}
${before > 0 ? html`<p class="small">${many(before, 'judgement')} ${before === 1 ? 'is' : 'are'} about earlier texts, of which the current text contains less than nine tenths.${best != null && slug !== undefined && html` <a href="/entries/${slug}/revisions/${best.revisionId}">An earlier revision</a> was found supported.`}</p>` : NOTHING}
${slug !== undefined && html`<p class="small"><a href="/entries/${slug}/evidence">Read the evidence</a></p>`}
</section>`
}
