import type { Token } from 'markdown-it'
import { loadMarkdownIt } from '../../domain/markdown-parser.ts'

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
export function recordPlaces(markdown: Parser): Parser {
  markdown.inline.State = PlacedInline
  markdown.inline.ruler2.disable('fragments_join')
  markdown.core.ruler.disable(['strip_references', 'linkify', 'text_join'])
  return markdown
}

/** The offset of the shown words of an inline token in the text of its block. */
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
  // The recorded offset of a bare address is that of its colon. The recorded offset of an address in angle brackets is that of the bracket.
  if (tokens[index - 1]?.info === 'auto' && token.type === 'text') return text.lastIndexOf(token.content, at + 1)
  return at
}

/** Maps the text of a block from the index `from` to the source from the index `source`. */
export type Stretch = { from: number; source: number }

/** The lines of a source, and the offsets of the texts of its blocks. */
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
