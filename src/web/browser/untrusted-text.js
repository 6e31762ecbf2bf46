import { EVERY_HIDDEN, HIDDEN, namesOf } from '../../memory/invisible-characters.js'
import { make } from './dom.js'

/**
 * @param {string} text
 * @param {RegExp} hidden
 * @returns {(Node | string)[]}
 */
function shown(text, hidden) {
  const plain = text.replaceAll('\r\n', '\n')
  /** @type {(Node | string)[]} */
  const parts = []
  let from = 0
  for (const { 0: run, index } of plain.matchAll(hidden)) {
    parts.push(plain.slice(from, index), make('b', { class: 'invisible' }, namesOf(run)))
    from = index + run.length
  }
  return [...parts, plain.slice(from)]
}

/**
 * Untrusted text for comparisons: every invisible character is named at its place, joiners and variation selectors too.
 * @param {string} text
 */
export const everyCharacter = text => shown(text, EVERY_HIDDEN)

/**
 * Untrusted text inside a line: it cannot change the direction of the text around it.
 * @param {string | null | undefined} text
 * @param {string} otherwise the text for an empty value
 * @returns {HTMLElement}
 */
export const words = (text, otherwise = 'nothing') =>
  text ? make('bdi', {}, ...shown(text, HIDDEN)) : make('span', { class: 'none' }, otherwise)
