import { tagKey } from '../../memory/entries/tag-rules.ts'
import { foldWord, isAscii } from './fold.ts'

/** Raise it when the same text gets other terms: search indexes are then rebuilt. */
export const TERMS_VERSION = 2

const QUERY_TERMS_MAX = 8
const QUERY_WORDS_MAX = 32
const PREFIX_CHARACTERS = 3

/** Scripts that are written without spaces; each of their characters is a word of its own. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Tham}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tibetan}\u30fc]/u
/** A run of letters, marks and digits. Only in scripts without spaces, where any part is found, it may begin with a mark. */
const WORD = new RegExp(`(?:[\\p{L}\\p{N}]|(?=\\p{M})${UNSPACED.source})[\\p{L}\\p{M}\\p{N}]*`, 'gu')
/** A character of a script without spaces with its combining marks, or the text between two such characters. */
const UNSPACED_OR_REST = new RegExp(
  `(${UNSPACED.source}(?:(?!${UNSPACED.source})\\p{M})*)|(?:(?!${UNSPACED.source})[^])+`,
  'gu',
)

/** Whether a word is a character of a script that is written without spaces. */
export const isUnspaced = (word: string): boolean => UNSPACED.test(word)

/** The words of a text in order, folded. Characters of scripts without spaces are one word each: a run of them is found as a phrase. */
export const wordsOf = (text: string): string[] => wordsIn(foldWord(text))

function wordsIn(folded: string): string[] {
  if (isAscii(folded)) return folded.match(/[a-z0-9]+/g) ?? []
  const words: string[] = []
  for (const [word] of folded.matchAll(WORD)) {
    if (UNSPACED.test(word)) for (const [part] of word.matchAll(UNSPACED_OR_REST)) words.push(part)
    else words.push(word)
  }
  return words
}

/** At most this many occurrences of a word in one field are indexed: a repetitive text must not make phrase searches slow. */
const OCCURRENCES_MAX = 1_000

/** Removes the occurrences of a word past OCCURRENCES_MAX. */
function thinned(words: string[]): string[] {
  if (words.length <= OCCURRENCES_MAX) return words
  const counts = new Map<string, number>()
  return words.filter(word => {
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    return count <= OCCURRENCES_MAX
  })
}

/** A field for an index that splits text at every ASCII character other than letters and digits: ASCII text is only folded. */
export function indexedText(field: string): string {
  const folded = foldWord(field)
  return isAscii(folded) && countWords(folded) <= OCCURRENCES_MAX ? folded : thinned(wordsIn(folded)).join(' ')
}

function countWords(ascii: string): number {
  let words = 0
  let within = false
  for (let at = 0; at < ascii.length; at++) {
    const code = ascii.charCodeAt(at)
    const part = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
    if (part && !within) words++
    within = part
  }
  return words
}

/** A term of a query: its words must occur next to each other within one field; with `prefix` the last word is a prefix. */
export type Term = { words: string[]; prefix: boolean }

/**
 * The terms of a query, all of which must match. A quoted part is one term, and so is a run of a script without spaces. Of a long query,
 * the first 8 distinct terms count, and of those the first 32 words. An empty list is no filter.
 */
export const termsOf = (query: string): Term[] => readTerms(query).terms

/** Whether a query has more terms or words than the limits: an entry with all counted terms may lack others. */
export const isCut = (query: string): boolean => readTerms(query).cut

function readTerms(query: string): { terms: Term[]; cut: boolean } {
  const terms: Term[] = []
  let cut = false
  const seen = new Set<string>()
  let room = QUERY_WORDS_MAX
  const add = (words: string[], prefix: boolean): void => {
    const kept = words.slice(0, room)
    const key = kept.join(' ') + (prefix ? '*' : '')
    if (words.length > kept.length) cut = true
    if (kept.length === 0 || seen.has(key)) return
    if (terms.length === QUERY_TERMS_MAX) {
      cut = true
      return
    }
    seen.add(key)
    room -= kept.length
    terms.push({ words: kept, prefix: prefix && kept.length === words.length })
  }
  const parts = query.split(/["\u201c\u201d\u201e\u00ab\u00bb]/)
  parts.forEach((part, index) => {
    const closed = index < parts.length - 1
    if (index % 2 === 1 && closed) add(wordsOf(part), false)
    else addLoose(part, index === parts.length - 1, add)
  })
  return { terms, cut }
}

/** Adds the words outside quotes. Each is a term; a run of a script without spaces is one term of several words. */
function addLoose(part: string, last: boolean, add: (words: string[], prefix: boolean) => void): void {
  const runs: string[][] = []
  for (const [word] of foldWord(part).matchAll(WORD)) {
    let run: string[] | undefined
    for (const [piece] of word.matchAll(UNSPACED_OR_REST)) {
      if (!UNSPACED.test(piece)) {
        run = undefined
        runs.push([piece])
      } else if (run === undefined) {
        run = [piece]
        runs.push(run)
      } else run.push(piece)
    }
  }
  runs.forEach((run, index) => {
    const word = run[0] ?? ''
    const prefix = last && index === runs.length - 1 && !UNSPACED.test(word)
    add(run, prefix && [...word].length >= PREFIX_CHARACTERS)
  })
}

/** The separator between two fields, and between two tags, in an index: no phrase can cross it, and no text can contain it as a word. */
export const FENCE = '\u0080'

/** Brackets around the code point of a character that is not part of a word: no sign may end the word of a tag. */
const SIGN = '\u0081'

/** One tag as a single word for an index: equal exactly when the tags are. */
export function tagWord(tag: string): string {
  const word = tagKey(tag).replace(/[^\p{L}\p{M}\p{N}]/gu, sign => `${SIGN}${sign.codePointAt(0)?.toString(36)}${SIGN}`)
  return `${FENCE}${word}`
}
