import type { RendererRule, StateCore, StateInline, Token } from 'markdown-it'
import { COSTLY_RULES, createParser, isModest } from '../../memory/markdown-parser.ts'
import { atOnce } from '../browser/difference.js'
import { type Html, html, NOTHING, raw, seen, visible } from '../html.ts'
import { COLOURS_MAX, colouredCode } from './code.ts'

/**
 * Maximum total number of characters of addresses, because a reference can be used thousands of times. Above it, links are shown as text.
 */
const ADDRESS_CHARACTERS_MAX = 100_000
/** The level of the page's own heading, which is above the headings of the content. */
const HEADING_ABOVE = 1
const HEADING_LAST = 6
/** Maximum number of headings with a link to themselves. It bounds the markup of a text that consists of headings. */
const ANCHORS_MAX = 100

/** A heading of a content: its id in the page, its level and its words. */
export type Section = { id: string; level: number; title: string }

export type Environment = { addresses: number; open: string[]; sections?: Section[] }

const OUTSIDE = /^(?:https?:)?\/\//i

/** A parser and renderer of untrusted Markdown. */
export function createMarkdown() {
  const markdown = createParser()
  markdown.core.ruler.push('headings', nestHeadings)
  markdown.core.ruler.push('columns', alignColumns)
  markdown.inline.ruler.after('image', 'task', readTask)
  markdown.core.ruler.push('tasks', markTasks)
  Object.assign(markdown.renderer.rules, rules)
  return markdown
}

const rules: Record<string, RendererRule> = {}
rules.text = (tokens, index) => visible(tokens[index]?.content ?? '').markup
rules.code_inline = (tokens, index) => `<code>${visible(tokens[index]?.content ?? '').markup}</code>`
// A long line scrolls, so the keyboard must reach it.
export const preformatted = (code: string): string => `<pre tabindex="0"><code>${code}</code></pre>\n`
const block: RendererRule = (tokens, index) =>
  preformatted(String(tokens[index]?.meta?.coloured ?? visible(tokens[index]?.content ?? '').markup))
rules.code_block = block
rules.fence = block
rules.task = (tokens, index) => checkbox(tokens[index])
rules.table_open = () => '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n'
rules.table_close = () => '</table></div>\n'
/** Loading an image would reveal the reader to the image's host. An image becomes a link; inside a link it becomes part of that link. */
rules.image = (tokens, index, _options, env) => {
  const token = tokens[index]
  const address = String(token?.attrGet('src') ?? '')
  const shown = `<span class="kind">image</span> ${visible(token?.content || address).markup}`
  return (env as Environment).open.length > 0 ? shown : openLink(address, env) + shown + closeLink(env)
}
rules.link_open = (tokens, index, _options, env) => openLink(hrefOf(tokens[index]), env)
/** A link without words shows its address, because a focusable element needs a name. */
rules.link_close = (tokens, index, _options, env) => {
  const before = tokens[index - 1]
  return (before?.type === 'link_open' ? visible(hrefOf(before)).markup : '') + closeLink(env)
}

/** The end of a heading, with a link to its section if the heading has an id. */
rules.heading_close = (tokens, index) => {
  const { tag = '', meta } = tokens[index] ?? {}
  const anchor =
    meta?.id === undefined
      ? NOTHING
      : html` <a class="anchor" href="#${String(meta.id)}" aria-label="Link to this section">#</a>`
  return html`${anchor}</${raw(tag)}>\n`.markup
}

export const hrefOf = (token: Token | undefined): string => String(token?.attrGet('href') ?? '')

/**
 * Sets the depth of each heading within its text. Levels are consecutive below the heading of the page, independent of the marks in the
 * text. If the caller requests sections, each heading gets an id, and the first ones a link to themselves.
 */
function nestHeadings({ tokens, env }: StateCore): void {
  const { sections } = env as Environment
  const above: string[] = []
  const newId = createIds()
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      while ((above.at(-1) ?? '') >= token.tag) above.pop()
      above.push(token.tag)
    }
    if (!token.type.startsWith('heading_')) return
    const level = Math.min(above.length + HEADING_ABOVE, HEADING_LAST)
    token.tag = `h${level}`
    if (sections === undefined) return
    if (token.type === 'heading_close') {
      if (sections.length <= ANCHORS_MAX) token.meta = { id: sections.at(-1)?.id }
      return
    }
    const title = wordsOfLine(tokens[index + 1])
    const id = newId(title)
    token.attrSet('id', id)
    sections.push({ id, level, title })
  })
}

/** The content security policy blocks inline styles, so the alignment of a cell becomes a class. */
function alignColumns({ tokens }: StateCore): void {
  for (const token of tokens) {
    const [, side] = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? '')) ?? []
    if (side !== undefined) token.attrs = [['class', side]]
  }
}

/** The mark of a task at the beginning of a list item. */
const TASK = /^\[([ xX])\] /

/** Reads the mark of a task at the beginning of a line of words, if it is no link. */
function readTask(state: StateInline, silent: boolean): boolean {
  const [mark] = (state.pos === 0 && TASK.exec(state.src)) || []
  if (mark === undefined) return false
  if (!silent) state.push('task', 'input', 0).content = mark
  state.pos += mark.length
  return true
}

/** The box of a task. */
export const checkbox = (task: Token | undefined): string =>
  task?.content.startsWith('[ ]')
    ? '<input type="checkbox" disabled aria-label="To do"> '
    : '<input type="checkbox" disabled checked aria-label="Done"> '

/** Marks the list items of tasks. The mark of a task outside of a list is text. */
function markTasks({ tokens }: StateCore): void {
  tokens.forEach(({ children }, index) => {
    const [first] = children ?? []
    if (first?.type !== 'task') return
    const item = tokens[index - 2]
    if (item?.type === 'list_item_open' && tokens[index - 1]?.type === 'paragraph_open') item.attrJoin('class', 'task')
    else first.type = 'text'
  })
}

const wordsOfLine = (inline: Token | undefined): string =>
  seen((inline?.children ?? []).map(({ content }) => content).join(''))
    .replace(/\s+/g, ' ')
    .trim()

const ID_CHARACTERS = 60
/** Prefix of the ids of headings. The page itself uses no id with this prefix, so a heading cannot replace a part of the page. */
const ID_PREFIX = 'section-'

const idOf = (title: string): string => {
  const words =
    title
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return ID_PREFIX + [...words.join('-')].slice(0, ID_CHARACTERS).join('')
}

/** Returns a function that makes a unique id from a title. Further headings with the same words are numbered. */
function createIds(): (title: string) => string {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return title => {
    const base = idOf(title)
    let count = counts.get(base) ?? 0
    let id = base
    do {
      count += 1
      id = count === 1 ? base : `${base}-${count}`
    } while (used.has(id))
    counts.set(base, count)
    used.add(id)
    return id
  }
}

const decoded = (address: string): string => {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** A link to a part of the page leads to a heading of the content. */
export function openLink(target: string, given: unknown): string {
  const env = given as Environment
  const address = target.startsWith('#') ? `#${idOf(decoded(target.slice(1)))}` : target
  env.addresses += address.length
  if (env.addresses > ADDRESS_CHARACTERS_MAX) {
    env.open.push('</span>')
    return '<span>'
  }
  const leaves = OUTSIDE.test(address)
  env.open.push(leaves ? '<span class="unshown"> (leaves this site)</span></a>' : '</a>')
  return html`<a href="${address}" rel="nofollow ugc noopener noreferrer"${leaves && raw(' class="leaves"')}>`.markup
}

export const closeLink = (env: unknown): string => (env as Environment).open.pop() ?? ''

/** Stand for the rules of the parser that read all blocks, and the words of all blocks, at once; `parsing` does the same in steps. */
const blockRule = (): void => {}
const inlineRule = (): void => {}

/** Like `createMarkdown`, for `parsing`. */
export function createInSteps() {
  const markdown = createMarkdown()
  markdown.core.ruler.at('block', blockRule)
  markdown.core.ruler.at('inline', inlineRule)
  return markdown
}
const whole = createInSteps()
const cheap = createInSteps().disable(COSTLY_RULES)
type Markdown = typeof whole

/** The number of words and marks that are read, or of tokens that are rendered, before other work may run. */
export const PAUSE = 250

/** Reads the blocks of a text. Nested blocks are read with the outermost one. */
function* readBlocks({ src, tokens, md, env }: StateCore): Generator<undefined, void> {
  const state = new md.block.State(src, md, env, tokens)
  const rules = md.block.ruler.getRules('')
  for (let count = 1; ; count++) {
    state.line = state.skipEmptyLines(state.line)
    if (state.line >= state.lineMax) return
    rules.some(rule => rule(state, state.line, state.lineMax, false))
    if (count % PAUSE === 0) yield
  }
}

/** Reads the words of each block as the parser does: first its marks, then the pairs of marks. */
function* readWords({ tokens, md, env }: StateCore): Generator<undefined, void> {
  for (const token of tokens) {
    if (token.type !== 'inline') continue
    token.children ??= []
    const state = new md.inline.State(token.content, md, env, token.children)
    const rules = md.inline.ruler.getRules('')
    const nesting = md.options.maxNesting
    for (let count = 1; state.pos < state.posMax; count++) {
      const isRead = state.level < nesting && rules.some(rule => rule(state, false))
      if (!isRead) state.pending += state.src[state.pos++]
      if (count % PAUSE === 0) yield
    }
    if (state.pending !== '') state.pushPending()
    yield
    for (const pair of md.inline.ruler2.getRules('')) pair(state)
    yield
  }
}

/** Parses untrusted Markdown. Yields where other work may run. */
export function* parsing(markdown: Markdown, content: string, env: Environment): Generator<undefined, Token[]> {
  const state = new markdown.core.State(content, markdown, env)
  for (const rule of markdown.core.ruler.getRules('')) {
    if (rule === blockRule) yield* readBlocks(state)
    else if (rule === inlineRule) yield* readWords(state)
    else rule(state)
    yield
  }
  return state.tokens
}

/** Renders a token other than that of words, which has children. */
export function tokenView(markdown: Markdown, tokens: Token[], index: number, env: Environment): string {
  const { renderer, options } = markdown
  const rule = renderer.rules[tokens[index]?.type ?? '']
  return rule?.(tokens, index, options, env, renderer) ?? renderer.renderToken(tokens, index, options)
}

/** Renders tokens and their children. Yields where other work may run. */
function* renderingTokens(markdown: Markdown, tokens: Token[], env: Environment): Generator<undefined, string> {
  const shown: string[] = []
  for (const [index, { type, children }] of tokens.entries()) {
    if (type === 'inline') shown.push(yield* renderingTokens(markdown, children ?? [], env))
    else shown.push(tokenView(markdown, tokens, index, env))
    if (index % PAUSE === PAUSE - 1) yield
  }
  return shown.join('')
}

/** Colours blocks of code that name their language, the first ones first, one at a time. */
function* colourBlocks(tokens: readonly Token[]): Generator<undefined, void> {
  let left = COLOURS_MAX
  for (const token of tokens) {
    if (token.type !== 'fence') continue
    const { markup, bytes } = colouredCode(token.content, token.info, left) ?? { bytes: 0 }
    token.meta = { coloured: markup }
    left -= bytes
    yield
  }
}

/** How a content is rendered: `sections` receives its headings, which get ids; without `isPlain` code is coloured. */
export type Rendering = { sections?: Section[]; isPlain?: true }

/**
 * Renders untrusted Markdown as safe markup: no HTML, no images, links only to http, https, mailto and this site. Names invisible
 * characters. Bounds time and size for every text. Yields where other work may run.
 */
export function* renderingOf(content: string, { sections, isPlain }: Rendering = {}): Generator<undefined, Html> {
  const env: Environment = { addresses: 0, open: [], ...(sections && { sections }) }
  const markdown = isModest(content) ? whole : cheap
  const tokens = yield* parsing(markdown, content, env)
  if (!isPlain) yield* colourBlocks(tokens)
  return raw(yield* renderingTokens(markdown, tokens, env))
}

/** Renders Markdown at once. */
export const markup = (content: string, rendering?: Rendering): Html => atOnce(renderingOf(content, rendering))
