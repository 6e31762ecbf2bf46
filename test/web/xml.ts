/** An element of an XML document: its name, its attributes, all text inside it, and its child elements. */
export type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] }

const NAME = '[A-Za-z_][\\w.:-]*'
const TOKEN = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>|[^<]+`, 'gy')
const ATTRIBUTE = new RegExp(`(${NAME})="([^"]*)"`, 'g')
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** Characters that XML 1.0 does not allow. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function resolved(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));|&/gi, (found, decimal, hexadecimal, name) => {
    const character = decimal
      ? String.fromCodePoint(Number(decimal))
      : hexadecimal
        ? String.fromCodePoint(Number.parseInt(hexadecimal, 16))
        : NAMED[name]
    if (character === undefined || NO_CHARACTER.test(character)) throw new Error(`XML has no ${found}.`)
    return character
  })
}

/**
 * Parses a well-formed XML document of elements, attributes in double quotes and text, without comments, CDATA or a document type. Throws
 * on everything else: unclosed, overlapping or duplicate parts, and characters that XML does not allow.
 */
export function parseXml(source: string): Element {
  const bad = NO_CHARACTER.exec(source)
  if (bad !== null) throw new Error(`XML has no character U+${bad[0].codePointAt(0)?.toString(16)}.`)
  const declaration = /^<\?xml version="1\.0" encoding="utf-8"\?>\n/.exec(source)
  if (declaration === null) throw new Error('The XML declaration is missing.')
  const root: Element = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  TOKEN.lastIndex = declaration[0].length
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(source)
    if (match === null) throw new Error(`No XML at ${at}: ${source.slice(at, at + 60)}`)
    const [all, closes, name, attributes = '', empty] = match
    if (name === undefined) {
      for (const one of open) one.text += resolved(all)
    } else if (closes) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element.`)
    } else {
      const made: Element = { name, attributes: {}, text: '', children: [] }
      for (const [, key = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
        if (key in made.attributes) throw new Error(`${key} is twice on <${name}>.`)
        made.attributes[key] = resolved(value)
      }
      open.at(-1)?.children.push(made)
      if (!empty) open.push(made)
    }
  }
  const [only, second] = root.children
  if (open.length !== 1 || only === undefined || second !== undefined) throw new Error('There is not one whole root.')
  if (root.text.trim() !== only.text.trim()) throw new Error('There is text outside of the root.')
  return only
}

/** The child elements with this name. */
export const all = ({ children }: Element, name: string): Element[] => children.filter(one => one.name === name)

/** The text of the only child element with this name. Throws if there is none or more than one. */
export function textOf(element: Element, name: string): string {
  const [only, second] = all(element, name)
  if (only === undefined || second !== undefined) throw new Error(`<${element.name}> has not one <${name}>.`)
  return only.text
}
