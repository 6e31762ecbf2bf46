import { createRequire } from 'node:module'

/** Loads markdown-it. A thread loads it when it parses its first text, because the library takes memory. */
export const loadMarkdownIt = () =>
  createRequire(import.meta.url)('markdown-it') as typeof import('markdown-it').default

/**
 * The maximum number of table cells, of which an item of a list counts as two. A table or list is read at once, and rows are filled up to
 * the width of the head, so a table can have far more cells than characters. Past the maximum, tables and lists are shown as text.
 */
const CELLS_MAX = 4_000
/**
 * The maximum number of brackets, each of which may begin a link that the parser searches for. Past the maximum, links are shown as text.
 */
const BRACKETS_MAX = 2_000
/** The maximum number of marks of emphasis, each of which is compared with others. Past the maximum, they are shown as text. */
const MARKS_MAX = 6_000
const ADDRESS_CHARACTERS = 2_000
/** The maximum depth of nested elements, such as twenty lists. A text of brackets takes half the time that it takes with a depth of 100. */
const NESTED_MAX = 40
const ALLOWED = /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/i

/**
 * Creates a parser of untrusted Markdown: without HTML, with links to http, https, mailto and this site only. The pages show what it
 * parses.
 */
export function createParser() {
  const MarkdownIt = loadMarkdownIt()
  const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: NESTED_MAX })
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  for (const scheme of ['ftp:', 'mailto:', '//', 'https:']) markdown.linkify.add(scheme, null)
  markdown.linkify.add('http:', { validate: bareAddress })
  markdown.linkify.add('https:', { validate: bareAddress })
  markdown.validateLink = address => ALLOWED.test(address) && address.length <= ADDRESS_CHARACTERS
  // The URL parser of the runtime is many times as fast on host names that are not ASCII.
  markdown.normalizeLink = address =>
    address.startsWith('#')
      ? address
      : URL.canParse(address)
        ? new URL(address).href
        : encodeURI(address.toWellFormed())
  markdown.normalizeLinkText = text => text
  return markdown
}

/** The part of an address after its scheme in running text. Unlike the expression of the library, it matches in one pass. */
const BARE = /\/\/[\p{L}\p{N}][^\s<>"'`{}|\\^[\]()]{0,1000}/uy

/** The number of characters of an address after its scheme, without the punctuation of the sentence. */
function bareAddress(text: string, at: number): number {
  BARE.lastIndex = at
  const [found = ''] = BARE.exec(text) ?? []
  return found.replace(/[.,;:!?*_~'\p{Po}]+$/u, '').length
}

/** An upper bound of the cells in the tables of a text: for each line up to the next blank one, the width of the widest head before it. */
function cellsOf(content: string): number {
  let [width, cells] = [0, 0]
  for (const line of content.split('\n')) {
    if (/^[\s>:|+*.\d-]*$/.test(line)) width = line.trim() === '' ? 0 : Math.max(width, line.split('|').length)
    cells += width
  }
  return cells
}

/** An upper bound of the items in the lists of a text. */
const itemsOf = (content: string): number => content.match(/(?<![^\s>])(?:[-+*]|\d{1,9}[.)])(?=\s|$)/g)?.length ?? 0

/** The parser rules that are off for a text that is not modest: its tables, lists, links and emphasis are shown as text. */
export const COSTLY_RULES = ['table', 'list', 'link', 'image', 'reference', 'emphasis', 'strikethrough']

/** Whether a text has so few brackets, cells, items and marks of emphasis that they may be shown as what they mean. */
export const isModest = (content: string): boolean =>
  content.split('[').length <= BRACKETS_MAX &&
  content.split(/[*_~]/).length <= MARKS_MAX &&
  cellsOf(content) + 2 * itemsOf(content) <= CELLS_MAX
