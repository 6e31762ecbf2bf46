import { LIMITS } from '../../contract/limits.ts'
import type { FoundList } from '../../contract/resources.ts'
import { wordsOf } from '../../find/rules/words.ts'
import type { Fit } from '../../memory/searching.ts'
import { type Html, html, visible, words } from '../html.ts'
import { ago, signalBadges, tagList } from '../parts/components.ts'
import { standingStrip } from '../parts/evidence-summary.ts'

/** Maximum number of words of a question that a line names. */
const WORDS_SHOWN = 12

/** The address of the form that publishes, with the question as its title. */
export const publishFor = (q: string): string =>
  q === ''
    ? '/publish'
    : `/publish?title=${encodeURIComponent([...q.trim()].slice(0, LIMITS.titleCharacters).join(''))}`

/** Suggests the corrected question, lists the words that no entry contains and, if `doubtful`, warns that the entries hardly match. */
export function advice({ corrected, missing }: Pick<Fit, 'corrected' | 'missing'>, doubtful: boolean, q: string): Html {
  const meant = correctedQuestion(q, corrected)
  return html`${corrected.length > 0 && html`<p class="small">${meant !== q && [...q].length <= LIMITS.queryCharacters && html`Did you mean <a href="/search?q=${encodeURIComponent(meant)}">${words(meant)}</a>? `}Corrected: ${corrected.slice(0, WORDS_SHOWN).map(({ from, to }, index) => html`${index > 0 && ', '}<q>${words(from)}</q> → <q>${words(to)}</q>`)}</p>`}${missing.length > 0 && html`<p class="small">No entry has: ${missing.slice(0, WORDS_SHOWN).map((word, index) => html`${index > 0 && ', '}<q>${words(word)}</q>`)}</p>`}${doubtful && html`<p class="notice">No entry answers this: the entries below hardly match. If you find the answer, <a href="${publishFor(q)}">publish it</a>.</p>`}`
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** The question with its corrected words replaced. A correction replaces one word or two adjacent words. All other text is unchanged. */
function correctedQuestion(q: string, corrected: Fit['corrected']): string {
  const meant = new Map(corrected.map(({ from, to }) => [wordsOf(from).join(' '), to]))
  const found = [...q.matchAll(WORD)].map(match => ({
    at: match.index,
    end: match.index + match[0].length,
    word: wordsOf(match[0]).join(' '),
  }))
  let text = ''
  let from = 0
  for (let index = 0; index < found.length; index++) {
    const one = found[index] as (typeof found)[number]
    const two = found[index + 1]
    const joined = two && meant.get(`${one.word} ${two.word}`)
    const to = joined ?? meant.get(one.word)
    if (to === undefined) continue
    text += q.slice(from, one.at) + to
    from = joined === undefined ? one.end : (two?.end ?? one.end)
    if (joined !== undefined) index++
  }
  return text + q.slice(from)
}

/** A short standing as the strip shows it. */
const stripped = ({ standing: { for: voicesFor, against, ...rest } }: FoundList['items'][number]) => ({
  ...rest,
  confirmed: rest.confirmed ?? null,
  tally: { for: voicesFor, against, inconclusive: 0, own: 0 },
})

/** The found entries, best first, each with its best passage. */
export const foundRows = ({ items }: FoundList, at: number): Html =>
  html`<ol class="results">${items.map(
    entry => html`<li class="result">
<h2 dir="auto"><a href="/entries/${entry.slug}">${visible(entry.title)}</a></h2>
<p dir="auto">${visible(entry.summary)}</p>
<p class="passage" dir="auto">${visible(entry.excerpt)}</p>
<p class="meta">${standingStrip({ standing: stripped(entry) }, at)} ${signalBadges(entry)} · changed ${ago(entry.updatedAt, at)}</p>
${tagList(entry.tags)}
</li>`,
  )}</ol>`
