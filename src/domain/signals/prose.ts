import { byteTable } from '../byte-table.ts'
import { foldWord, isAscii } from '../terms/fold.ts'
import { withLatinLetters } from '../terms/lookalikes.ts'
import { codesOf } from './codes.ts'

/** A word with letters of two scripts. */
const MIXED = /[\p{sc=Cyrillic}\p{sc=Greek}][a-zA-Z]|[a-zA-Z][\p{sc=Cyrillic}\p{sc=Greek}]/u
/** Matches in every such word. A text without a match takes a third of the time. */
const OTHER_SCRIPT = /[\p{sc=Cyrillic}\p{sc=Greek}]/u
/** Digits and signs in place of letters, inside a word or before two letters. */
const DISGUISED = /(?<=[a-z])[013457@$](?=[a-z])|(?<![a-z0-9])[013457@$](?=[a-z]{2})/g
/** Matches in every disguised word. */
const SIGN_BEFORE_LETTER = /[013457@$][a-z]/
const DISGUISE: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }

/** Whether a text has a word with letters of two scripts. */
export const isMixed = (text: string): boolean => OTHER_SCRIPT.test(text) && MIXED.test(text)

/**
 * A text as folded words with single spaces, a dot for the end of a sentence, and a colon for a colon. If the text has disguised letters, a
 * second text without them follows. Marks of Markdown, quotes and brackets are left out.
 */
export function proseOf(text: string): string[] {
  const ascii = isAscii(text)
  const words = flat(ascii ? text.toLowerCase() : foldWord(text), ascii)
  const latin = !ascii && isMixed(words) ? withLatinLetters(words).replaceAll('μ', 'm') : words
  const plain = SIGN_BEFORE_LETTER.test(latin) ? latin.replace(DISGUISED, sign => DISGUISE[sign] ?? sign) : latin
  return plain === words ? [words] : [words, plain]
}

/** Quotes of letters and marks of Markdown, which prose leaves out. */
export const LEFT_OUT_SIGNS = "'’‘ʼ`*_~"

const [WORD, LEFT_OUT, GAP, END, COLON] = [0, 1, 2, 3, 4] as const
const LINE = 0x0a
const KINDS = byteTable([
  [LEFT_OUT_SIGNS, LEFT_OUT],
  [' \t\r\n\f\v\u00a0\u2028\u2029\u3000"“”„«»()[]{}<>|,#،、—–', GAP],
  ['.!?;。！？।؟', END],
  [':', COLON],
])

function flat(text: string, ascii: boolean): string {
  const length = text.length
  const from = codesOf(text)
  // The end of a sentence takes three characters instead of two.
  const codes = ascii ? new Uint8Array(2 * length + 8) : new Uint16Array(2 * length + 8)
  codes.set([0x20, 0x2e, 0x20])
  let size = 3
  for (let at = 0; at < length; at++) {
    const code = from[at] as number
    let kind = KINDS[code]
    if (kind === WORD) codes[size++] = code
    if (kind === WORD || kind === LEFT_OUT) continue
    const following = at + 1 < length ? (from[at + 1] as number) : LINE
    if (code === LINE && following === LINE && at + 1 < length) kind = END
    else if (kind !== GAP && following > 0x20 && following !== 0x3000) {
      codes[size++] = code
      continue
    }
    if (codes[size - 1] !== 0x20) codes[size++] = 0x20
    if (kind === GAP) continue
    codes[size++] = kind === END ? 0x2e : 0x3a
    codes[size++] = 0x20
  }
  if (codes[size - 1] !== 0x20) codes[size++] = 0x20
  const bytes = Buffer.from(codes.buffer, 0, size * codes.BYTES_PER_ELEMENT)
  return bytes.toString(ascii ? 'latin1' : 'utf16le')
}
