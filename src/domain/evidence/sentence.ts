import { byteTable } from '../byte-table.ts'

/** A shorter text, in UTF-16 units, is not a piece of its own: it begins the next piece. */
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

// The engine compiles a pattern for the texts that it meets first: marks that are rare there are skipped to several times faster.
for (const letters of ['a'.repeat(200), 'b'.repeat(200)]) MARK.test(letters)

/** A piece is `text.slice(from, to)`; up to `end` it is without the blank space that ends it. A visit that returns true is the last. */
export type Visit = (from: number, to: number, end: number) => unknown

/**
 * Visits the sentences and lines of a text in order, from a place where one begins. Together they are the text. A sentence ends with its line,
 * after a stop that blank space follows, and after a full stop of Chinese or Japanese. Blank space after it belongs to it, but not the indentation
 * of the next line. The number of a list ends nothing. Offsets are UTF-16 units. Takes time that is proportional to the text.
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

/** The end of a piece without the blank space that ends it. */
function trimmed(text: string, from: number, to: number): number {
  let end = to
  for (; end > from; end--) {
    const kind = kindAt(text, end - 1)
    if (kind !== BLANK && kind !== LINE) break
  }
  return end
}

/** The most UTF-16 units of the number of a list. */
const NUMBER_MAX = 8

/** Whether the text before a stop is too short for a sentence, or is the number of a list. */
const isShort = (text: string, from: number, at: number): boolean =>
  kindAt(text, at) === STOP &&
  (at - from < SHORTEST - 1 || (at - from <= NUMBER_MAX && /^\s*\d+$/.test(text.slice(from, at))))

/** The sentences and lines of a text in order; joined they are the text. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  visitPieces(text, 0, (from, to) => void pieces.push(text.slice(from, to)))
  return pieces
}
