/**
 * A common part of two lists: `count` equal items, from index `a` in the first list and from index `b` in the second.
 * @typedef {{ a: number, b: number, count: number }} Match
 */
/** A part of two compared texts, in order: in both, only in the earlier or only in the later text. @typedef {{ kind: 'same' | 'gone' | 'new', text: string }} Piece */
/**
 * `by` is the unit of comparison: words; lines if the texts differ in too many words; the whole texts if they differ in too many lines.
 * @typedef {{ by: 'words' | 'lines' | 'whole', pieces: Piece[] }} Difference
 */

/** The maximum number of edits. Lists with more edits are treated as different between their common beginning and end. */
const MOST_EDITS = 1_200

/**
 * The longest common parts of two lists, in order (Myers 1986, greedy). Time and memory are bounded by MOST_EDITS.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {Match[]}
 */
export const matches = (before, after) => compared(before, after).found

/**
 * The common parts, and whether they are complete: above MOST_EDITS they are only the equal beginning and end.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {{ found: Match[], all: boolean }}
 */
function compared(before, after) {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  const inner = innerMatches(before.slice(head, before.length - tail), after.slice(head, after.length - tail))
  const found = [
    { a: 0, b: 0, count: head },
    ...(inner ?? []).map(({ a, b, count }) => ({ a: a + head, b: b + head, count })),
    { a: before.length - tail, b: after.length - tail, count: tail },
  ].filter(({ count }) => count > 0)
  return { found, all: inner !== undefined }
}

/**
 * The common parts; undefined above MOST_EDITS.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {Match[] | undefined}
 */
function innerMatches(before, after) {
  if (before.length === 0 || after.length === 0) return []
  const most = Math.min(MOST_EDITS, before.length + after.length)
  const middle = most + 1
  const furthest = new Int32Array(2 * most + 3)
  /** The furthest point on each diagonal after each number of edits; diagonal k of round d is at index k + d. @type {Int32Array[]} */
  const rounds = []
  for (let edits = 0; edits <= most; edits += 1) {
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && at(furthest, middle + k - 1) < at(furthest, middle + k + 1))
      let x = down ? at(furthest, middle + k + 1) : at(furthest, middle + k - 1) + 1
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1
      furthest[middle + k] = x
      if (x >= before.length && x - k >= after.length) return walkBack(rounds, before.length, after.length)
    }
    rounds.push(furthest.slice(middle - edits, middle + edits + 1))
  }
  return undefined
}

/**
 * @param {Int32Array[]} rounds
 * @param {number} length of the list before
 * @param {number} afterLength
 * @returns {Match[]}
 */
function walkBack(rounds, length, afterLength) {
  /** @type {Match[]} */
  const found = []
  let x = length
  let y = afterLength
  for (let edits = rounds.length; edits > 0; edits -= 1) {
    const earlier = rounds[edits - 1] ?? new Int32Array(1)
    const reached = (/** @type {number} */ k) => (Math.abs(k) < edits ? at(earlier, k + edits - 1) : -1)
    const k = x - y
    const down = k === -edits || (k !== edits && reached(k - 1) < reached(k + 1))
    const fromX = down ? reached(k + 1) : reached(k - 1)
    const startX = down ? fromX : fromX + 1
    if (x > startX) found.unshift({ a: startX, b: startX - k, count: x - startX })
    x = fromX
    y = fromX - (down ? k + 1 : k - 1)
  }
  if (x > 0) found.unshift({ a: 0, b: 0, count: x })
  return found
}

/** @param {Int32Array} list @param {number} index */
const at = (list, index) => list[index] ?? 0

/** Its dictionaries take several milliseconds to load. @type {Intl.Segmenter | undefined} */
let segmenter

/**
 * Splits a text of any script into words, spaces and signs.
 * @param {string} text
 * @returns {string[]}
 */
export function wordsOf(text) {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/**
 * Splits a text into lines, each with its line end.
 * @param {string} text
 * @returns {string[]}
 */
export const linesOf = text => text.match(/[^\n]*\n|[^\n]+/g) ?? []

/**
 * Moves each insertion and each deletion as far to the front as the result stays the same, so that an inserted line begins at its first
 * character.
 * @param {readonly Match[]} found
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {Match[]}
 */
function slid(found, before, after) {
  const moved = found.map(match => ({ ...match }))
  moved.forEach((match, index) => {
    const next = moved[index + 1]
    if (next === undefined) return
    const onlyNew = match.a + match.count === next.a
    const onlyGone = match.b + match.count === next.b
    if (!onlyNew && !onlyGone) return
    const [list, end, begin] = onlyNew
      ? [after, () => match.b + match.count, () => next.b]
      : [before, () => match.a + match.count, () => next.a]
    while (next.count > 0 && list[end()] === list[begin()]) {
      match.count += 1
      next.a += 1
      next.b += 1
      next.count -= 1
    }
  })
  return moved
}

/**
 * The difference of two texts, in reading order. It depends only on the texts, not on time.
 * @param {string} before
 * @param {string} after
 * @returns {Difference}
 */
export function difference(before, after) {
  for (const [by, cut] of /** @type {const} */ ([
    ['words', wordsOf],
    ['lines', linesOf],
  ])) {
    const from = cut(before)
    const to = cut(after)
    const { found, all } = compared(from, to)
    if (all) return { by, pieces: piecesOf(slid(found, from, to), from, to) }
  }
  return { by: 'whole', pieces: piecesOf([], [before], [after]) }
}

/**
 * @param {readonly Match[]} found
 * @param {readonly string[]} from
 * @param {readonly string[]} to
 * @returns {Piece[]}
 */
function piecesOf(found, from, to) {
  /** @type {Piece[]} */
  const pieces = []
  let a = 0
  let b = 0
  for (const match of [...found, { a: from.length, b: to.length, count: 0 }]) {
    pieces.push(
      { kind: 'gone', text: from.slice(a, match.a).join('') },
      { kind: 'new', text: to.slice(b, match.b).join('') },
      { kind: 'same', text: to.slice(match.b, match.b + match.count).join('') },
    )
    a = match.a + match.count
    b = match.b + match.count
  }
  return pieces.filter(({ text }) => text !== '')
}
