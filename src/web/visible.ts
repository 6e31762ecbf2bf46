import { EVERY_HIDDEN, HIDDEN, namesOf } from '../domain/unseen.ts'
import { escapeHtml, type Html, html, raw } from './html.ts'

function shown(text: string, hidden: RegExp): Html {
  const plain = text.replaceAll('\r\n', '\n')
  let markup = ''
  let from = 0
  for (const match of plain.matchAll(hidden)) {
    markup += `${escapeHtml(plain.slice(from, match.index))}<b class="unseen">${namesOf(match[0])}</b>`
    from = match.index + match[0].length
  }
  return raw(markup + escapeHtml(plain.slice(from)))
}

/**
 * Somebody's text, escaped, with every unseen character named where it stands. For an element with `dir="auto"`, which takes the direction
 * of the text; `words` inside such an element would leave it without one.
 */
export const visible = (text: string): Html => shown(text, HIDDEN)

/** The same for places where two texts are compared: joiners and variation selectors are named too. */
export const everyCharacter = (text: string): Html => shown(text, EVERY_HIDDEN)

/** Somebody's text in a line of ours: it cannot turn the direction of what stands around it. */
export const words = (text: string): Html => html`<bdi>${visible(text)}</bdi>`

/** Somebody's text where no markup can stand (titles, attributes, feeds): unseen characters are left out. */
export const seen = (text: string): string => text.replace(HIDDEN, '')
