import { LIMITS } from '../contract/limits.ts'
import type { FoundList } from '../contract/resources.ts'
import type { Fit } from '../operations/operation.ts'
import { type Html, html } from './html.ts'
import { day, tagList } from './parts.ts'
import { signalBadges } from './signals.ts'
import { standingBadge } from './state.ts'
import { visible, words } from './visible.ts'

/** The maximum number of words of a question that a line names. */
const WORDS_SHOWN = 12

/** The address of the form that publishes, with the question as its title. */
export const publishFor = (q: string): string =>
  q === ''
    ? '/publish'
    : `/publish?title=${encodeURIComponent([...q.trim()].slice(0, LIMITS.titleCharacters).join(''))}`

/** Lists the corrected and the missing words of a question and, if `doubtful`, warns that the entries hardly match. */
export function advice({ corrected, missing }: Pick<Fit, 'corrected' | 'missing'>, doubtful: boolean, q: string): Html {
  return html`${corrected.length > 0 && html`<p class="small">Corrected: ${corrected.slice(0, WORDS_SHOWN).map(({ from, to }, index) => html`${index > 0 && ', '}<q>${words(from)}</q> → <q>${words(to)}</q>`)}</p>`}${missing.length > 0 && html`<p class="small">No entry has: ${missing.slice(0, WORDS_SHOWN).map((word, index) => html`${index > 0 && ', '}<q>${words(word)}</q>`)}</p>`}${doubtful && html`<p class="notice">No entry answers this: the entries below hardly match. If you find the answer, <a href="${publishFor(q)}">publish it</a>.</p>`}`
}

/** The found entries, best first, each with its best passage. */
export const foundRows = ({ items }: FoundList): Html =>
  html`<ol class="results">${items.map(
    entry => html`<li class="result">
<h2 dir="auto"><a href="/entries/${entry.slug}">${visible(entry.title)}</a></h2>
<p dir="auto">${visible(entry.summary)}</p>
<p class="passage" dir="auto">${visible(entry.excerpt)}</p>
<p class="meta">${standingBadge(entry)}${signalBadges(entry)} ${day(entry.updatedAt)}</p>
${tagList(entry.tags)}
</li>`,
  )}</ol>`
