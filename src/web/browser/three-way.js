import { linesOf, matches } from './difference.js'

/**
 * A part of a merge: settled if at most one side changed it or both changed it equally; open if both changed it differently.
 * @typedef {{ kind: 'settled', text: string } | { kind: 'open', theirs: string, mine: string }} Part
 */
/** The options for an open part. @typedef {'mine' | 'theirs' | 'both'} Choice */
/** The same place in three versions of a text. @typedef {{ base: string, theirs: string, mine: string }} Place */

/**
 * Merges two changes of one text by lines, and by words inside a block of lines that both changed (diff3, Khanna, Kunal and
 * Pierce 2007). Two changes are independent if an unchanged word or line end is between them; otherwise they are one place.
 * Time and memory are bounded by `matches`.
 * @param {string} base the common base
 * @param {string} theirs
 * @param {string} mine
 * @returns {Part[]}
 */
export function merge(base, theirs, mine) {
  const blocks = placesOf(linesOf(base), linesOf(theirs), linesOf(mine), () => true)
  return joined(
    blocks.flatMap(block => {
      const part = partOf(block)
      if (part.kind === 'settled') return [part]
      return placesOf(wordsOf(block.base), wordsOf(block.theirs), wordsOf(block.mine), isWord).map(partOf)
    }),
  )
}

/**
 * Widens every open part to whole lines. Both sides then contain the settled parts of these lines.
 * @param {readonly Part[]} parts
 * @returns {Part[]}
 */
export function wholeLines(parts) {
  /** @type {Part[]} */
  const list = []
  let line = { theirs: '', mine: '', open: false }
  const end = () => {
    const { theirs, mine, open } = line
    list.push(open ? { kind: 'open', theirs, mine } : { kind: 'settled', text: mine })
    line = { theirs: '', mine: '', open: false }
  }
  const ended = (/** @type {string} */ text) => text === '' || text.endsWith('\n')
  for (const part of parts) {
    if (part.kind === 'open') {
      line = { theirs: line.theirs + part.theirs, mine: line.mine + part.mine, open: true }
      if (ended(line.theirs) && ended(line.mine)) end()
    } else {
      for (const text of linesOf(part.text)) {
        line = { ...line, theirs: line.theirs + text, mine: line.mine + text }
        if (ended(text)) end()
      }
    }
  }
  end()
  return joined(list)
}

/**
 * The merged text with a choice for each open part, in their order; undefined while a choice is missing.
 * @param {readonly Part[]} parts
 * @param {readonly (Choice | undefined)[]} choices
 * @returns {string | undefined}
 */
export function mergedText(parts, choices) {
  let text = ''
  let open = 0
  for (const part of parts) {
    if (part.kind === 'settled') {
      text += part.text
      continue
    }
    const choice = choices[open]
    if (choice === undefined) return undefined
    text += choice === 'both' ? inTurn(part.theirs, part.mine) : part[choice]
    open += 1
  }
  return text
}

/**
 * Merges two changes of a set: the result contains the additions of both sides, and not the removals of either side.
 * @template T
 * @param {readonly T[]} base
 * @param {readonly T[]} theirs
 * @param {readonly T[]} mine
 * @param {(item: T) => string} keyOf
 * @returns {T[]} in the order of `theirs`, then the items that only `mine` has
 */
export function mergeSets(base, theirs, mine, keyOf) {
  const [inBase, inTheirs, inMine] = [base, theirs, mine].map(items => new Set(items.map(keyOf)))
  const all = new Map([...theirs, ...mine].map(item => [keyOf(item), item]))
  return [...all]
    .filter(([key]) => !inBase?.has(key) || (inTheirs?.has(key) && inMine?.has(key)))
    .map(([, item]) => item)
}

/**
 * @param {string} first
 * @param {string} second
 */
const inTurn = (first, second) =>
  first === '' || second === '' || first.endsWith('\n') ? first + second : `${first}\n${second}`

/** Its dictionaries take several milliseconds to load. @type {Intl.Segmenter | undefined} */
let segmenter

/**
 * Splits a text of any script into words, spaces and signs.
 * @param {string} text
 * @returns {string[]}
 */
function wordsOf(text) {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Spaces and punctuation do not separate two changes. */
const isWord = (/** @type {string} */ token) => /[\p{L}\p{N}\n]/u.test(token)

/**
 * Splits three versions into places that are equal in all three and places that differ.
 * @param {readonly string[]} base
 * @param {readonly string[]} theirs
 * @param {readonly string[]} mine
 * @param {(token: string) => boolean} separates whether an unchanged token ends a place
 * @returns {Place[]}
 */
function placesOf(base, theirs, mine, separates) {
  const inTheirs = partners(base, theirs)
  const inMine = partners(base, mine)
  /** @type {Place[]} */
  const places = []
  let from = { base: 0, theirs: 0, mine: 0 }
  /** @type {Place | undefined} */
  let place
  let unchanged = ''
  const settle = () => {
    places.push(...(place === undefined ? [] : [place]), { base: unchanged, theirs: unchanged, mine: unchanged })
    place = undefined
    unchanged = ''
  }
  for (let at = 0; at <= base.length; at += 1) {
    const theirsAt = at === base.length ? theirs.length : inTheirs[at]
    const mineAt = at === base.length ? mine.length : inMine[at]
    if (theirsAt === undefined || mineAt === undefined) continue
    if (from.base < at || from.theirs < theirsAt || from.mine < mineAt) {
      place = {
        base: (place?.base ?? '') + unchanged + base.slice(from.base, at).join(''),
        theirs: (place?.theirs ?? '') + unchanged + theirs.slice(from.theirs, theirsAt).join(''),
        mine: (place?.mine ?? '') + unchanged + mine.slice(from.mine, mineAt).join(''),
      }
      unchanged = ''
    }
    from = { base: at + 1, theirs: theirsAt + 1, mine: mineAt + 1 }
    const token = base[at] ?? ''
    unchanged += token
    if (place === undefined || separates(token)) settle()
  }
  settle()
  return places
}

/**
 * @param {Place} place
 * @returns {Part}
 */
function partOf({ base, theirs, mine }) {
  if (mine === theirs || theirs === base) return { kind: 'settled', text: mine }
  if (mine === base) return { kind: 'settled', text: theirs }
  return { kind: 'open', theirs, mine }
}

/**
 * For each token of `before` the index of its match in `after`; undefined for a deleted token.
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
 * Joins adjacent settled parts and omits empty ones.
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
