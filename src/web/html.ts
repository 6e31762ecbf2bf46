import { EVERY_HIDDEN, HIDDEN, namesOf } from '../memory/invisible-characters.js'

/** Markup that can be inserted unescaped. Only `html` and `raw` make it. */
export type Html = { readonly markup: string }

/** Values of a template: markup is inserted, text is escaped, `undefined`, `null` and `false` are omitted, lists are concatenated. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
}

/**
 * Escapes every character that could end a text or a quoted attribute. Also escapes carriage returns, which an HTML parser would discard.
 */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'\r]/g, character => ESCAPES[character] ?? character)

/** Template tag for HTML. Escapes every value unless it is `Html`. Attributes must be quoted in the template. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  // A template has one string more than it has values.
  let markup = strings[0] as string
  for (let at = 0; at < parts.length; at++) markup += markupOf(parts[at]) + (strings[at + 1] as string)
  return { markup }
}

/** Marks a text as markup. Only for the output of an escaping renderer, never for untrusted text. */
export const raw = (markup: string): Html => ({ markup })

export const NOTHING: Html = { markup: '' }

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if (Array.isArray(part)) return part.map(markupOf).join('')
  return (part as Html).markup
}

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
