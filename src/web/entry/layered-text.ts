import type { Token } from 'markdown-it'
import { COSTLY_RULES, isModest, loadMarkdownIt } from '../../memory/markdown-parser.ts'
import { type Html, raw, visible } from '../html.ts'
import {
  checkbox,
  closeLink,
  createInSteps,
  type Environment,
  hrefOf,
  openLink,
  PAUSE,
  parsing,
  preformatted,
  tokenView,
} from '../parts/markdown.ts'

const MarkdownIt = loadMarkdownIt()
type Parser = InstanceType<typeof MarkdownIt>

/** The offset of a token in the text that its block passed to the inline parser. */
const places = new WeakMap<Token, number>()

/** Records the offset of each inline token, which the parser itself discards. */
class PlacedInline extends MarkdownIt.StateInline {
  override pushPending(): Token {
    // The parser removes only spaces or the scheme of an address from the end of the pending text.
    const at = this.src.lastIndexOf(this.pending, this.pos - this.pending.length)
    const token = super.pushPending()
    places.set(token, at)
    return token
  }
  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    const token = super.push(type, tag, nesting)
    places.set(token, this.pos)
    return token
  }
}

/**
 * Makes a parser record the offset of each inline token, and retain the definitions of addresses. Adjacent inline tokens are not merged.
 */
function recordPlaces(markdown: Parser): Parser {
  markdown.inline.State = PlacedInline
  markdown.inline.ruler2.disable('fragments_join')
  markdown.core.ruler.disable(['strip_references', 'linkify', 'text_join'])
  return markdown
}

/** The offset of the shown words of an inline token in the text of its block. */
function placeOf(tokens: readonly Token[], index: number, text: string): number {
  const token = tokens[index]
  const at = token === undefined ? 0 : (places.get(token) ?? 0)
  if (token === undefined) return at
  if (token.type === 'image') return at + '!['.length
  if (token.type === 'code_inline') {
    const from = at + token.markup.length
    const whole = text.slice(from, from + token.content.length).replaceAll('\n', ' ') === token.content
    return whole ? from : from + 1
  }
  // The recorded offset of a bare address is that of its colon. The recorded offset of an address in angle brackets is that of the bracket.
  if (tokens[index - 1]?.info === 'auto' && token.type === 'text') return text.lastIndexOf(token.content, at + 1)
  return at
}

/** Maps the text of a block from the index `from` to the source from the index `source`. */
type Stretch = { from: number; source: number }

/** The lines of a source, and the offsets of the texts of its blocks. */
class SourceLines {
  readonly #lines: readonly { start: number; text: string }[]

  constructor(source: string) {
    let start = 0
    this.#lines = source.split(/(?<=\r\n|\r(?!\n)|\n)/).map(text => {
      const line = { start, text }
      start += text.length
      return line
    })
  }

  /** The lines from `first` to `end`, exclusive. */
  text(first: number, end: number): string {
    return this.#lines
      .slice(first, end)
      .map(({ text }) => text.trimEnd())
      .join('\n')
  }

  /** Maps a text of several lines. Each line is the end of a line of the source, from the line `first`. */
  ofBlock(text: string, first: number): Stretch[] {
    let from = 0
    return text.split('\n').map((line, index) => {
      const words = line.trim()
      const { start, text: whole } = this.#lines[first + index] ?? { start: 0, text: '' }
      const column = words === '' ? 0 : whole.lastIndexOf(words) - (line.length - line.trimStart().length)
      const stretch = { from, source: start + column }
      from += line.length + 1
      return stretch
    })
  }

  /**
   * Maps a cell of a table. The source has a backslash before each vertical bar. `after` is the offset where the previous cell of the row
   * ended.
   */
  ofCell(text: string, line: number, after: number): { stretches: Stretch[]; end: number } {
    const { start, text: whole } = this.#lines[line] ?? { start: 0, text: '' }
    const source = text.replaceAll('|', '\\|')
    const at = Math.max(start + whole.indexOf(source, Math.max(after - start, 0)), start)
    const bars = [...text.matchAll(/\|/g)].map(({ index }, count) => ({ from: index, source: at + index + count + 1 }))
    return { stretches: [{ from: 0, source: at }, ...bars], end: at + source.length }
  }
}

/**
 * Maximum number of elements. Emphasis and links end with their part and begin again in the next part; above this number, they are omitted.
 */
const ELEMENTS_MAX = 5_000

const whole = recordPlaces(createInSteps())
const cheap = recordPlaces(createInSteps()).disable(COSTLY_RULES)

/** Shows words of a part: `noted` with the note of the part, `unnoted` without it if the next cell of the row has the note. */
export type ShowPart = Record<'noted' | 'unnoted', (part: number, words: Html) => Html>

/** An inline element. A part can end within it. */
type Element = { open: () => string; close: () => string }

/** The markup of one block. Elements are opened only within the words of one part, so that each part is one piece of markup. */
class Runs {
  readonly #show: ShowPart
  readonly #budget: { elements: number }
  readonly #wanted: Element[] = []
  readonly #opened: (Element | undefined)[] = []
  #done = ''
  #words = ''
  #blank = ''
  #part = -1

  constructor(show: ShowPart, budget: { elements: number }) {
    this.#show = show
    this.#budget = budget
  }

  enter(element: Element): void {
    this.#wanted.push(element)
  }

  leave(): void {
    if (this.#opened.length === this.#wanted.length) this.#close()
    this.#wanted.pop()
  }

  /** Adds words of a part. The elements that contain the words are opened before `markup` is called. */
  add(part: number, markup: () => string): void {
    if (part !== this.#part) this.#finish('noted')
    this.#part = part
    this.#words += this.#blank
    this.#blank = ''
    for (const element of this.#wanted.slice(this.#opened.length)) {
      this.#budget.elements += 1
      const open = this.#budget.elements > ELEMENTS_MAX ? undefined : element
      this.#opened.push(open)
      this.#words += open?.open() ?? ''
    }
    this.#words += markup()
  }

  /** Adds the space after words. It belongs to no part. */
  space(markup: string): void {
    this.#blank += markup
  }

  end(): string {
    this.#finish('noted')
    return this.#done
  }

  /** Ends the block of a cell if the next cell has the note of its last part. */
  endUnnoted(): string {
    this.#finish('unnoted')
    return this.#done
  }

  #close(): void {
    this.#words += this.#opened.pop()?.close() ?? ''
  }

  #finish(look: keyof ShowPart): void {
    while (this.#opened.length > 0) this.#close()
    if (this.#words !== '') this.#done += this.#show[look](this.#part, raw(this.#words)).markup
    this.#done += this.#blank
    this.#words = ''
    this.#blank = ''
  }
}

/** The first index from 0 to `last` for which a monotonic condition is true; otherwise `last`. */
function firstIndex(last: number, condition: (index: number) => boolean): number {
  let [low, high] = [0, last]
  while (low < high) {
    const middle = (low + high) >> 1
    if (condition(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** The parts of a source in order, given where each of them ends. */
function createParts(ends: readonly number[]) {
  const at = (offset: number): number => firstIndex(ends.length - 1, part => (ends[part] ?? 0) > offset)
  return {
    /** Divides words at the points where the part changes. The words begin at the index `start` of the text of a block. */
    cut(words: string, start: number, stretches: readonly Stretch[]): { part: number; words: string }[] {
      const cuts: { part: number; words: string }[] = []
      let stretch = firstIndex(stretches.length - 1, index => (stretches[index + 1]?.from ?? 0) > start)
      for (let index = start; index < start + words.length; ) {
        while ((stretches[stretch + 1]?.from ?? Number.POSITIVE_INFINITY) <= index) stretch += 1
        const { from, source } = stretches[stretch] ?? { from: 0, source: 0 }
        const part = at(index - from + source)
        const partEnd = part >= ends.length - 1 ? Number.POSITIVE_INFINITY : (ends[part] ?? 0) - source + from
        const next = Math.min(partEnd, stretches[stretch + 1]?.from ?? partEnd, start + words.length)
        const text = words.slice(index - start, next - start)
        const last = cuts.at(-1)
        if (last?.part === part) last.words += text
        else cuts.push({ part, words: text })
        index = next
      }
      return cuts
    },
  }
}

type Parts = ReturnType<typeof createParts>

/**
 * Renders untrusted Markdown as `markup` does, and shows the words of each part with `show`. `ends` contains the offset where each part
 * ends. Also shows definitions of addresses, because they have an author and determine where links lead. Yields where other work may run.
 */
export function* layeredMarkup(content: string, ends: readonly number[], show: ShowPart): Generator<undefined, Html> {
  const markdown = isModest(content) ? whole : cheap
  const env: Environment = { addresses: 0, open: [] }
  const tokens = yield* parsing(markdown, content, env)
  const lines = new SourceLines(content)
  const parts = createParts(ends)
  const budget = { elements: 0 }
  const lastCells = lastCellsOf(tokens)
  const linesOf = (text: string, first: number): string => {
    const runs = new Runs(show, budget)
    for (const { part, words } of parts.cut(text, 0, lines.ofBlock(text, first))) addText(runs, part, words)
    return runs.end()
  }
  let [row, after] = [0, 0]
  const inlineOf = function* (token: Token): Generator<undefined, string> {
    const cell = token.map == null ? lines.ofCell(token.content, row, after) : undefined
    after = cell?.end ?? 0
    const runs = new Runs(show, budget)
    yield* addInline(runs, token, cell?.stretches ?? lines.ofBlock(token.content, token.map?.[0] ?? 0), parts, env)
    return cell === undefined || lastCells.has(token) ? runs.end() : runs.endUnnoted()
  }
  const viewOf = function* (token: Token, index: number): Generator<undefined, string> {
    const [first, end] = token.map ?? [0, 0]
    if (token.type === 'tr_open') [row, after] = [first, 0]
    if (token.type === 'inline') return yield* inlineOf(token)
    if (token.type === 'fence') return preformatted(linesOf(token.content, first + 1))
    if (token.type === 'code_block') return preformatted(linesOf(token.content, first))
    if (token.type === 'reference_definition') return `<p class="small">${linesOf(lines.text(first, end), first)}</p>`
    return tokenView(markdown, tokens, index, env)
  }
  let shown = ''
  for (const [index, token] of tokens.entries()) {
    shown += yield* viewOf(token, index)
    if (index % PAUSE === PAUSE - 1) yield
  }
  return raw(shown)
}

/** The last cell of each row that contains words. It shows the notes of the parts of the row. */
function lastCellsOf(tokens: readonly Token[]): Set<Token> {
  const cells = new Set<Token>()
  let last: Token | undefined
  for (const token of tokens) {
    if (token.type === 'inline' && token.content.trim() !== '') last = token
    if (token.type === 'tr_close' && last !== undefined) cells.add(last)
    if (token.type === 'tr_open') last = undefined
  }
  return cells
}

function addText(runs: Runs, part: number, text: string): void {
  const words = text.trimEnd()
  if (words !== '') runs.add(part, () => visible(words).markup)
  runs.space(visible(text.slice(words.length)).markup)
}

function* addInline(
  runs: Runs,
  { content, children }: Token,
  stretches: Stretch[],
  parts: Parts,
  env: Environment,
): Generator<undefined, void> {
  const tokens = children ?? []
  const cutsOf = (index: number) => parts.cut(tokens[index]?.content ?? '', placeOf(tokens, index, content), stretches)
  /** Words that do not occur in the source belong to the part in which their token begins. */
  const partOf = (index: number): number => parts.cut(' ', placeOf(tokens, index, content), stretches)[0]?.part ?? 0
  const enterLink = (target: string): void =>
    runs.enter({ open: () => openLink(target, env), close: () => closeLink(env) })
  let links = 0
  const addImage = (address: string, index: number): void => {
    if (links === 0) enterLink(address)
    runs.add(partOf(index), () => '<span class="kind">image</span> ')
    for (const { part, words } of cutsOf(index)) addText(runs, part, words)
    if (tokens[index]?.content === '') addText(runs, partOf(index), address)
    if (links === 0) runs.leave()
  }
  for (const [index, token] of tokens.entries()) {
    if (index % PAUSE === PAUSE - 1) yield
    const { type, tag, nesting } = token
    if (type === 'link_open') links += 1
    if (type === 'link_close') links -= 1
    if (type === 'text') for (const { part, words } of cutsOf(index)) addText(runs, part, words)
    else if (type === 'text_special') addText(runs, partOf(index), token.content)
    else if (type === 'code_inline')
      for (const { part, words } of cutsOf(index)) runs.add(part, () => `<code>${visible(words).markup}</code>`)
    else if (type === 'task') runs.add(partOf(index), () => checkbox(token))
    else if (type === 'softbreak') runs.space('\n')
    else if (type === 'hardbreak') runs.space('<br>\n')
    else if (type === 'image') addImage(String(token.attrGet('src') ?? ''), index)
    else if (type === 'link_open') enterLink(hrefOf(token))
    else if (nesting > 0) runs.enter({ open: () => `<${tag}>`, close: () => `</${tag}>` })
    if (type === 'link_close' && tokens[index - 1]?.type === 'link_open')
      addText(runs, partOf(index - 1), hrefOf(tokens[index - 1]))
    if (nesting < 0) runs.leave()
  }
}
