import type { RendererRule, StateCore, Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import { type Html, html, raw } from './html.ts'
import { visible } from './visible.ts'

/** Rows of a table are filled up to the width of its head, so that a table can have far more cells than characters. Above this number of cells tables are shown as text. */
const CELLS_MAX = 10_000
/** A reference can be used thousands of times. Above this number of characters of addresses links are shown as text. */
const ADDRESS_CHARACTERS_MAX = 100_000
/** The heading of the page is above those of the content. */
const HEADING_ABOVE = 1
const HEADING_LAST = 6

type Environment = { addresses: number; open: string[] }

const OUTSIDE = /^(?:https?:)?\/\//i
const ALLOWED = /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/i

const ADDRESS_CHARACTERS = 2_000

function createMarkdown() {
  const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false })
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  for (const scheme of ['ftp:', 'mailto:', '//', 'https:']) markdown.linkify.add(scheme, null)
  markdown.linkify.add('http:', { validate: bareAddress })
  markdown.linkify.add('https:', { validate: bareAddress })
  markdown.validateLink = address => ALLOWED.test(address) && address.length <= ADDRESS_CHARACTERS
  // The parser of the runtime is many times as fast on names that are not ASCII.
  markdown.normalizeLink = address =>
    URL.canParse(address) ? new URL(address).href : encodeURI(address.toWellFormed())
  markdown.normalizeLinkText = text => text
  markdown.core.ruler.push('headings', nestHeadings)
  Object.assign(markdown.renderer.rules, rules)
  return markdown
}

/** The part of an address after its scheme in running text. One pass finds it, unlike the expression of the library. */
const BARE = /\/\/[\p{L}\p{N}][^\s<>"'`{}|\\^[\]()]{0,1000}/uy

/** The number of characters of an address after its scheme, without the punctuation of the sentence. */
function bareAddress(text: string, at: number): number {
  BARE.lastIndex = at
  const [found = ''] = BARE.exec(text) ?? []
  return found.replace(/[.,;:!?*_~'\p{Po}]+$/u, '').length
}

const rules: Record<string, RendererRule> = {}
rules.text = (tokens, index) => visible(tokens[index]?.content ?? '').markup
rules.code_inline = (tokens, index) => `<code>${visible(tokens[index]?.content ?? '').markup}</code>`
// A long line scrolls, so the keyboard must reach it.
const block = (content: string): string => `<pre tabindex="0"><code>${visible(content).markup}</code></pre>\n`
rules.code_block = (tokens, index) => block(tokens[index]?.content ?? '')
rules.fence = (tokens, index) => block(tokens[index]?.content ?? '')
rules.table_open = () => '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n'
rules.table_close = () => '</table></div>\n'
/** Loading an image would reveal the reader to its host. An image becomes a link; inside a link it becomes part of that link. */
rules.image = (tokens, index, _options, env) => {
  const token = tokens[index]
  const address = String(token?.attrGet('src') ?? '')
  const shown = `<span class="kind">image</span> ${visible(token?.content || address).markup}`
  return (env as Environment).open.length > 0 ? shown : openLink(address, env) + shown + closeLink(env)
}
rules.link_open = (tokens, index, _options, env) => openLink(hrefOf(tokens[index]), env)
/** A link without words shows its address: an element with focus needs a name. */
rules.link_close = (tokens, index, _options, env) => {
  const before = tokens[index - 1]
  return (before?.type === 'link_open' ? visible(hrefOf(before)).markup : '') + closeLink(env)
}

const hrefOf = (token: Token | undefined): string => String(token?.attrGet('href') ?? '')

/** The depth of a heading within its text. Levels are consecutive below the heading of the page, independent of the marks in the text. */
function nestHeadings({ tokens }: StateCore): void {
  const above: string[] = []
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      while ((above.at(-1) ?? '') >= token.tag) above.pop()
      above.push(token.tag)
    }
    if (token.type.startsWith('heading_')) token.tag = `h${Math.min(above.length + HEADING_ABOVE, HEADING_LAST)}`
  }
}

function openLink(address: string, given: unknown): string {
  const env = given as Environment
  env.addresses += address.length
  if (env.addresses > ADDRESS_CHARACTERS_MAX) {
    env.open.push('</span>')
    return '<span>'
  }
  const leaves = OUTSIDE.test(address)
  env.open.push(leaves ? '<span class="unshown"> (leaves this site)</span></a>' : '</a>')
  return html`<a href="${address}" rel="nofollow ugc noopener noreferrer"${leaves && raw(' class="leaves"')}>`.markup
}

const closeLink = (env: unknown): string => (env as Environment).open.pop() ?? ''

const withTables = createMarkdown()
const withoutTables = createMarkdown().disable('table')

/** An upper bound of the cells in the tables of a text: the widest possible head, times the number of lines. */
function cellsOf(content: string): number {
  const lines = content.split('\n')
  const widest = lines.reduce(
    (most, line) => (/^[\s>:|+*.\d-]*$/.test(line) ? Math.max(most, line.split('|').length) : most),
    0,
  )
  return widest * lines.length
}

/**
 * Renders untrusted Markdown as safe markup: no HTML, no images, links to http, https, mailto and this site only, invisible characters
 * named. Time and size are bounded for every text.
 */
export function markup(content: string): Html {
  const markdown = cellsOf(content) > CELLS_MAX ? withoutTables : withTables
  const env: Environment = { addresses: 0, open: [] }
  return raw(markdown.render(content, env))
}
