import { byteTable } from '../byte-table.ts'

/** A text with fewer UTF-16 units is not a piece of its own: it begins the next piece. */
const SHORTEST = 3

const [BLANK, LINE, STOP, FULL_STOP, CLOSER] = [1, 2, 3, 4, 5] as const

/** The kind of each UTF-16 unit; 0 for letters and all others. */
const KINDS = byteTable([
  [' \t\r\f\v\u00a0\u2002\u2003\u2009\u200a\u202f\u205f\u3000', BLANK],
  ['\n\u2028\u2029', LINE],
  ['.!?…؟۔।॥։።፧។៕', STOP],
  ['。！？｡．', FULL_STOP],
  ['"\')]}”’»›」』）】》〉*_`', CLOSER],
])

/** The characters that may end a piece. The regular expression finds them many times faster than a loop. */
const MARK = /[\n\u2028\u2029.!?…؟۔।॥։።፧។៕。！？｡．]/g

// The engine optimises a pattern for the first texts that it searches. Without marks in them it skips to rare marks several times faster.
for (const letters of ['a'.repeat(200), 'b'.repeat(200)]) MARK.test(letters)

/** Called for the piece `text.slice(from, to)`. `end` excludes the blank space at its end. A visit that returns true is the last. */
export type Visit = (from: number, to: number, end: number) => unknown

/**
 * Visits the sentences and lines of a text in order, from `start`, where one begins. Concatenated, they are the text. A sentence ends with
 * its line, at a stop before blank space, or at a Chinese or Japanese full stop. It includes the blank space after it, but not the
 * indentation of the next line. The number of a list item ends no sentence. Offsets are UTF-16 units. Takes time proportional to the text.
 */
export function visitPieces(text: string, start: number, visit: Visit): void {
  let from = start
  let at = start
  while (at < text.length) {
    MARK.lastIndex = at
    if (!MARK.test(text)) break
    const marked = MARK.lastIndex - 1
    const mark = kindAt(text, marked)
    at = marked + 1
    if (mark === LINE ? at - from < SHORTEST : isShort(text, from, marked)) continue
    let line = mark === LINE
    let full = mark === FULL_STOP
    if (!line) for (; kindAt(text, at) >= STOP; at++) full ||= kindAt(text, at) === FULL_STOP
    const end = line ? trimmed(text, from, marked) : at
    let to = line || full ? at : 0
    for (let kind = kindAt(text, at); kind === BLANK || kind === LINE; kind = kindAt(text, at)) {
      at++
      line ||= kind === LINE
      if (kind === LINE || !line) to = at
    }
    if (to === 0 || at === text.length) continue
    if (visit(from, to, end) === true) return
    from = to
  }
  if (from < text.length) visit(from, text.length, trimmed(text, from, text.length))
}

const kindAt = (text: string, at: number): number => KINDS[text.charCodeAt(at)] ?? 0

/** The end of a piece without the blank space at its end. */
function trimmed(text: string, from: number, to: number): number {
  let end = to
  for (; end > from; end--) {
    const kind = kindAt(text, end - 1)
    if (kind !== BLANK && kind !== LINE) break
  }
  return end
}

/** The maximum UTF-16 units of the number of a list item. */
const NUMBER_MAX = 8

/** Whether the text before a stop is too short for a sentence, or is the number of a list item. */
const isShort = (text: string, from: number, at: number): boolean =>
  kindAt(text, at) === STOP &&
  (at - from < SHORTEST - 1 || (at - from <= NUMBER_MAX && /^\s*\d+$/.test(text.slice(from, at))))

/** The sentences and lines of a text in order. Concatenated, they are the text. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  visitPieces(text, 0, (from, to) => void pieces.push(text.slice(from, to)))
  return pieces
}
