import { createRequire } from 'node:module'
import type { Signal } from '../../contract/vocabulary.ts'
import { foldWord, isAscii } from '../../find/rules/words.ts'
import { HIDDEN } from '../invisible-characters.js'
import { byteTable } from '../values.ts'

/** Letters whose capitals look like Latin ones, and small capitals. */
const BY_HAND: Record<string, string> = Object.fromEntries([
  ...[...'авекмнорстухіјѕһαβεικνορτυχ'].map((letter, at) => [letter, 'abekmhopctyxijshabeikvoptux'[at]]),
  ...[...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ'].map((letter, at) => [letter, 'abcdefghijklmnopqrstuvwyz'[at]]),
])

let lookalikes: ReadonlyMap<string, string> | undefined

/**
 * The confusables of UTS 39 that look like letters and digits of ASCII. Folding changes capitals: the look-alike of the folded letter
 * itself takes precedence.
 */
function createLookalikes(): ReadonlyMap<string, string> {
  const data = createRequire(import.meta.url)('unhomoglyph/data.json') as Record<string, string>
  const plain = Object.entries(data).filter(([sign, latin]) => !isAscii(sign) && /^[a-z0-9]+$/i.test(latin))
  const folded = plain.map(([sign, latin]) => [foldWord(sign), latin.toLowerCase()] as const)
  const made = new Map(folded.filter(([sign]) => !isAscii(sign) && [...sign].length === 1))
  for (const [sign, latin] of plain) made.set(sign, latin.toLowerCase())
  for (const [letter, latin] of Object.entries(BY_HAND)) made.set(letter, latin)
  // A small mu is the sign of a millionth: 5 µg is not 5 mg.
  made.delete('μ')
  return made
}

/** A folded text with Latin letters and digits in place of characters that look like them. */
function withLatinLetters(text: string): string {
  if (isAscii(text)) return text
  lookalikes ??= createLookalikes()
  const known = lookalikes
  return text.replace(/[^\0-\x7f]/gu, character => known.get(character) ?? character)
}

let codes = new Uint16Array(1 << 14)
let bytes = Buffer.from(codes.buffer)

/** The UTF-16 codes of a text, valid until the next call. A loop over them takes a third of the time of one over the text. */
export function codesOf(text: string): Uint16Array {
  if (text.length > codes.length) {
    codes = new Uint16Array(2 * text.length)
    bytes = Buffer.from(codes.buffer)
  }
  bytes.write(text, 'utf16le')
  return codes
}

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

/** A line of Markdown that begins or ends fenced code, also inside quotes and lists. */
const FENCE = /^[ \t]{0,3}(?:>[ \t]?){0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?[ \t]{0,8}(`{3,}|~{3,})/
const CODE_IN_LINE = /(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)/g

/** A link definition without a target: its title is used as a comment. */
const TITLE = /^ {0,3}\[[^\]\n]{1,99}\]:[ \t]{0,9}(?:#|<>)[ \t]{1,9}([("'].*)$/gm

/** The comments of Markdown outside of code, which the page does not show. The last HTML comment may lack its end. */
export function commentsOf(content: string): string[] {
  const text = withoutCode(content)
  const comments = Array.from(text.matchAll(TITLE), ([, title = '']) => title)
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const end = text.indexOf('-->', at + 4)
    comments.push(text.slice(at + 4, end < 0 ? undefined : end))
    at = end < 0 ? end : text.indexOf('<!--', end)
  }
  return comments
}

/** Markdown without fenced code and inline code. */
function withoutCode(content: string): string {
  const kept: string[] = []
  let fence: string | undefined
  for (const line of content.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined) {
      if (mark === undefined) kept.push(line.replace(CODE_IN_LINE, ''))
      else fence = mark
    } else if (mark?.startsWith(fence) === true) fence = undefined
  }
  return kept.join('\n')
}

/** The maximum number of decoded base64 runs, and the minimum and maximum characters of a run. */
const DECODED_MAX = 4
const SHORTEST = 32
const LONGEST = 4_000
const OF_BLOB = /^[A-Za-z0-9+/]$/
const IN_BLOB = Uint8Array.from({ length: 128 }, (_, code) => (OF_BLOB.test(String.fromCharCode(code)) ? 1 : 0))
/** ASCII words. A key, a hash or a picture decodes to other bytes. */
const WORDS = /^[\t\n\r -~]*[A-Za-z]{2,} [A-Za-z]{2,}[\t\n\r -~]*$/

/** A word with the same sign between each two letters. */
const SPACED = /(?<![A-Za-z])[A-Za-z]([ ._*-])[A-Za-z](?:\1[A-Za-z]){2,40}(?![A-Za-z])/g
const SIGNS = /[ ._*-]/g
const HAS_SPACED = /(?<![A-Za-z])[A-Za-z]([ ._*-])(?:[A-Za-z]\1){4}[A-Za-z](?![A-Za-z])/

/**
 * A text, followed by the texts that it contains in base64 or in spaced letters; unchanged if it contains none. Every run of SHORTEST
 * characters of base64 includes a multiple of SHORTEST, so only these offsets are tested.
 */
export function withDisguised(text: string): string {
  const words: string[] = []
  let blobs = 0
  for (let at = SHORTEST - 1; at < text.length && blobs < DECODED_MAX; at += SHORTEST) {
    if (IN_BLOB[text.charCodeAt(at)] !== 1) continue
    let from = at
    while (at - from < SHORTEST && IN_BLOB[text.charCodeAt(from - 1)] === 1) from--
    let end = at + 1
    while (end - from < LONGEST && IN_BLOB[text.charCodeAt(end)] === 1) end++
    if (end - from < SHORTEST) continue
    const decoded = Buffer.from(text.slice(from, end), 'base64').toString('latin1')
    if (WORDS.test(decoded)) words.push(decoded)
    blobs++
    at = end
  }
  if (HAS_SPACED.test(text)) words.push(text.replace(SPACED, word => word.replace(SIGNS, '')))
  return words.length === 0 ? text : [text, ...words].join('\n\n')
}

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

/** A signal as a sentence for people. */
export const SIGNAL_WORDS: Readonly<Record<Signal, string>> = {
  DESTRUCTIVE_COMMAND: 'Contains a command that destroys data',
  PIPE_TO_SHELL: 'Contains a command that runs what it downloads',
  INSTRUCTION_LIKE: 'Contains text that addresses the reader’s model',
  INVISIBLE_CHARACTERS: 'Contains invisible characters',
  HTML_COMMENT: 'Contains a hidden comment that addresses a reader',
  CLAIMS_TRUST: 'Vouches for itself',
}

/** The signals of a text in one line; empty if there are none. A newer server may send names that this version does not know. */
export const signalLine = (signals: readonly string[]): string =>
  signals.length === 0 ? '' : `Signals: ${signals.map(signalNamed).join(', ')}`

type Flagged = { signals: readonly string[]; unflaggedRevisionId: string }

/** The signals of an entry in words, and the last revision without them. */
export const signalLines = ({ signals = [], unflaggedRevisionId: unflagged }: Partial<Flagged>): string[] =>
  signals.length === 0
    ? []
    : [signalLine(signals), ...(unflagged === undefined ? [] : [`The last revision without them is ${unflagged}.`])]

/** The signals of texts that are shown in one row, each once. */
export const allSignals = <One>(...texts: ({ signals?: readonly One[] | undefined } | null | undefined)[]): One[] => [
  ...new Set(texts.flatMap(text => text?.signals ?? [])),
]

const signalNamed = (signal: string): string =>
  Object.hasOwn(SIGNAL_WORDS, signal) ? `${signal} (${SIGNAL_WORDS[signal as Signal].toLowerCase()})` : signal
