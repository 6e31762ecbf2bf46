import { EVERY_HIDDEN, HIDDEN, namesOf } from '../domain/invisible-characters.js'
import { escapeHtml, type Html, html, raw } from './html.ts'

/** Text without hidden characters. Most texts match, and the search for hidden characters takes 20 times as long. */
const PLAIN = /^[\t\n\x20-\x7e]*$/

function shown(text: string, hidden: RegExp): Html {
  if (PLAIN.test(text)) return raw(escapeHtml(text))
  const plain = text.replaceAll('\r\n', '\n')
  let markup = ''
  let from = 0
  for (const match of plain.matchAll(hidden)) {
    markup += `${escapeHtml(plain.slice(from, match.index))}<b class="invisible">${namesOf(match[0])}</b>`
    from = match.index + match[0].length
  }
  return raw(markup + escapeHtml(plain.slice(from)))
}

/**
 * Escapes untrusted text and names every invisible character at its position. Use it in an element with `dir="auto"`, which takes the
 * direction of the text. `words` inside such an element would leave the element without a direction.
 */
export const visible = (text: string): Html => shown(text, HIDDEN)

/** Like `visible`, for comparisons of texts: also names joiners and variation selectors. */
export const everyCharacter = (text: string): Html => shown(text, EVERY_HIDDEN)

/** Untrusted text within a line. It cannot change the direction of the text around it. */
export const words = (text: string): Html => html`<bdi>${visible(text)}</bdi>`

/** Untrusted text for places without markup (titles, attributes, feeds): invisible characters are omitted. */
export const seen = (text: string): string => text.replace(HIDDEN, '')
