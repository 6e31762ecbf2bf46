/** Full case folding: ß becomes ss, every sigma the same, dotless i an i. */
export function foldCase(text: string): string {
  // Lower case first: the capital ẞ is its own upper case.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** From this length on, counting the bytes of a text takes less time than the expression. */
const LONG = 64
const ASCII = /^[\x00-\x7f]*$/

/** Whether a text has only characters up to U+007F. Folding such a text only lowers its case, in a tenth of the time. */
export const isAscii = (text: string): boolean =>
  text.length < LONG ? ASCII.test(text) : Buffer.byteLength(text) === text.length

/**
 * More marks on one letter than any language writes (the Stream-Safe Text Format of UAX 15 allows 30). The time to order them grows with
 * the square of their number.
 */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu

/** Marks in scripts where they only accent a letter that also exists without them. */
const ACCENTS = /(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])\p{M}+/gu

/** Variation selectors change only the shape of a character. */
const VARIATION = /\p{Variation_Selector}+/gu

/**
 * Runs of non-ASCII characters. A run includes the character before it, which a mark may accent, and up to 32 ASCII characters between two
 * others.
 */
const PAST_ASCII = /[!-~]?[^\x00-\x7f](?:[\x00-\x7f]{0,32}[^\x00-\x7f])*/g

/**
 * The form in which words are compared: NFKC, case folded, without accents in the scripts where marks only accent. Vowel signs of
 * Devanagari or Thai and the voicing marks of kana stay, because without them it is another word.
 */
export const foldWord = (text: string): string =>
  (isAscii(text) ? text : text.replace(PAST_ASCII, foldWhole)).toLowerCase()

function foldWhole(text: string): string {
  const drawn = text.replace(VARIATION, '').replace(TOO_MANY_MARKS, '$1')
  return foldCase(drawn.normalize('NFKC')).normalize('NFKD').replace(ACCENTS, '').normalize('NFKC')
}

/** A run of characters that a word can be a part of. */
const RUN = /[\p{L}\p{M}\p{N}]+/gu

/**
 * Returns a function that spells a folded word as `text` spells it, in lower-case letters: новый for новыи. A word that the text has only
 * as a part of another one stays folded.
 */
export function spelledIn(text: string): (folded: string) => string {
  if (isAscii(text)) return folded => folded
  const spellings = new Map<string, string>()
  for (const [run] of text.normalize('NFC').matchAll(RUN)) {
    const folded = foldWord(run)
    if (!spellings.has(folded)) spellings.set(folded, run.toLowerCase())
  }
  return folded => spellings.get(folded) ?? folded
}
