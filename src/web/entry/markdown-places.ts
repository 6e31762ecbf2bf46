import type { Token } from 'markdown-it'
import { loadMarkdownIt } from '../../domain/markdown-parser.ts'

const MarkdownIt = loadMarkdownIt()
type Parser = InstanceType<typeof MarkdownIt>

/** Where a token begins in the text that its block passed to the inline parser. */
const places = new WeakMap<Token, number>()

/** Records the place of each inline token, which the parser itself drops. */
class PlacedInline extends MarkdownIt.StateInline {
  override pushPending(): Token {
    // What the parser cut off the end of the pending text is blank or the scheme of an address.
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

/** Makes a parser keep inline tokens apart, each with its place, and the definitions of addresses. */
export function recordPlaces(markdown: Parser): Parser {
  markdown.inline.State = PlacedInline
  markdown.inline.ruler2.disable('fragments_join')
  markdown.core.ruler.disable(['strip_references', 'linkify', 'text_join'])
  return markdown
}

/** Where the shown words of an inline token begin in the text of its block. */
export function placeOf(tokens: readonly Token[], index: number, text: string): number {
  const token = tokens[index]
  const at = token === undefined ? 0 : (places.get(token) ?? 0)
  if (token === undefined) return at
  if (token.type === 'image') return at + '!['.length
  if (token.type === 'code_inline') {
    const from = at + token.markup.length
    const whole = text.slice(from, from + token.content.length).replaceAll('\n', ' ') === token.content
    return whole ? from : from + 1
  }
  // The place of a bare address is its colon, and that of one in angle brackets is the bracket.
  if (tokens[index - 1]?.info === 'auto' && token.type === 'text') return text.lastIndexOf(token.content, at + 1)
  return at
}

/** From the index `from` of a block's text on, the text stands in the source at `source`. */
export type Stretch = { from: number; source: number }

/** The lines of a source, and where the texts of its blocks stand in it. */
export class SourceLines {
  readonly #lines: readonly { start: number; text: string }[]

  constructor(source: string) {
    let start = 0
    this.#lines = source.split(/(?<=\r\n|\r(?!\n)|\n)/).map(text => {
      const line = { start, text }
      start += text.length
      return line
    })
  }

  /** The lines from `first` up to `end`. */
  text(first: number, end: number): string {
    return this.#lines
      .slice(first, end)
      .map(({ text }) => text.trimEnd())
      .join('\n')
  }

  /** A text of several lines, each of them the end of a line of the source, from the line `first` on. */
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

  /** A cell of a table, whose bars have a backslash in the source. `after` is where the previous cell of the row ended. */
  ofCell(text: string, line: number, after: number): { stretches: Stretch[]; end: number } {
    const { start, text: whole } = this.#lines[line] ?? { start: 0, text: '' }
    const source = text.replaceAll('|', '\\|')
    const at = Math.max(start + whole.indexOf(source, Math.max(after - start, 0)), start)
    const bars = [...text.matchAll(/\|/g)].map(({ index }, count) => ({ from: index, source: at + index + count + 1 }))
    return { stretches: [{ from: 0, source: at }, ...bars], end: at + source.length }
  }
}
