import { type Term, wordsOf } from '../../domain/terms/terms.ts'
import { type Html, html } from '../html.ts'
import { visible } from '../untrusted-text.ts'

const WORD = /[\p{L}\p{M}\p{N}]+/gu
/** Maximum number of characters of a content in which a passage is searched. */
const LOOKED_AT = 4_000
const PASSAGE = 240
const LEAD = 60

/** Finds the words of a query in texts, by the comparison of the search. Made once per page, so that each word is folded once. */
export class Highlighter {
  readonly #words: ReadonlySet<string>
  readonly #prefixes: readonly string[]
  /** For each word compared so far, whether it is a word of the query. */
  readonly #compared = new Map<string, boolean>()

  constructor(terms: readonly Term[]) {
    this.#words = new Set(terms.flatMap(({ prefix, words }) => (prefix ? words.slice(0, -1) : words)))
    this.#prefixes = terms.flatMap(({ prefix, words }) => (prefix ? words.slice(-1) : []))
  }

  /** The text with the words of the query marked. */
  marked(text: string): Html {
    const parts: Html[] = []
    let from = 0
    for (const match of this.#matches(text)) {
      parts.push(visible(text.slice(from, match.index)), html`<mark>${visible(match[0])}</mark>`)
      from = match.index + match[0].length
    }
    return html`${parts}${visible(text.slice(from))}`
  }

  /** Whether the text contains a word of the query. */
  has(text: string): boolean {
    return this.#matches(text).next().done === false
  }

  /** The passage around the first word of the query in a longer text, marked; undefined if there is none. */
  passage(text: string): Html | undefined {
    const start = text.slice(0, LOOKED_AT)
    const hit = this.#matches(start).next().value
    if (hit === undefined) return undefined
    const from = hit.index <= LEAD ? 0 : start.indexOf(' ', hit.index - LEAD) + 1 || hit.index
    const cut = start.slice(Math.min(from, hit.index), from + PASSAGE).toWellFormed()
    return html`${from > 0 && '… '}${this.marked(cut.replace(/\s+/g, ' '))}${text.length > from + PASSAGE && ' …'}`
  }

  *#matches(text: string): Generator<RegExpExecArray, undefined> {
    if (this.#words.size === 0 && this.#prefixes.length === 0) return
    for (const match of text.matchAll(WORD)) if (this.#fits(match[0])) yield match
  }

  #fits(word: string): boolean {
    let known = this.#compared.get(word)
    if (known === undefined) {
      known = wordsOf(word).some(
        part => this.#words.has(part) || this.#prefixes.some(prefix => part.startsWith(prefix)),
      )
      this.#compared.set(word, known)
    }
    return known
  }
}
