import { make } from './dom.js'

const UNSEEN =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]'
/** Joiners and variation selectors belong to many scripts and to emoji. Elsewhere they can hide text. */
const EVERY_HIDDEN = new RegExp(
  `(${UNSEEN}|(?<!\\p{L}|\\p{M}|\\p{Extended_Pictographic}|\\ufe0f)[\\u200c\\u200d\\ufe00-\\ufe0f])`,
  'u',
)

/**
 * Untrusted text with every invisible character named at its place.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export const everyCharacter = text =>
  text
    .replaceAll('\r\n', '\n')
    .split(EVERY_HIDDEN)
    .map((part, index) => (index % 2 === 0 ? part : named(part)))

/**
 * Untrusted text inside a line: it cannot change the direction of the text around it.
 * @param {string | null | undefined} text
 * @param {string} otherwise the text for an empty value
 * @returns {HTMLElement}
 */
export const words = (text, otherwise = 'nothing') =>
  text ? make('bdi', {}, ...everyCharacter(text)) : make('span', { class: 'none' }, otherwise)

/** @param {string} character */
function named(character) {
  const name = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return make('span', { class: 'unseen', title: 'an invisible character' }, name)
}
