import { difference } from './difference.js'
import { make } from './dom.js'
import { everyCharacter } from './untrusted-text.js'

/** Longer unchanged parts are folded to this many characters on each side. */
const LONGEST = 400
const KEPT = 120

/**
 * The difference of two texts as elements: deletions and insertions.
 * @param {string} before
 * @param {string} after
 * @param {string} name the name of the compared text, for screen readers
 */
export function differenceView(before, after, name) {
  const { pieces } = difference(before, after)
  const parts = pieces.flatMap(({ kind, text }, index) => {
    if (kind === 'gone') return [make('del', {}, ...everyCharacter(text))]
    if (kind === 'new') return [make('ins', {}, ...everyCharacter(text))]
    return folded(text, index === 0, index === pieces.length - 1)
  })
  return make('div', { class: 'difference', role: 'region', tabindex: 0, 'aria-label': name, dir: 'auto' }, ...parts)
}

/**
 * @param {string} text
 * @param {boolean} first
 * @param {boolean} last
 * @returns {(Node | string)[]}
 */
function folded(text, first, last) {
  if (text.length <= LONGEST) return everyCharacter(text)
  const head = first ? '' : (/^[\s\S]*\s/.exec(text.slice(0, KEPT))?.[0] ?? '')
  const tail = last ? '' : (/\s[\s\S]*$/.exec(text.slice(-KEPT))?.[0] ?? '')
  const left = text.slice(head.length, text.length - tail.length)
  const name = make('summary', { dir: 'ltr' }, `${left.length} unchanged characters`)
  const fold = make('details', { class: 'folded' }, name, ...everyCharacter(left))
  return [...everyCharacter(head), fold, ...everyCharacter(tail)]
}
