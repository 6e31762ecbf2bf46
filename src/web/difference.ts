import type { Difference } from './browser/difference.js'
import { type Html, html } from './html.ts'
import { everyCharacter } from './visible.ts'

/** Unchanged lines that are shown on each side of a change. Further lines are folded. */
const CONTEXT = 3

/** A difference as markup: deletions as `del`, insertions as `ins`, long unchanged parts folded, invisible characters named. */
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

/** The numbers of deleted and inserted characters, for the line above a difference. */
export function sizeOf({ pieces }: Difference): { gone: number; came: number } {
  const size = (kind: 'gone' | 'new'): number =>
    pieces.filter(piece => piece.kind === kind).reduce((sum, { text }) => sum + [...text].length, 0)
  return { gone: size('gone'), came: size('new') }
}
