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
  parts.forEach((part, index) => {
    markup += markupOf(part) + (strings[index + 1] as string)
  })
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
