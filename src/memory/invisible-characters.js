/* The invisible characters of this project. JavaScript, because the server and the browser run the same file. */

/**
 * The class of all invisible characters, for expressions with the flag `u`: controls, ends of lines and paragraphs, annotations, format
 * controls of hieroglyphs, everything with Default_Ignorable_Code_Point, the object replacement character and the blank Braille cell.
 */
export const INVISIBLE =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ufff9-\\ufffc\\u{13430}-\\u{1343f}\\p{DI}\\u2800'

/** Letters of scripts whose letters join, and the signs of Indic scripts that remove a vowel. */
const JOINING = '(?:(?=[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Nkoo}\\p{sc=Mong}\\p{sc=Mand}\\p{sc=Adlm}\\p{sc=Rohg}])\\p{L})'
const VIRAMA =
  '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u1039\\u103a\\u17d2\\u1b44\\ua953\\u{11046}]'

/**
 * The invisible characters that a script or a sign needs in their place, one at a time: a joiner in a word of letters that join, beside a
 * sign without vowel, or between two emoji; the variation selector of an emoji or of a letter of Mongolian; a blank cell in Braille.
 */
const NEEDED = [
  `(?<=${JOINING}\\p{M}{0,3})\\u200c(?=${JOINING})`,
  `(?<=${JOINING}\\p{M}{0,3})\\u200d(?!${JOINING})`,
  `(?<=${VIRAMA})[\\u200c\\u200d]|[\\u200c\\u200d](?=${VIRAMA})`,
  '(?<=\\p{ExtPict}[\\ufe0f\\p{EMod}]?)\\u200d(?=\\p{ExtPict})',
  '(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]|(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  '(?<=[\\u1820-\\u18aa])[\\u180b-\\u180d\\u180f]',
  '(?<=[\\u2801-\\u28ff])\\u2800(?=[\\u2801-\\u28ff])',
].join('|')

/** Runs of invisible characters that nothing in the text needs: they hide something. */
export const HIDDEN = new RegExp(`(?:(?=[${INVISIBLE}])(?!${NEEDED})[^])+`, 'gu')
/** Runs of all invisible characters, where two texts are compared. */
export const EVERY_HIDDEN = new RegExp(`[${INVISIBLE}]+`, 'gu')

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
