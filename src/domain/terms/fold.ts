/** Full case folding: ß becomes ss, every sigma the same, dotless i an i. */
export function foldCase(text: string): string {
  // Lower case first: the capital ẞ is its own upper case.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** From this length on, counting the bytes of a text takes less time than an expression. */
const LONG = 64
const ASCII = /^[\x00-\x7f]*$/

/** Whether a text has only characters up to U+007F. Such a text folds to its small letters, in a tenth of the time. */
export const isAscii = (text: string): boolean =>
  text.length < LONG ? ASCII.test(text) : Buffer.byteLength(text) === text.length

/** More marks on one letter than any language writes (UAX 15 calls 30 stream-safe); ordering them takes time that grows with their square. */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu

/** Marks of scripts in which they only accent a letter that also exists without them. */
const ACCENTS = /(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])\p{M}+/gu

/** Variation selectors change only how a character is drawn. */
const VARIATION = /\p{Variation_Selector}+/gu

/** Characters past ASCII with the one before them, which they may accent, and with short stretches of ASCII between them. */
const PAST_ASCII = /[!-~]?[^\x00-\x7f](?:[\x00-\x7f]{0,32}[^\x00-\x7f])*/g

/**
 * The form in which words are compared: NFKC, case folded, accents dropped in the scripts where they only accent.
 * Vowel signs of Devanagari or Thai and the voicing marks of kana stay: there they make another word.
 */
export const foldWord = (text: string): string =>
  (isAscii(text) ? text : text.replace(PAST_ASCII, foldWhole)).toLowerCase()

function foldWhole(text: string): string {
  const drawn = text.replace(VARIATION, '').replace(TOO_MANY_MARKS, '$1')
  return foldCase(drawn.normalize('NFKC')).normalize('NFKD').replace(ACCENTS, '').normalize('NFKC')
}

/** A run of characters that a word can be a part of. */
const RUN = /[\p{L}\p{M}\p{N}]+/gu

/** Returns folded words as a text spells them, in small letters: новый for новыи. A word that the text has only as a part stays folded. */
export function spelledIn(text: string): (folded: string) => string {
  if (isAscii(text)) return folded => folded
  const spellings = new Map<string, string>()
  for (const [run] of text.normalize('NFC').matchAll(RUN)) {
    const folded = foldWord(run)
    if (!spellings.has(folded)) spellings.set(folded, run.toLowerCase())
  }
  return folded => spellings.get(folded) ?? folded
}
