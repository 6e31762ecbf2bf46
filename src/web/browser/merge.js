import { linesOf, matches } from './difference.js'

/**
 * A part of a merge: settled, because only one side changed it or both alike, or open, because both changed it differently.
 * @typedef {{ kind: 'settled', text: string } | { kind: 'open', base: string, theirs: string, mine: string }} Part
 */
/** What may be taken for an open part. @typedef {'mine' | 'theirs' | 'both'} Choice */

/**
 * Merges two changes of one text by lines: what one side alone changed is taken, what both changed stays open.
 * @param {string} base what both began with
 * @param {string} theirs
 * @param {string} mine
 * @returns {Part[]}
 */
export function merge(base, theirs, mine) {
  const lines = { base: linesOf(base), theirs: linesOf(theirs), mine: linesOf(mine) }
  const inTheirs = partners(lines.base, lines.theirs)
  const inMine = partners(lines.base, lines.mine)
  /** @type {Part[]} */
  const parts = []
  let from = { base: 0, theirs: 0, mine: 0 }
  for (let line = 0; line <= lines.base.length; line += 1) {
    const last = line === lines.base.length
    const theirs = last ? lines.theirs.length : inTheirs[line]
    const mine = last ? lines.mine.length : inMine[line]
    if (theirs === undefined || mine === undefined) continue
    const to = { base: line, theirs, mine }
    const part = partOf(
      lines.base.slice(from.base, to.base).join(''),
      lines.theirs.slice(from.theirs, to.theirs).join(''),
      lines.mine.slice(from.mine, to.mine).join(''),
    )
    parts.push(part, { kind: 'settled', text: lines.base[line] ?? '' })
    from = { base: line + 1, theirs: theirs + 1, mine: mine + 1 }
  }
  return joined(parts)
}

/**
 * Merges a text of one line: title or summary.
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 * @returns {Part[]}
 */
export const mergeWhole = (base, theirs, mine) => [partOf(base, theirs, mine)]

/**
 * The merged text once every open part is decided, in their order.
 * @param {readonly Part[]} parts
 * @param {readonly Choice[]} choices
 * @returns {string}
 */
export function mergedText(parts, choices) {
  let open = 0
  return parts
    .map(part => {
      if (part.kind === 'settled') return part.text
      const choice = choices[open] ?? 'mine'
      open += 1
      return choice === 'both' ? inTurn(part.theirs, part.mine) : part[choice]
    })
    .join('')
}

/**
 * @param {string} first
 * @param {string} second
 */
const inTurn = (first, second) =>
  first === '' || second === '' || first.endsWith('\n') ? first + second : `${first}\n${second}`

/**
 * @param {string} base
 * @param {string} theirs
 * @param {string} mine
 * @returns {Part}
 */
function partOf(base, theirs, mine) {
  if (mine === theirs || theirs === base) return { kind: 'settled', text: mine }
  if (mine === base) return { kind: 'settled', text: theirs }
  return { kind: 'open', base, theirs, mine }
}

/**
 * For each line the place of the line it became, undefined where it is gone.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {(number | undefined)[]}
 */
function partners(before, after) {
  /** @type {(number | undefined)[]} */
  const found = new Array(before.length).fill(undefined)
  for (const { a, b, count } of matches(before, after)) {
    for (let step = 0; step < count; step += 1) found[a + step] = b + step
  }
  return found
}

/**
 * @param {readonly Part[]} parts
 * @returns {Part[]}
 */
function joined(parts) {
  /** @type {Part[]} */
  const list = []
  for (const part of parts) {
    const last = list.at(-1)
    if (part.kind === 'settled' && last?.kind === 'settled') last.text += part.text
    else if (part.kind === 'open' || part.text !== '') list.push({ ...part })
  }
  return list
}
