/**
 * A common part of two lists: `count` equal items, from index `a` in the first list and from index `b` in the second.
 * @typedef {{ a: number, b: number, count: number }} Match
 */
/** A part of two compared texts, in order: in both, only in the earlier or only in the later text. @typedef {{ kind: 'same' | 'gone' | 'new', text: string }} Piece */
/** A list as numbers, equal for equal items, from index `from` to before `to`. @typedef {{ list: Int32Array, from: number, to: number }} Part */

/** The maximum number of steps of one comparison. */
const BUDGET = 1_000_000
const SHORT = 6
/** The number of items that are counted before a pause. */
const PAUSE = 4_000

/**
 * Finishes a work that pauses, without a pause.
 * @template T
 * @param {Generator<undefined, T>} work
 * @returns {T}
 */
export function atOnce(work) {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/**
 * Common parts of two lists, in order. Within the budget they are the longest (Myers 1986, greedy). Longer comparisons are cut at items, or
 * at three items in sequence, that both lists have once (patience diff), and their parts compared. Parts that still exceed the budget have nothing in common.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
export const matches = (before, after) => atOnce(matching(before, after, BUDGET))

/**
 * Like `matches`. Yields where other work may run.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @param {number} budget
 * @returns {Generator<undefined, Match[]>}
 */
export function* matching(before, after, budget = BUDGET) {
  /** @type {Map<string, number>} */
  const numbers = new Map()
  /** @type {Part[]} */
  const parts = []
  for (const items of [before, after]) {
    const list = new Int32Array(items.length)
    for (const [index, item] of items.entries()) {
      const number = numbers.get(item) ?? numbers.size
      numbers.set(item, number)
      list[index] = number
      if (index % PAUSE === 0) yield
    }
    parts.push({ list, from: 0, to: list.length })
  }
  const [one, other] = /** @type {[Part, Part]} */ (parts)
  const edits = before.length + after.length
  const trace = new Int32Array(Math.min(budget / 2, ((edits + 1) * (edits + 2)) / 2))
  return yield* compared(one, other, budget, trace)
}

/**
 * @param {Part} before
 * @param {Part} after
 * @param {number} budget
 * @param {Int32Array} trace the memory for a comparison
 * @returns {Generator<undefined, Match[]>}
 */
function* compared(before, after, budget, trace) {
  let head = 0
  const most = Math.min(before.to - before.from, after.to - after.from)
  while (head < most && before.list[before.from + head] === after.list[after.from + head]) head += 1
  let tail = 0
  while (tail < most - head && before.list[before.to - 1 - tail] === after.list[after.to - 1 - tail]) tail += 1
  const a = { ...before, from: before.from + head, to: before.to - tail }
  const b = { ...after, from: after.from + head, to: after.to - tail }
  const all = a.from === a.to || b.from === b.to ? [] : yield* shortest(a, b, budget / 2, trace)
  const inner = all ?? (yield* inPieces(a, b, budget / 2, trace))
  return [{ a: before.from, b: after.from, count: head }, ...inner, { a: a.to, b: b.to, count: tail }].filter(
    ({ count }) => count > 0,
  )
}

/**
 * The longest common parts; undefined past the budget.
 * @param {Part} before
 * @param {Part} after
 * @param {number} budget
 * @param {Int32Array} trace for each number of edits, the furthest point on each diagonal; diagonal k of round d is at index (k + d) / 2
 * @returns {Generator<undefined, Match[] | undefined>}
 */
function* shortest({ list: one, from: a, to: aEnd }, { list: other, from: b, to: bEnd }, budget, trace) {
  let steps = budget
  for (let edits = 0; edits <= aEnd - a + bEnd - b; edits += 1) {
    const round = (edits * (edits + 1)) / 2
    for (let k = -edits; k <= edits; k += 2) {
      let x = a
      if (edits > 0) {
        const above = round - edits + (k + edits) / 2
        const [left, right] = [at(trace, above - 1), at(trace, above)]
        x = k === -edits || (k !== edits && left < right) ? right : left + 1
      }
      const begin = x
      while (x < aEnd && x - a - k + b < bEnd && one[x] === other[x - a - k + b]) x += 1
      steps -= 1 + x - begin
      if (steps < 0) return undefined
      trace[round + (k + edits) / 2] = x
      if (x >= aEnd && x - a - k + b >= bEnd) return walkBack(trace, edits, k, a, b)
    }
    yield
  }
  return []
}

/**
 * @param {Int32Array} trace
 * @param {number} edits
 * @param {number} end the last diagonal
 * @param {number} a
 * @param {number} b
 * @returns {Match[]} with the first match last
 */
function walkBack(trace, edits, end, a, b) {
  /** @type {Match[]} */
  const found = []
  let k = end
  for (let round = edits; round >= 0; round -= 1) {
    const x = at(trace, (round * (round + 1)) / 2 + (k + round) / 2)
    const above = (round * (round - 1)) / 2 + (k + round) / 2
    const [left, right] = [at(trace, above - 1), at(trace, above)]
    const down = k === -round || (k !== round && left < right)
    const start = round === 0 ? a : down ? right : left + 1
    if (x > start) found.push({ a: start, b: start - a - k + b, count: x - start })
    k += down ? 1 : -1
  }
  return found.reverse()
}

/** @param {Int32Array} list @param {number} index */
const at = (list, index) => list[index] ?? 0

/**
 * Compares what is between the items that both parts have once, each with its share of the budget.
 * @param {Part} before
 * @param {Part} after
 * @param {number} budget
 * @param {Int32Array} trace
 * @returns {Generator<undefined, Match[]>}
 */
function* inPieces(before, after, budget, trace) {
  const size = before.to - before.from + after.to - after.from
  if (budget < 4 * size) return []
  const one = yield* placesOf(before)
  const other = yield* placesOf(after)
  /** @type {[number, number][]} */
  const shared = []
  for (const [item, x] of one) {
    const y = other.get(item) ?? -1
    if (x >= 0 && y >= 0) shared.push([x, y])
    if (x % PAUSE === 0) yield
  }
  yield
  const anchors = longestRise(shared)
  if (anchors.length > 0) anchors.push([before.to, after.to])
  /** @type {Match[]} */
  const found = []
  let [a, b] = [before.from, after.from]
  for (const [x, y] of anchors) {
    if (a < x && b < y) {
      const share = (budget * (x - a + y - b)) / size
      const within = yield* compared({ ...before, from: a, to: x }, { ...after, from: b, to: y }, share, trace)
      for (const match of within) found.push(match)
      yield
    }
    if (x < before.to) found.push({ a: x, b: y, count: 1 })
    a = x + 1
    b = y + 1
  }
  return found
}

/**
 * The place of each item, and of each three items in sequence; -1 if the part has them more than once. The number of an item has at most 17 bits.
 * @param {Part} part
 * @returns {Generator<undefined, Map<number, number>>}
 */
function* placesOf({ list, from, to }) {
  /** @type {Map<number, number>} */
  const found = new Map()
  for (let index = from; index < to; index += 1) {
    const three = (at(list, index) + 1) * 2 ** 34 + at(list, index + 1) * 2 ** 17 + at(list, index + 2)
    for (const item of index + 2 < to ? [at(list, index), three] : [at(list, index)])
      found.set(item, found.has(item) ? -1 : index)
    if (index % PAUSE === 0) yield
  }
  return found
}

/** A place, and the end of the list before it. @typedef {{ place: [number, number], before: Rise | undefined }} Rise */

/**
 * The longest list of places that rise on both sides.
 * @param {[number, number][]} places rising on the first side
 * @returns {[number, number][]}
 */
function longestRise(places) {
  /** The last place of the best list of each length. @type {Rise[]} */
  const ends = []
  for (const place of places) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle]?.place[1] ?? 0) < place[1]) low = middle + 1
      else high = middle
    }
    ends[low] = { place, before: ends[low - 1] }
  }
  /** @type {[number, number][]} */
  const found = []
  for (let end = ends.at(-1); end !== undefined; end = end.before) found.push(end.place)
  return found.reverse()
}

/** A word, spaces, or one character of any other kind. A character of a script without spaces is a word. */
const TOKEN =
  /[[\p{L}\p{M}\p{N}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]]+| +|.(?:\p{M}|\u200d.)*/gsv

/** @param {string} text */
const tokensOf = text => text.match(TOKEN) ?? []

/**
 * Splits a text into lines, each with its line end.
 * @param {string} text
 * @returns {string[]}
 */
export const linesOf = text => text.match(/[^\n]*\n|[^\n]+/g) ?? []

/** What two texts have between two common parts, and the common part that follows. @typedef {{ gone: string, came: string, same: string }} Run */

/**
 * Compares two texts by lines, and each changed run of lines by words, with its share of the budget. Yields where other work may run. The
 * result depends only on the texts, not on time.
 * @param {string} before
 * @param {string} after
 * @param {number} share of the budget
 * @returns {Generator<undefined, Piece[]>}
 */
export function* comparison(before, after, share = 1) {
  const budget = Math.ceil(BUDGET * share)
  const changed = (/** @type {Run} */ { gone, came }) => gone !== '' && came !== ''
  const runs = yield* runsOf(linesOf(before), linesOf(after), budget)
  yield
  const size = runs.filter(changed).reduce((sum, { gone, came }) => sum + gone.length + came.length, 0)
  /** @type {Piece[]} */
  const pieces = []
  for (const run of runs) {
    if (changed(run)) {
      const gone = tokensOf(run.gone)
      yield
      const came = tokensOf(run.came)
      yield
      const part = Math.ceil((budget * (run.gone.length + run.came.length)) / size)
      for (const within of yield* runsOf(gone, came, part)) append(pieces, within)
      append(pieces, { gone: '', came: '', same: run.same })
    } else append(pieces, run)
  }
  return pieces
}

/** @param {Piece[]} pieces @param {Run} run */
function append(pieces, { gone, came, same }) {
  for (const [kind, text] of /** @type {const} */ ([
    ['gone', gone],
    ['new', came],
    ['same', same],
  ])) {
    const last = pieces.at(-1)
    if (text === '') continue
    if (last?.kind === kind) last.text += text
    else pieces.push({ kind, text })
  }
}

/** Like `comparison`, without a pause. @param {string} before @param {string} after */
export const difference = (before, after) => atOnce(comparison(before, after))

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
 * Two lists as runs. Changes that only a short common part separates are joined: at most SHORT characters, and no longer than the change on
 * each of its sides.
 * @param {readonly string[]} from
 * @param {readonly string[]} to
 * @param {number} budget
 * @returns {Generator<undefined, Run[]>}
 */
function* runsOf(from, to, budget) {
  /** @type {Run[]} */
  const runs = []
  const sizeOf = (/** @type {Run} */ { gone, came }) => Math.max(gone.length, came.length)
  let [a, b] = [0, 0]
  const found = slid(yield* matching(from, to, budget), from, to)
  yield
  for (const { a: x, b: y, count } of [...found, { a: from.length, b: to.length, count: 0 }]) {
    let run = {
      gone: from.slice(a, x).join(''),
      came: to.slice(b, y).join(''),
      same: to.slice(y, y + count).join(''),
    }
    for (let last = runs.at(-1); last !== undefined; last = runs.at(-1)) {
      if (last.same.length > Math.min(SHORT, sizeOf(last), sizeOf(run))) break
      runs.pop()
      run = { gone: last.gone + last.same + run.gone, came: last.came + last.same + run.came, same: run.same }
    }
    runs.push(run)
    a = x + count
    b = y + count
  }
  return runs
}
