import type { Piece } from '../browser/difference.js'
import { everyCharacter, type Html, html, NOTHING, type Part } from '../html.ts'
import { many } from './components.ts'

/** Number of unchanged lines that are shown on each side of a change. Further lines are folded. */
const CONTEXT = 3

/** A line of a difference: its parts in order, and whether it is in a block of code. */
type Line = { parts: Piece[]; isChanged: boolean; isCode: boolean }
/** Neighbouring parts of a text that are all changed, or all unchanged. */
export type Group<T> = { isChanged: boolean; items: T[] }

/** Number of lines that are cut before other work may run. */
const PAUSE = 1_000

/** A difference as groups of lines. Yields where other work may run. */
export function* groupsOf(pieces: readonly Piece[]): Generator<undefined, Group<Line>[]> {
  const groups: Group<Line>[] = []
  let count = 0
  for (const line of linesOf(pieces)) {
    const last = groups.at(-1)
    if (last?.isChanged === line.isChanged) last.items.push(line)
    else groups.push({ isChanged: line.isChanged, items: [line] })
    count += 1
    if (count % PAUSE === 0) yield
  }
  return groups
}

/** The markup of a change, with its number on the page. */
export type Numbered = (view: Html) => Html

/** Numbers the changes of a page, from 1. Each has the id `change-N`, and links to itself and its neighbours. */
export function numbering(count: number): Numbered {
  let number = 0
  const link = (to: number, name: string): Html =>
    to < 1 || to > count ? NOTHING : html` <a href="#change-${to}">${name}</a>`
  return view => {
    number += 1
    return html`<div class="change" id="change-${number}" tabindex="-1"><p class="at" dir="ltr">${link(number, `Change ${number} of ${count}`)}${link(number - 1, '↑ Previous')}${link(number + 1, '↓ Next')}</p>${view}</div>`
  }
}

type Kinds = readonly Piece['kind'][]
const EARLIER: Kinds = ['same', 'gone']
const LATER: Kinds = ['same', 'new']
const BOTH: Kinds = ['same', 'gone', 'new']

/**
 * A difference as markup: deletions as `del`, insertions as `ins`, code as `code`. Long unchanged parts are folded and invisible characters
 * are named. In two columns, the first has the earlier text of each change and the second the later one. Yields where other work may run.
 */
export function* differenceView(
  groups: readonly Group<Line>[],
  numbered: Numbered,
  columns: boolean,
): Generator<undefined, Html> {
  const parts: Html[] = []
  for (const [index, { isChanged, items }] of groups.entries()) {
    const sides = { after: index > 0, before: index < groups.length - 1 }
    if (!isChanged) parts.push(yield* unchanged(items, linesView, sides, CONTEXT, 'line'))
    else if (columns) parts.push(numbered(sideBySide(yield* linesView(items, EARLIER), yield* linesView(items, LATER))))
    else parts.push(numbered(yield* linesView(items)))
  }
  return html`<div class="difference" dir="auto">${parts}</div>`
}

/** The earlier and the later text of a change in two columns. */
export const sideBySide = (before: Part, after: Part): Html =>
  html`<div class="both"><div role="group" aria-label="Before">${before}</div><div role="group" aria-label="After">${after}</div></div>`

const FENCE = /^ {0,3}(?:```|~~~)/

/** Cuts pieces into lines. The earlier and the later text each have their own blocks of code. */
function* linesOf(pieces: readonly Piece[]): Generator<Line> {
  let parts: Piece[] = []
  const line = { gone: '', new: '' }
  const isOpen = { gone: false, new: false }
  const end = (): Line => {
    let isCode = false
    for (const side of ['gone', 'new'] as const) {
      if (line[side] === '') continue
      const isFence = FENCE.test(line[side])
      isCode = isOpen[side] || isFence
      if (isFence) isOpen[side] = !isOpen[side]
      line[side] = ''
    }
    const ended = { parts, isChanged: parts.some(({ kind }) => kind !== 'same'), isCode }
    parts = []
    return ended
  }
  for (const { kind, text } of pieces) {
    for (const part of text.match(/[^\n]*\n|[^\n]+/g) ?? []) {
      parts.push({ kind, text: part })
      if (kind !== 'new') line.gone += part
      if (kind !== 'gone') line.new += part
      if (part.endsWith('\n')) yield end()
    }
  }
  if (parts.length > 0) yield end()
}

/** Parts of some kinds of lines as markup. Neighbouring lines of code are one block of code, and neighbouring other lines one text. */
function* linesView(lines: readonly Line[], kinds: Kinds = BOTH): Generator<undefined, Html> {
  const texts: Line[] = []
  for (const [index, { parts, isCode, isChanged }] of lines.entries()) {
    if (index % PAUSE === PAUSE - 1) yield
    const last = texts.at(-1)
    const text = last?.isCode === isCode ? last : { parts: [], isCode, isChanged }
    if (text !== last) texts.push(text)
    for (const { kind, text: words } of parts) {
      if (!kinds.includes(kind)) continue
      const part = text.parts.at(-1)
      if (part?.kind === kind) part.text += words
      else text.parts.push({ kind, text: words })
    }
  }
  const shown: Html[] = []
  for (const text of texts) shown.push(yield* textView(text))
  return html`${shown}`
}

/** Code within a line. A pattern that takes time in proportion to the text. */
const CODE = /(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)/g

/** A text with its code apart, so that a text in another direction does not reorder it. */
function* textView({ parts, isCode }: Line): Generator<undefined, Html> {
  if (isCode) return html`<code>${yield* partsView(parts)}</code>`
  const text = parts.map(part => part.text).join('')
  const shown: Html[] = []
  let from = 0
  for (const { 0: code, index } of text.matchAll(CODE)) {
    const [before, within] = [cut(parts, from, index), cut(parts, index, index + code.length)]
    shown.push(html`${yield* partsView(before)}<code>${yield* partsView(within)}</code>`)
    from = index + code.length
  }
  return html`${shown}${yield* partsView(cut(parts, from, text.length))}`
}

function* partsView(parts: readonly Piece[]): Generator<undefined, Html> {
  const shown: Html[] = []
  for (const part of parts) {
    shown.push(partView(part))
    yield
  }
  return html`${shown}`
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

/** Whether unchanged text is after a change, and whether it is before one. */
type ChangedSides = { after?: boolean; before?: boolean }

/** Unchanged parts of a text. Those that are further than `context` from a change are folded, if they are many. */
export function* unchanged<T>(
  items: readonly T[],
  show: (items: readonly T[]) => Generator<undefined, Html>,
  beside: ChangedSides,
  context: number,
  noun: string,
): Generator<undefined, Html> {
  const head = beside.after ? context : 0
  const end = items.length - (beside.before ? context : 0)
  if (end - head < 2 * context) return yield* show(items)
  const folded = fold(many(end - head, `unchanged ${noun}`), yield* show(items.slice(head, end)))
  return html`${yield* show(items.slice(0, head))}${folded}${yield* show(items.slice(end))}`
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
export function sizeOf(pieces: readonly Piece[]): { gone: number; came: number } {
  const size = (kind: 'gone' | 'new'): number =>
    pieces.filter(piece => piece.kind === kind).reduce((sum, { text }) => sum + [...text].length, 0)
  return { gone: size('gone'), came: size('new') }
}
