/* The invisible characters of this project. JavaScript, because the server and the browser run the same file. */

/**
 * Invisible characters that change the meaning of a text: controls, bidirectional overrides and isolates, zero widths, fillers, tags and
 * the variation selectors that can carry bytes.
 */
const INVISIBLE =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]'
/** Joiners belong to many scripts and to emoji. After Latin, Greek, Cyrillic, a sign or an invisible character they hide something. */
const STRAY_JOINER = `(?<=^|[\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{N}\\p{P}\\s\\u200c\\u200d]|${INVISIBLE})[\\u200c\\u200d]`

/** Runs of characters that hide something. */
export const HIDDEN = new RegExp(`(?:${INVISIBLE}|${STRAY_JOINER})+`, 'gu')
/** The same with every joiner and variation selector, where two texts are compared. */
export const EVERY_HIDDEN = new RegExp(`(?:${INVISIBLE}|[\\u200c\\u200d\\ufe00-\\ufe0f])+`, 'gu')
/** The same with runs of variation selectors: one belongs to a sign, more of them carry something. */
export const SMUGGLED = new RegExp(`(?:${INVISIBLE}|${STRAY_JOINER}|(?<=[\\ufe00-\\ufe0f])[\\ufe00-\\ufe0f])+`, 'gu')

/** The maximum number of invisible characters next to each other that are named one by one. */
const NAMED_MAX = 4

/** @param {string} character */
const nameOf = character => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Names invisible characters: the first few one by one, and how many there are.
 * @param {string} run
 * @returns {string}
 */
export function namesOf(run) {
  const characters = [...run]
  const named = characters.slice(0, NAMED_MAX).map(nameOf).join(' ')
  return characters.length > NAMED_MAX ? `${named} … ${characters.length} invisible characters` : named
}

/**
 * An untrusted text for readers without markup, such as a model: every invisible character is named in brackets in its place.
 * @param {string} text
 * @returns {string}
 */
export const plain = text => text.replaceAll('\r\n', '\n').replace(SMUGGLED, run => `[${namesOf(run)}]`)
