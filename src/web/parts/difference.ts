import type { Difference } from '../browser/difference.js'
import { everyCharacter, type Html, html } from '../html.ts'
import { many } from './components.ts'

/** Number of unchanged lines that are shown on each side of a change. Further lines are folded. */
const CONTEXT = 3

/** A difference as markup: deletions as `del`, insertions as `ins`. Long unchanged parts are folded and invisible characters are named. */
export function differenceView({ pieces }: Difference): Html {
  return html`<div class="difference" dir="auto">${pieces.map(({ kind, text }, index) =>
    kind === 'new'
      ? html`<ins>${everyCharacter(text)}</ins>`
      : kind === 'gone'
        ? html`<del>${everyCharacter(text)}</del>`
        : sameView(text, { after: index > 0, before: index < pieces.length - 1 }),
  )}</div>`
}

/** Whether an unchanged text is after a change, and whether it is before one. */
type ChangedSides = { after?: boolean; before?: boolean }

function sameView(text: string, beside: ChangedSides): Html {
  const lines = text.split(/(?<=\n)/)
  const head = beside.after ? CONTEXT : 0
  const tail = beside.before ? CONTEXT : 0
  const folded = lines.length - head - tail
  if (folded < 2 * CONTEXT) return shortened(text, beside)
  const part = (from: number, to: number): string => lines.slice(from, to).join('')
  return html`${shortened(part(0, head), { after: true })}${fold(many(folded, 'unchanged line'), part(head, lines.length - tail))}${shortened(part(lines.length - tail, lines.length), { before: true })}`
}

const fold = (name: string, text: string): Html =>
  html`<details class="folded"><summary dir="ltr">${name}</summary>${everyCharacter(text)}</details>`

/** Maximum length of unchanged lines in characters. Longer ones are folded, except for their ends next to a change. */
const LONG = 1_500
const END = 300

/** An unchanged text of few lines. If it is long, the part that is not next to a change is folded. */
function shortened(text: string, { after, before }: ChangedSides): Html {
  if (text.length <= LONG) return everyCharacter(text)
  const head = after ? (/^[\s\S]*\s/.exec(text.slice(0, END))?.[0].length ?? 0) : 0
  const tail = before ? (/\s[\s\S]*$/.exec(text.slice(-END))?.[0].length ?? 0) : 0
  const end = text.length - tail
  return html`${everyCharacter(text.slice(0, head))}${fold(many(end - head, 'unchanged character'), text.slice(head, end))}${everyCharacter(text.slice(end))}`
}

/** The difference in two columns: the earlier text with its deletions, the later text with its insertions. */
export const splitView = ({ by, pieces }: Difference): Html =>
  html`<div class="both">${differenceView({ by, pieces: pieces.filter(({ kind }) => kind !== 'new') })}${differenceView({ by, pieces: pieces.filter(({ kind }) => kind !== 'gone') })}</div>`

const PIECE = /[^\n.!?。]*[\n.!?。]|[^\n.!?。]+/g

/**
 * Estimates the numbers of deleted and inserted characters in time proportional to the texts. Compares whole sentences between the first
 * and the last change.
 */
export function sizeOfChange(before: string, after: string): { gone: number; came: number } {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  const left = new Map<string, number>()
  let gone = 0
  let came = 0
  for (const piece of before.slice(head, before.length - tail).match(PIECE) ?? []) {
    left.set(piece, (left.get(piece) ?? 0) + 1)
    gone += piece.length
  }
  for (const piece of after.slice(head, after.length - tail).match(PIECE) ?? []) {
    const count = left.get(piece) ?? 0
    left.set(piece, count - 1)
    if (count > 0) gone -= piece.length
    else came += piece.length
  }
  return { gone, came }
}

/** The numbers of deleted and inserted characters, for the line above a difference. */
export function sizeOf({ pieces }: Difference): { gone: number; came: number } {
  const size = (kind: 'gone' | 'new'): number =>
    pieces.filter(piece => piece.kind === kind).reduce((sum, { text }) => sum + [...text].length, 0)
  return { gone: size('gone'), came: size('new') }
}
