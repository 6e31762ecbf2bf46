import { foldCase, STOP_WORDS } from '../../find/rules/words.ts'
import { codesOf, LEFT_OUT_SIGNS } from './text.ts'

/*
 * A pattern searches a text only if the text has a phrase of each set of which every match has one. The phrases are found from the
 * expression, and their words are looked for in the text: without case and accents, and with letters for the digits that replace them. In
 * prose some signs inside words are left out, or replace letters; in code they divide words, like all other signs.
 */

const SPACE = 0x20
/** Marks the letter of a sign, or of an accented letter, that divides words in code; 0 without a letter. */
const DIVIDES_CODE = 0x80
/** Stands for any letter of another script. A text with one is searched by each pattern that has one. */
const FOREIGN = '\uffff'
const DISGUISE: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }

/** The letter of each code. */
const LETTERS = new Uint8Array(0x10000).fill(SPACE)
for (let code = 0; code < 0x1f00; code++) {
  if (code === 0x250) code = 0x1e00
  const sign = String.fromCharCode(code)
  const letter = foldCase(sign.normalize('NFKD').charAt(0))
  const read = DISGUISE[letter] ?? letter
  if (/^[a-z0-9]/.test(read)) LETTERS[code] = read.charCodeAt(0) | (/[a-z0-9]/i.test(sign) ? 0 : DIVIDES_CODE)
}
for (const sign of LEFT_OUT_SIGNS) LETTERS[sign.charCodeAt(0)] = DIVIDES_CODE
LETTERS.fill(DIVIDES_CODE, 0x300, 0x370)

const FOREIGN_LETTER = /[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufeff]/

/**
 * The strings that a part of an expression can match; undefined if they are too many. `sets` are those of which each match has one.
 * `isSpaced` is set if each match ends with a space, `isOptional` if it may also be empty.
 */
type Part = {
  strings: readonly string[] | undefined
  sets: readonly (readonly string[])[]
  isSpaced?: boolean
  isOptional?: boolean
}

const NOTHING: Part = { strings: [''], sets: [] }
const ANYTHING: Part = { strings: undefined, sets: [] }
const STRINGS_MAX = 120

const distinct = (strings: string[]): string[] => (strings.length < 2 ? strings : [...new Set(strings)])
const spaced = (text: string): string => (text.includes('  ') ? text.replace(/ +/g, ' ') : text)
const endWithSpace = (strings: readonly string[]): boolean => strings.every(one => one.endsWith(' '))

/** Letters from the most to the least frequent in English. Digits are rarer. */
const FREQUENT = 'etaoinsrhldcumfpgwybvkxjqz'
/** The letters of a longer word by which it is looked for, if its end is unknown. */
const BEGINNING = 4
/** Stands for the unknown end of a word. */
const CONTINUED = '*'

/** The rarity of a word, estimated from its letters; 0 for a stop word. */
function rarityOf(word: string): number {
  if (STOP_WORDS.has(word)) return 0
  let sum = 0
  for (const letter of word) {
    const at = FREQUENT.indexOf(letter)
    sum += at < 0 ? FREQUENT.length : at + 1
  }
  return sum
}

/** The words of a phrase that can be looked for. What precedes the first and follows the last is unknown. */
function wordsOf(phrase: string): string[] {
  const words = phrase.split(' ')
  const last = words.pop() ?? ''
  if (words.length > 0 && last.length >= BEGINNING) words.push(last.slice(0, BEGINNING) + CONTINUED)
  words.shift()
  return words
}

/** The two rarest words of a phrase: the same word twice if it has only one. */
function rarestWords(phrase: string): [string, string] {
  const [rarest, second = rarest] = wordsOf(phrase)
    .map(word => ({ word, rarity: rarityOf(word) }))
    .sort((one, other) => other.rarity - one.rarity)
  return [rarest?.word ?? '', second?.word ?? '']
}

/** The rarity of a phrase: that of its rarest word. */
const rarityOfPhrase = (phrase: string): number =>
  phrase.includes(FOREIGN) ? Number.POSITIVE_INFINITY : Math.max(0, ...wordsOf(phrase).map(rarityOf))

/** The rarity of a set of phrases: that of its least rare phrase. */
const rarityOfSet = (phrases: readonly string[]): number => Math.min(...phrases.map(rarityOfPhrase))

/** Whether each phrase has a word that can be looked for: one between two spaces, or the beginning of the last one. */
const canBeFound = (phrases: readonly string[]): boolean =>
  phrases.every(phrase => {
    if (phrase.includes(FOREIGN)) return true
    const [first, last] = [phrase.indexOf(' '), phrase.lastIndexOf(' ')]
    return first >= 0 && (last > first + 1 || phrase.length - last > BEGINNING)
  })

/** The rarest of several sets of phrases; of two equally rare ones the smaller. */
function rarestOf(sets: Part['sets']): readonly string[] | undefined {
  const usable = sets.filter(canBeFound)
  if (usable.length < 2) return usable[0]
  return usable
    .map(set => ({ set, rarity: rarityOfSet(set) }))
    .sort((one, other) => other.rarity - one.rarity || one.set.length - other.set.length)[0]?.set
}

/** Reads the source of an expression: alternatives, groups, classes, escapes and repetitions. */
class ExpressionReader {
  readonly #source: string
  readonly #form: 'code' | 'prose'
  #at = 0

  constructor(source: string, form: 'code' | 'prose') {
    this.#source = source
    this.#form = form
  }

  /** Reads alternatives. `before` and `after` are what precedes and follows each of them. */
  read(before = '', after = ''): Part {
    const branches = [this.#sequence(before, after)]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      branches.push(this.#sequence(before, after))
    }
    if (branches.length === 1) return branches[0] ?? NOTHING
    const strings = branches.flatMap(branch => branch.strings ?? [])
    if (branches.every(branch => branch.strings !== undefined)) return { strings: distinct(strings), sets: [] }
    const chosen = branches.map(({ strings: own, sets }) => rarestOf(own === undefined ? sets : [own]))
    const isSpaced = branches.every(branch => branch.isSpaced)
    return {
      strings: undefined,
      sets: chosen.every(set => set !== undefined) ? [distinct(chosen.flat())] : [],
      isSpaced,
    }
  }

  #sequence(before: string, after: string): Part {
    const sets: (readonly string[])[] = []
    let strings: readonly string[] = [before]
    let finite = true
    // What follows each of the strings: single characters are joined here first, which is faster.
    let tail = ''
    const join = (): void => {
      if (tail !== '') strings = distinct(strings.map(one => spaced(one + tail)))
      tail = ''
    }
    const end = (): void => {
      if (canBeFound(strings)) sets.push(strings)
    }
    const isAfterSpace = (): boolean => (tail === '' ? endWithSpace(strings) : tail.endsWith(' '))
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      if (this.#source.startsWith('\\b', this.#at)) {
        this.#at += 2
        // A word has a sign before and after it.
        join()
        if (this.#form === 'code') strings = strings.map(one => (one === '' && !finite ? one : spaced(`${one} `)))
        continue
      }
      const isFollowing = isAfterSpace()
      const part = this.#repeated(this.#atom(isFollowing ? ' ' : ''))
      if (part.strings?.length === 1) {
        tail += part.strings[0]
        continue
      }
      join()
      if (part.strings !== undefined && part.strings.length * strings.length > STRINGS_MAX) {
        end()
        finite = false
        strings = distinct(strings.map(one => one.slice(-1)))
      }
      if (part.strings !== undefined && part.strings.length * strings.length <= STRINGS_MAX) {
        const [firsts, seconds] = [strings, part.strings]
        strings = distinct(firsts.flatMap(one => seconds.map(other => spaced(one + other))))
        continue
      }
      finite = false
      end()
      sets.push(...part.sets)
      strings = part.strings ?? [part.isSpaced && (!part.isOptional || isFollowing) ? ' ' : '']
    }
    tail += after
    join()
    const isSpaced = endWithSpace(strings)
    if (finite) return { strings, sets, isSpaced }
    end()
    return { strings: undefined, sets, isSpaced }
  }

  /** A part with the repetition that follows it. */
  #repeated(part: Part): Part {
    const repetition = /^(?:([?*+])|\{(\d+)(,)?(\d*)\})[?]?/.exec(this.#source.slice(this.#at, this.#at + 12))
    if (repetition === null) return part
    this.#at += repetition[0].length
    const [, sign, least] = repetition
    const { strings } = part
    const optional = sign === '?' || sign === '*' || least === '0'
    // Several spaces are one.
    if (strings !== undefined && (sign === '?' || strings.every(one => one.trim() === ''))) {
      return { strings: optional ? distinct(['', ...strings]) : strings, sets: [] }
    }
    const isSpaced = strings === undefined ? part.isSpaced === true : endWithSpace(strings)
    if (optional) return { ...ANYTHING, isSpaced, isOptional: true }
    return { strings: undefined, sets: strings === undefined ? part.sets : [strings], isSpaced }
  }

  /** Reads one part. `before` is a space if one precedes it. */
  #atom(before: string): Part {
    const sign = this.#source[this.#at++] ?? ''
    if (sign === '(') return this.#group(before)
    if (sign === '[') return this.#class()
    if (sign === '\\') return this.#escape()
    // Before a line and after it there is a sign, as for a word.
    if (sign === '^' || sign === '$') return this.#form === 'code' ? this.#literal(' ') : NOTHING
    return sign === '.' ? ANYTHING : this.#literal(sign)
  }

  #literal(sign: string): Part {
    const code = sign.charCodeAt(0)
    if (FOREIGN_LETTER.test(sign)) return { strings: [FOREIGN], sets: [] }
    const letter = LETTERS[code] ?? SPACE
    const divides = letter >= DIVIDES_CODE
    if (divides && this.#form === 'code') return { strings: [' '], sets: [] }
    return { strings: [letter === DIVIDES_CODE ? '' : String.fromCharCode(letter & ~DIVIDES_CODE)], sets: [] }
  }

  #group(before: string): Part {
    const opening = /^\?(?:[:=!]|<[=!])/.exec(this.#source.slice(this.#at, this.#at + 3))?.[0] ?? ''
    this.#at += opening.length
    const part = this.read(before)
    this.#at += 1
    return /[=!]/.test(opening) ? NOTHING : part
  }

  #class(): Part {
    const end = /^(?:\\.|[^\]\\])*/.exec(this.#source.slice(this.#at))?.[0] ?? ''
    this.#at += end.length + 1
    if (/^\^|\\[wdSDWpP]|[^\\]-./.test(end)) return ANYTHING
    const members = [
      ...end
        .replaceAll('\\x60', '`')
        .replaceAll(/\\[tns]/g, ' ')
        .replaceAll('\\', ''),
    ]
    return { strings: distinct(members.flatMap(member => this.#literal(member).strings ?? [])), sets: [] }
  }

  #escape(): Part {
    const sign = this.#source[this.#at++] ?? ''
    if (sign === 'x') {
      this.#at += 2
      return this.#literal('`')
    }
    if (sign === 'd')
      return { strings: distinct([...'0123456789'].flatMap(one => this.#literal(one).strings ?? [])), sets: [] }
    if (/[tns]/.test(sign)) return this.#literal(' ')
    return /[wSDW0-9pP]/.test(sign) ? ANYTHING : this.#literal(sign)
  }
}

/** Sets of phrases, folded: each match of an expression has a phrase of each set. */
export function requiredPhrases(source: string, form: 'code' | 'prose'): readonly (readonly string[])[] {
  const edge = form === 'prose' ? ' ' : ''
  const { strings, sets } = new ExpressionReader(source, form).read(edge, edge)
  return (strings === undefined ? sets : [strings]).filter(canBeFound)
}

/** Of the sets of a pattern those without a phrase of stop words, which almost every text has; all if each has one. */
function rareSets(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (sets.length === 1) return sets
  const rare = sets.filter(phrases => rarityOfSet(phrases) > 0)
  return rare.length === 0 ? sets : rare
}

/** The hash of a word is FNV-1a: `Math.imul(hash ^ letter, PRIME)` for each letter. */
const EMPTY = 0x811c9dc5 | 0
const PRIME = 0x01000193
const CONTINUED_CODE = CONTINUED.charCodeAt(0)
const hashOf = (word: string): number => {
  let hash = EMPTY
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), PRIME)
  return hash
}

const FILTER_BITS = 15
/** The place of a hash in the filter is its product with this, shifted by the other bits. */
const SPREAD = 0x9e3779b1
const SHIFT = 32 - FILTER_BITS

/** A phrase counts as found in a text that has its two rarest words. */
type Phrase = { other: number; set: number }
/** The sets of a pattern: each match has a phrase of each of them. */
type Searched = { needs: readonly (readonly string[])[] }

/** Finds the patterns of which a text has a phrase of each set. A filter of 4 kB passes few words that none of them needs. */
export class Triggers {
  /** One bit for each place of a hash. A bit may stand for several hashes. */
  readonly #filter = new Int32Array(2 ** FILTER_BITS / 32)
  /** The number of each hash. */
  readonly #numbers = new Map<number, number>()
  /** The phrases of which each word is the rarest one. */
  readonly #phrases: Phrase[][] = []
  /** 1 for the number of each word of the last text, and these numbers. */
  readonly #isPresent: Uint8Array
  readonly #present: Int32Array
  #count = 0
  /** The sets that a letter of another script finds. */
  readonly #foreign: number[] = []
  /** The sets of all patterns beside each other, and where those of each pattern end. */
  readonly #needs: Int32Array
  readonly #ends: Int32Array
  /** 1 for each set of which the last text has a phrase, and for each pattern of which it has one of each set. */
  readonly #found: Uint8Array
  readonly #tried: Uint8Array

  constructor(patterns: readonly Searched[]) {
    const numbers = new Map<string, number>()
    const needed = patterns.map(({ needs }) => rareSets(needs).map(phrases => this.#addSet(phrases, numbers)))
    this.#needs = Int32Array.from(needed.flat())
    let end = 0
    this.#ends = Int32Array.from(needed, sets => {
      end += sets.length
      return end
    })
    this.#found = new Uint8Array(numbers.size)
    this.#tried = new Uint8Array(patterns.length)
    this.#isPresent = new Uint8Array(this.#phrases.length)
    this.#present = new Int32Array(this.#phrases.length)
  }

  /** Returns the number of a set of phrases. Its words are looked for from then on. */
  #addSet(phrases: readonly string[], numbers: Map<string, number>): number {
    const name = phrases.join('|')
    const known = numbers.get(name)
    if (known !== undefined) return known
    const set = numbers.size
    numbers.set(name, set)
    for (const phrase of phrases) {
      if (phrase.includes(FOREIGN)) {
        this.#foreign.push(set)
        continue
      }
      const [rarest, second] = rarestWords(phrase)
      const other = this.#numberOf(second)
      const known = this.#phrases[this.#numberOf(rarest)] ?? []
      if (!known.some(one => one.other === other && one.set === set)) known.push({ other, set })
    }
    return set
  }

  #numberOf(word: string): number {
    const hash = hashOf(word)
    const known = this.#numbers.get(hash)
    if (known !== undefined) return known
    const place = Math.imul(hash, SPREAD) >>> SHIFT
    this.#filter[place >>> 5] = (this.#filter[place >>> 5] as number) | (1 << (place & 31))
    this.#numbers.set(hash, this.#phrases.length)
    return this.#phrases.push([]) - 1
  }

  /** For each pattern, 1 if a text has a phrase of each of its sets. Valid until the next call. Takes one pass over the text, whose words are noted as code and as prose. */
  of(text: string): Uint8Array {
    const [found, tried] = [this.#found.fill(0), this.#tried]
    this.#count = 0
    const codes = codesOf(text)
    /** Where the words of prose are noted. */
    let notedTo = 0
    for (let at = 0; at < text.length; at++) {
      const from = at
      let hash = EMPTY
      let letter = LETTERS[codes[at] as number] as number
      while (letter > SPACE && letter < DIVIDES_CODE) {
        hash = Math.imul(hash ^ letter, PRIME)
        at += 1
        if (at - from === BEGINNING) this.#note(Math.imul(hash ^ CONTINUED_CODE, PRIME))
        letter = at < text.length ? (LETTERS[codes[at] as number] as number) : SPACE
      }
      if (at > from) this.#note(hash)
      if (letter >= DIVIDES_CODE && at >= notedTo) notedTo = this.#noteWordOfProse(codes, from, text.length)
    }
    for (let at = 0; at < this.#count; at++) {
      for (const { other, set } of this.#phrases[this.#present[at] as number] as Phrase[]) {
        if (this.#isPresent[other] === 1) found[set] = 1
      }
    }
    for (let at = 0; at < this.#count; at++) this.#isPresent[this.#present[at] as number] = 0
    if (FOREIGN_LETTER.test(text)) for (const set of this.#foreign) found[set] = 1
    for (let pattern = 0, at = 0; pattern < tried.length; pattern++) {
      let all = 1
      for (; at < (this.#ends[pattern] as number); at++) all &= found[this.#needs[at] as number] as number
      tried[pattern] = all
    }
    return tried
  }

  /** Notes a word with signs that divide it in code only. Returns where it ends. */
  #noteWordOfProse(codes: Uint16Array, from: number, end: number): number {
    let [hash, length, at] = [EMPTY, 0, from]
    for (; at < end; at++) {
      const letter = LETTERS[codes[at] as number] as number
      if (letter === SPACE) break
      if (letter === DIVIDES_CODE) continue
      hash = Math.imul(hash ^ (letter & ~DIVIDES_CODE), PRIME)
      if (++length === BEGINNING) this.#note(Math.imul(hash ^ CONTINUED_CODE, PRIME))
    }
    this.#note(hash)
    return at
  }

  #note(hash: number): void {
    const place = Math.imul(hash, SPREAD) >>> SHIFT
    if ((((this.#filter[place >>> 5] as number) >>> (place & 31)) & 1) === 0) return
    const number = this.#numbers.get(hash)
    if (number === undefined || this.#isPresent[number] === 1) return
    this.#isPresent[number] = 1
    this.#present[this.#count++] = number
  }
}
