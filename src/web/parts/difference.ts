import type { Difference, Piece } from '../browser/difference.js'
import { everyCharacter, type Html, html } from '../html.ts'
import { many } from './components.ts'

/** Number of unchanged lines that are shown on each side of a change. Further lines are folded. */
const CONTEXT = 3

/** A line of a difference: its parts in order, and whether it is in a block of code. */
type Line = { parts: Piece[]; isChanged: boolean; isCode: boolean }

/**
 * A difference as markup: deletions as `del`, insertions as `ins`, code as `code`. Long unchanged parts are folded and invisible characters
 * are named. With `numbered`, each group of changed lines has the id `change-N`, from 1.
 */
export function differenceView({ pieces }: Difference, numbered = false): Html {
  const groups = groupsOf(linesOf(pieces))
  let number = 0
  const parts = groups.map((lines, index) => {
    if (!lines[0]?.isChanged) return sameView(lines, { after: index > 0, before: index < groups.length - 1 })
    number += 1
    return html`<div class="change"${numbered && html` id="change-${number}" tabindex="-1"`}>${lines.map(lineView)}</div>`
  })
  return html`<div class="difference" dir="auto">${parts}</div>`
}

/** Neighbouring lines that are all changed, or all unchanged. */
function groupsOf(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    const last = groups.at(-1)
    if (last?.[0]?.isChanged === line.isChanged) last.push(line)
    else groups.push([line])
  }
  return groups
}

/** The number of groups of changed lines. */
export const countChanges = ({ pieces }: Difference): number =>
  groupsOf(linesOf(pieces)).filter(([line]) => line?.isChanged).length

const FENCE = /^ {0,3}(?:```|~~~)/

function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Line[] = []
  let parts: Piece[] = []
  let isOpen = false
  const end = (): void => {
    if (parts.length === 0) return
    const text = parts.map(part => (part.kind === 'gone' ? '' : part.text)).join('')
    const isFence = FENCE.test(text)
    lines.push({ parts, isChanged: parts.some(({ kind }) => kind !== 'same'), isCode: isOpen || isFence })
    if (isFence) isOpen = !isOpen
    parts = []
  }
  for (const { kind, text } of pieces) {
    for (const part of text.split(/(?<=\n)/)) {
      parts.push({ kind, text: part })
      if (part.endsWith('\n')) end()
    }
  }
  end()
  return lines
}

/** Code within a line. A pattern that takes time in proportion to the line. */
const CODE = /(?<!`)(`{1,2})(?!`)[^`]+\1(?!`)/g

/** A line with its code apart, so that a text in another direction does not reorder it. */
function lineView({ parts, isCode }: Line): Html {
  if (isCode) return html`<code>${parts.map(partView)}</code>`
  const text = parts.map(part => part.text).join('')
  const shown: Html[] = []
  let from = 0
  for (const { 0: code, index } of text.matchAll(CODE)) {
    const [before, within] = [cut(parts, from, index), cut(parts, index, index + code.length)]
    shown.push(html`${before.map(partView)}<code>${within.map(partView)}</code>`)
    from = index + code.length
  }
  return html`${shown}${cut(parts, from, text.length).map(partView)}`
}

/** The parts of a line between two offsets. */
function cut(parts: readonly Piece[], from: number, end: number): Piece[] {
  let at = 0
  return parts.flatMap(({ kind, text }) => {
    const [start, stop] = [Math.max(from - at, 0), Math.min(end - at, text.length)]
    at += text.length
    return start < stop ? [{ kind, text: text.slice(start, stop) }] : []
  })
}

const partView = ({ kind, text }: Piece): Html =>
  kind === 'new'
    ? html`<ins>${everyCharacter(text)}</ins>`
    : kind === 'gone'
      ? html`<del>${everyCharacter(text)}</del>`
      : shortened(text, { after: true, before: true })

/** Whether unchanged lines are after a change, and whether they are before one. */
type ChangedSides = { after?: boolean; before?: boolean }

function sameView(lines: readonly Line[], beside: ChangedSides): Html {
  const head = beside.after ? CONTEXT : 0
  const tail = beside.before ? CONTEXT : 0
  const folded = lines.length - head - tail
  if (folded < 2 * CONTEXT) return html`${lines.map(lineView)}`
  return html`${lines.slice(0, head).map(lineView)}${fold(many(folded, 'unchanged line'), html`${lines.slice(head, lines.length - tail).map(lineView)}`)}${lines.slice(lines.length - tail).map(lineView)}`
}

const fold = (name: string, text: Html): Html =>
  html`<details class="folded"><summary dir="ltr">${name}</summary>${text}</details>`

/** Maximum length of an unchanged part of a line, in characters. Longer ones are folded, except for their ends next to a change. */
const LONG = 1_500
const END = 300

/** An unchanged part of a line. If it is long, the part that is not next to a change is folded. */
function shortened(text: string, { after, before }: ChangedSides): Html {
  if (text.length <= LONG) return everyCharacter(text)
  const head = after ? (/^[\s\S]*\s/.exec(text.slice(0, END))?.[0].length ?? 0) : 0
  const tail = before ? (/\s[\s\S]*$/.exec(text.slice(-END))?.[0].length ?? 0) : 0
  const end = text.length - tail
  return html`${everyCharacter(text.slice(0, head))}${fold(many(end - head, 'unchanged character'), everyCharacter(text.slice(head, end)))}${everyCharacter(text.slice(end))}`
}

/** The difference in two columns: the earlier text with its deletions, the later text with its insertions. */
export const splitView = ({ by, pieces }: Difference): Html =>
  html`<div class="both">${differenceView({ by, pieces: pieces.filter(({ kind }) => kind !== 'new') })}${differenceView({ by, pieces: pieces.filter(({ kind }) => kind !== 'gone') })}</div>`

/** The lengths of the equal beginning and of the equal end of two texts, which do not overlap. */
function commonEnds(before: string, after: string): { head: number; tail: number } {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  return { head, tail }
}

/** Maximum number of characters of the changed words on each side. */
const WORDS_SHOWN = 80

/** The whole words between the equal beginning and the equal end of two texts, shortened to one line. */
export function changedWords(before: string, after: string): Html {
  const { head, tail } = commonEnds(before, after)
  const start = before.slice(0, head).search(/\S*$/)
  const rest = /^\S*/.exec(before.slice(before.length - tail))?.[0].length ?? 0
  const part = (text: string): string => {
    const words = text
      .slice(start, text.length - tail + rest)
      .replace(/\s+/g, ' ')
      .trim()
    return words.length > WORDS_SHOWN ? `${words.slice(0, WORDS_SHOWN).toWellFormed()}…` : words
  }
  const [gone, came] = [part(before), part(after)]
  return html`<span class="changed" dir="auto">${gone !== '' && html`<del>${everyCharacter(gone)}</del> `}${came !== '' && html`<ins>${everyCharacter(came)}</ins>`}</span>`
}

const PIECE = /[^\n.!?。]*[\n.!?。]|[^\n.!?。]+/g

/**
 * Estimates the numbers of deleted and inserted characters in time proportional to the texts. Compares whole sentences between the first
 * and the last change.
 */
export function sizeOfChange(before: string, after: string): { gone: number; came: number } {
  const { head, tail } = commonEnds(before, after)
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
