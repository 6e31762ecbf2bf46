import { diffArrays, diffWordsWithSpace } from 'diff'
import { type Html, html } from './html.ts'
import { everyCharacter } from './visible.ts'

/** A stretch of two compared texts, in order: in both, only in the earlier or only in the later one. */
export type Piece = { kind: 'same' | 'gone' | 'new'; text: string }
export type Difference = {
  pieces: Piece[]
  /** What was compared: words where there was time for it, else whole lines, else the texts as wholes. */
  by: 'words' | 'lines' | 'whole'
}

/** Milliseconds that each attempt may take. */
const PATIENCE = 40
/** Lines of sameness shown on each side of a change; more are folded away. */
const CONTEXT = 3

/** Compares two texts in bounded time, whatever they are. */
export function difference(before: string, after: string): Difference {
  if (before === after) return { by: 'words', pieces: [{ kind: 'same', text: after }] }
  const words = diffWordsWithSpace(before, after, { timeout: PATIENCE })
  if (words !== undefined)
    return { by: 'words', pieces: words.map(({ value, added, removed }) => pieceOf(value, added, removed)) }
  const lines = diffArrays(before.split(/(?<=\n)/), after.split(/(?<=\n)/), { timeout: PATIENCE })
  if (lines !== undefined) {
    return { by: 'lines', pieces: lines.map(({ value, added, removed }) => pieceOf(value.join(''), added, removed)) }
  }
  return {
    by: 'whole',
    pieces: [
      { kind: 'gone', text: before },
      { kind: 'new', text: after },
    ],
  }
}

const pieceOf = (text: string, added: boolean, removed: boolean): Piece => ({
  kind: added ? 'new' : removed ? 'gone' : 'same',
  text,
})

/** A difference as markup: what went and what came as `del` and `ins`, long sameness folded away, every unseen character named. */
export function differenceView({ pieces }: Difference): Html {
  return html`<div class="difference" dir="auto">${pieces.map(({ kind, text }, index) =>
    kind === 'new'
      ? html`<ins>${everyCharacter(text)}</ins>`
      : kind === 'gone'
        ? html`<del>${everyCharacter(text)}</del>`
        : sameView(text, index === 0, index === pieces.length - 1),
  )}</div>`
}

function sameView(text: string, first: boolean, last: boolean): Html {
  const lines = text.split(/(?<=\n)/)
  const head = first ? 0 : CONTEXT
  const tail = last ? 0 : CONTEXT
  const folded = lines.length - head - tail
  if (folded < 2 * CONTEXT) return everyCharacter(text)
  const part = (from: number, to: number): Html => everyCharacter(lines.slice(from, to).join(''))
  return html`${part(0, head)}<details class="folded"><summary>${folded} unchanged lines</summary>${part(head, lines.length - tail)}</details>${part(lines.length - tail, lines.length)}`
}

/** How much went and came, in characters, for the line above a difference. */
export function sizeOf({ pieces }: Difference): { gone: number; came: number } {
  const size = (kind: Piece['kind']): number =>
    pieces.filter(piece => piece.kind === kind).reduce((sum, { text }) => sum + [...text].length, 0)
  return { gone: size('gone'), came: size('new') }
}
