import { HIDDEN } from '../invisible-characters.js'

/** Right-to-left scripts, and the direction marks that their texts need. The marks do not include overrides. */
const FROM_THE_RIGHT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u
const DIRECTION = /^[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]+$/
/** Remnants of files: line ends, page breaks, and letters read in a wrong encoding. */
const REMNANT = /^(?:[\r\f\u0085\u2028\u2029]+|[\u0080-\u009f]{1,2})$/
const JOINERS = /^[\u200c\u200d]{1,2}$/
/** A flag: a black flag, a few tags and the tag that ends them. */
const FLAG = '\u{1f3f4}'
const FLAG_TAGS = /^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}$/u
/** Characters that break words, shape letters or formulas, or that programs leave. A soft hyphen and an operator may be inside a word. */
const BREAK =
  /^(?:[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u2800\ufeff\ufffc]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\u034f|\u17b4|\u17b5)$/u
/** Blank cells in a picture or a text of Braille. */
const BLANK_CELLS = /^\u2800+$/
const CELL = /[\u2801-\u28ff]/
const INSIDE = /^[\u00ad\u2061-\u2064]$/
/** The maximum number of such characters without an adjacent letter of another script. A text with more hides characters. */
const BREAKS_MAX = 8
const PLAIN_LETTER = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{N}]/u
/** Letters of scripts that need invisible characters. Chinese and Japanese have none but the selectors of variants, which count as breaks. */
const OTHER_LETTER =
  /[[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Inherited}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]/v

/** Whether a text has invisible characters that its scripts, its emoji and remnants of files do not explain. */
export function hidesCharacters(text: string): boolean {
  let breaks = 0
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    if (REMNANT.test(run) || (run === '\ufeff' && index === 0)) continue
    const before = [...text.slice(Math.max(0, index - 2), index)].at(-1) ?? ''
    const after = String.fromCodePoint(text.codePointAt(index + run.length) ?? 0x20)
    const foreign = OTHER_LETTER.test(before) || OTHER_LETTER.test(after)
    if (DIRECTION.test(run) && FROM_THE_RIGHT.test(text)) continue
    if (BLANK_CELLS.test(run) && (CELL.test(before) || CELL.test(after))) continue
    if ((JOINERS.test(run) && foreign) || (FLAG_TAGS.test(run) && before === FLAG)) continue
    if (!BREAK.test(run)) return true
    if (foreign || INSIDE.test(run)) continue
    if (PLAIN_LETTER.test(before) && PLAIN_LETTER.test(after)) return true
    breaks += 1
  }
  return breaks > BREAKS_MAX
}
