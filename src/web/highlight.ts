import { type Term, wordsOf } from '../domain/terms.ts'
import { type Html, html } from './html.ts'
import { visible } from './untrusted-text.ts'

const WORD = /[\p{L}\p{M}\p{N}]+/gu
/** Characters of a content that are searched for a passage. */
const LOOKED_AT = 4_000
const PASSAGE = 240
const LEAD = 60

/** Finds the words of a query in texts, compared as the search compares them. Made once per page: words are folded once. */
export function createHighlighter(terms: readonly Term[]) {
  const wanted = new Set(terms.flatMap(term => (term.prefix ? term.words.slice(0, -1) : term.words)))
  const prefixes = terms.filter(({ prefix }) => prefix).map(({ words }) => words.at(-1) ?? '')
  const folded = new Map<string, boolean>()
  const fits = (word: string): boolean => {
    let known = folded.get(word)
    if (known === undefined) {
      known = wordsOf(word).some(part => wanted.has(part) || prefixes.some(prefix => part.startsWith(prefix)))
      folded.set(word, known)
    }
    return known
  }

  const marked = (text: string): Html => {
    if (terms.length === 0) return visible(text)
    const parts: Html[] = []
    let from = 0
    for (const match of text.matchAll(WORD)) {
      if (!fits(match[0])) continue
      parts.push(visible(text.slice(from, match.index)), html`<mark>${visible(match[0])}</mark>`)
      from = match.index + match[0].length
    }
    return html`${parts}${visible(text.slice(from))}`
  }

  return {
    /** The text with the words of the query marked. */
    marked,
    /** Whether the text contains a word of the query. */
    has: (text: string): boolean => terms.length > 0 && [...text.matchAll(WORD)].some(([word]) => fits(word)),
    /** The passage around the first word of the query in a longer text, marked; undefined if there is none. */
    passage(text: string): Html | undefined {
      const start = text.slice(0, LOOKED_AT)
      const [hit] = start
        .matchAll(WORD)
        .filter(([word]) => fits(word))
        .take(1)
      if (hit === undefined) return undefined
      const from = hit.index <= LEAD ? 0 : start.indexOf(' ', hit.index - LEAD) + 1 || hit.index
      const cut = start.slice(Math.min(from, hit.index), from + PASSAGE).toWellFormed()
      return html`${from > 0 && '… '}${marked(cut.replace(/\s+/g, ' '))}${text.length > from + PASSAGE && ' …'}`
    },
  }
}
