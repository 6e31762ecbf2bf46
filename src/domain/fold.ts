/** Folds case as full case folding does for what people write: ß is ss, every sigma the same, dotless i an i. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** Scripts whose marks only accent a letter that stands without them too. */
const ACCENTED = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])\p{M}+/gu

/**
 * The form in which words are compared: NFKC, case folded, accents dropped in the scripts where they only accent.
 * Vowel signs of Devanagari or Thai and the voicing marks of kana stay: there they make another word.
 */
export function foldWord(text: string): string {
  return foldCase(text.normalize('NFKC')).normalize('NFKD').replace(ACCENTED, '$1').normalize('NFKC')
}
