import { type Difference, difference, type Piece } from '../browser/difference.js'
import { escapeHtml, type Html, raw } from '../html.ts'

/** Two rendered texts with their changes marked. */
export type RenderedDifference = {
  /** The earlier text, with its deleted words in `del`. */
  before: Html
  /** The later text, with its inserted words in `ins`. */
  after: Html
  by: Difference['by']
  /** Whether both texts have the same words. Then only the formatting can differ. */
  same: boolean
}

/** A piece of markup: a tag, or a text between two tags. */
type Token = { tag: string } | { text: string }

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#13': '\r' }

/** The tags and texts of markup in which every text and every attribute is escaped. */
const tokensOf = ({ markup }: Html): Token[] =>
  markup
    .split(/(<[^>]*>)/)
    .filter(part => part !== '')
    .map(part =>
      part.startsWith('<')
        ? { tag: part }
        : { text: part.replace(/&(amp|lt|gt|quot|#39|#13);/g, (whole, name: string) => ENTITIES[name] ?? whole) },
    )

const wordsOf = (tokens: readonly Token[]): string => tokens.map(token => ('text' in token ? token.text : '')).join('')

/** Compares two rendered texts by their words, and marks the changed words in both. Tags are not compared. */
export function renderedDifference(from: Html, to: Html): RenderedDifference {
  const [earlier, later] = [tokensOf(from), tokensOf(to)]
  const { by, pieces } = difference(wordsOf(earlier), wordsOf(later))
  return {
    before: marked(earlier, pieces, 'gone', 'del'),
    after: marked(later, pieces, 'new', 'ins'),
    by,
    same: pieces.every(({ kind }) => kind === 'same'),
  }
}

/** The markup of tokens, in which pieces of one kind are marked. A mark never contains a tag, and never only white space. */
function marked(tokens: readonly Token[], pieces: readonly Piece[], kind: Piece['kind'], mark: string): Html {
  const own = pieces.filter(piece => piece.kind === 'same' || piece.kind === kind)
  let at = 0
  let used = 0
  let markup = ''
  for (const token of tokens) {
    if ('tag' in token) {
      markup += token.tag
      continue
    }
    for (let from = 0; from < token.text.length; ) {
      const piece = own[at]
      const length = Math.min(
        token.text.length - from,
        piece === undefined ? Number.POSITIVE_INFINITY : piece.text.length - used,
      )
      const part = token.text.slice(from, from + length)
      const shown = escapeHtml(part)
      markup += piece?.kind === kind && part.trim() !== '' ? `<${mark}>${shown}</${mark}>` : shown
      from += length
      used += length
      if (piece !== undefined && used === piece.text.length) {
        at += 1
        used = 0
      }
    }
  }
  return raw(markup)
}
