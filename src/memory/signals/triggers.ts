import { foldCase } from '../../find/rules/fold.ts'
import { isStopWord } from '../../find/rules/stem.ts'
import { codesOf, LEFT_OUT_SIGNS } from './text.ts'

/*
 * A pattern searches a text only if the text has a word of each set that every match must have. The words are found from the expression,
 * and compared in two forms of the text: as prose, without case, accents and the signs inside words, with digits for the letters that they
 * replace; and as code, in lower case. In both every other run of signs is one space.
 */

const SPACE = 0x20
/** Stands for any letter of another script. A text with one is searched by each pattern that has one. */
const FOREIGN = '\uffff'
const DISGUISE: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }

/** The codes of a text as prose: 0 for a sign that is left out. */
const PROSE = new Uint8Array(0x10000).fill(SPACE)
/** The codes of a text as code. */
const CODE = new Uint8Array(0x10000).fill(SPACE)
for (let code = 0; code < 0x1f00; code++) {
  if (code === 0x250) code = 0x1e00
  const letter = foldCase(String.fromCharCode(code).normalize('NFKD').charAt(0))
  const read = DISGUISE[letter] ?? letter
  if (/^[a-z0-9]/.test(read)) PROSE[code] = read.charCodeAt(0)
  if (code < 0x80 && /[a-z0-9]/.test(letter)) CODE[code] = letter.charCodeAt(0)
}
for (const sign of LEFT_OUT_SIGNS) PROSE[sign.charCodeAt(0)] = 0
PROSE.fill(0, 0x300, 0x370)

const FOREIGN_LETTER = /[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufeff]/

/** The strings that a part of an expression can match; undefined if they are too many. `sets` are those of which each match has one. */
type Part = { strings: readonly string[] | undefined; sets: readonly (readonly string[])[] }

const NOTHING: Part = { strings: [''], sets: [] }
const ANYTHING: Part = { strings: undefined, sets: [] }
const STRINGS_MAX = 120
/** The characters of a text that are compared at once, as one number. A shorter word cannot be looked for. */
const LENGTH = 4

const distinct = (strings: string[]): string[] => (strings.length < 2 ? strings : [...new Set(strings)])
const spaced = (text: string): string => (text.includes('  ') ? text.replace(/ +/g, ' ') : text)
const isLongEnough = (word: string): boolean => word.length >= LENGTH || word.includes(FOREIGN)
/** Of several sets the one whose words are longest. */
const best = (sets: Part['sets']): readonly string[] | undefined => {
  const lengthOf = (set: readonly string[]): number => Math.min(...set.map(word => word.length)) * 100 - set.length
  return sets.filter(set => set.every(isLongEnough)).sort((one, other) => lengthOf(other) - lengthOf(one))[0]
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

  /** Reads alternatives. `edge` is what precedes and follows each of them. */
  read(edge = ''): Part {
    const branches = [this.#sequence(edge)]
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      branches.push(this.#sequence(edge))
    }
    if (branches.length === 1) return branches[0] ?? NOTHING
    const strings = branches.flatMap(branch => branch.strings ?? [])
    if (branches.every(branch => branch.strings !== undefined)) return { strings: distinct(strings), sets: [] }
    const chosen = branches.map(({ strings: own, sets }) => best(own === undefined ? sets : [own]))
    return { strings: undefined, sets: chosen.every(set => set !== undefined) ? [distinct(chosen.flat())] : [] }
  }

  #sequence(edge: string): Part {
    const sets: (readonly string[])[] = []
    let strings: readonly string[] = [edge]
    let finite = true
    // What follows each of the strings: single characters are joined here first, which is faster.
    let tail = ''
    const join = (): void => {
      if (tail !== '') strings = distinct(strings.map(one => spaced(one + tail)))
      tail = ''
    }
    const end = (): void => {
      if (strings.every(isLongEnough)) sets.push(strings)
    }
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      if (this.#source.startsWith('\\b', this.#at)) {
        this.#at += 2
        // A word has a sign before and after it.
        join()
        if (this.#form === 'code') strings = strings.map(one => (one === '' && !finite ? one : spaced(`${one} `)))
        continue
      }
      const part = this.#repeated(this.#atom())
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
        const [before, after] = [strings, part.strings]
        strings = distinct(before.flatMap(one => after.map(other => spaced(one + other))))
        continue
      }
      finite = false
      end()
      sets.push(...part.sets)
      strings = part.strings ?? ['']
    }
    tail += edge
    join()
    if (finite) return { strings, sets }
    end()
    return { strings: undefined, sets }
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
    if (optional) return ANYTHING
    return { strings: undefined, sets: strings === undefined ? part.sets : [strings] }
  }

  #atom(): Part {
    const sign = this.#source[this.#at++] ?? ''
    if (sign === '(') return this.#group()
    if (sign === '[') return this.#class()
    if (sign === '\\') return this.#escape()
    // Before a line and after it there is a sign, as for a word.
    if (sign === '^' || sign === '$') return this.#form === 'code' ? this.#literal(' ') : NOTHING
    return sign === '.' ? ANYTHING : this.#literal(sign)
  }

  #literal(sign: string): Part {
    const code = sign.charCodeAt(0)
    if (FOREIGN_LETTER.test(sign)) return { strings: [FOREIGN], sets: [] }
    const folded = this.#form === 'prose' ? PROSE[code] : CODE[code]
    return { strings: [folded === 0 ? '' : String.fromCharCode(folded ?? SPACE)], sets: [] }
  }

  #group(): Part {
    const opening = /^\?(?:[:=!]|<[=!])/.exec(this.#source.slice(this.#at, this.#at + 3))?.[0] ?? ''
    this.#at += opening.length
    const part = this.read()
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

/** Sets of words, folded: each match of an expression has a word of each set. */
export function requiredWords(source: string, form: 'code' | 'prose'): readonly (readonly string[])[] {
  const { strings, sets } = new ExpressionReader(source, form).read(form === 'prose' ? ' ' : '')
  return (strings === undefined ? sets : [strings]).filter(set => set.every(isLongEnough))
}

/** Letters from the most to the least frequent in English. Digits are rarer. */
const FREQUENT = ' etaoinsrhldcumfpgwybvkxjqz'
const RARITY = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const at = FREQUENT.indexOf(String.fromCharCode(code))
  return at < 0 ? FREQUENT.length : at
})

/** How rare a word is in English, by its letters. */
function rarityOf(word: string): number {
  let sum = 0
  for (let at = 0; at < word.length; at++) sum += RARITY[word.charCodeAt(at)] ?? 0
  return sum
}

/** The most characters of a word that are looked for: its first four and its last four are the whole of it. */
const LONGEST = 2 * LENGTH

/** The rarest part of a word, of at most `LONGEST` characters. */
function rarestOf(word: string): string {
  if (word.length <= LONGEST) return word
  let sum = rarityOf(word.slice(0, LONGEST))
  let [most, from] = [sum, 0]
  for (let at = LONGEST; at < word.length; at++) {
    sum += (RARITY[word.charCodeAt(at)] ?? 0) - (RARITY[word.charCodeAt(at - LONGEST)] ?? 0)
    if (sum > most) [most, from] = [sum, at - LONGEST + 1]
  }
  return word.slice(from, from + LONGEST)
}

/** The parts of a set of words that are looked for, without those that contain another one. */
function partsOf(words: readonly string[]): string[] {
  const parts = distinct(words.map(word => (word.includes(FOREIGN) ? FOREIGN : rarestOf(word))))
  const short = parts.filter(part => part.length < LONGEST)
  return parts.filter(part => !short.some(other => other !== part && part.includes(other)))
}

/** Of the sets of a pattern those without a stop word, which almost every text has; the first one if each has one. */
function tellingOf(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const telling = sets.filter(words => !words.some(word => isStopWord(word.trim())))
  return telling.length === 0 ? sets.slice(0, 1) : telling
}

const keyOf = (four: string): number =>
  (four.charCodeAt(0) << 24) | (four.charCodeAt(1) << 16) | (four.charCodeAt(2) << 8) | four.charCodeAt(3)
const keyAt = (codes: Uint8Array, at: number): number =>
  ((codes[at] as number) << 24) |
  ((codes[at + 1] as number) << 16) |
  ((codes[at + 2] as number) << 8) |
  (codes[at + 3] as number)

/** The place of a key among `2 ** bits`. */
const placeOf = (key: number, bits: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - bits)
const FILTER_BITS = 16

/** A word by two keys: the rarer of its first and its last four characters, and the other one, which begins `to` characters later. */
type Word = { key: number; to: number; other: number; sets: readonly number[] }

function wordOf(word: string, sets: readonly number[]): Word {
  const [first, last] = [word.slice(0, LENGTH), word.slice(-LENGTH)]
  const length = word.length - LENGTH
  return rarityOf(last) > rarityOf(first)
    ? { key: keyOf(last), to: -length, other: keyOf(first), sets }
    : { key: keyOf(first), to: length, other: keyOf(last), sets }
}

/**
 * The words of one form. A search looks at hundreds of them, and its processor has other work between two texts: so all numbers of a word
 * are beside each other, and a filter of 8 kB passes few places of a text.
 */
class Words {
  readonly #letters: Uint8Array
  /** One bit for each place of a key. A bit may stand for several keys. */
  readonly #filter = new Int32Array(2 ** FILTER_BITS / 32)
  /** A hash table: a key, and where the words with it begin in `#rows`; 0 for none. */
  readonly #slots: Int32Array
  readonly #slotBits: number
  /** For each word `to`, `other`, and its place in `#sets`, which is negative if another word with the same key follows. */
  readonly #rows: Int32Array
  readonly #sets: (readonly number[])[] = [[]]
  /** The last text in this form, with spaces before it, and the places in it that passed the filter. */
  #form = new Uint8Array(0)
  #places = new Int32Array(0)

  /** `letters` has the form of each code: 0 for a sign that is left out. */
  constructor(letters: Uint8Array, setsOf: ReadonlyMap<string, readonly number[]>) {
    this.#letters = letters
    const byKey = Map.groupBy(
      Array.from(setsOf, ([word, sets]) => wordOf(word, sets)),
      ({ key }) => key,
    )
    this.#slotBits = Math.ceil(Math.log2(byKey.size + 1)) + 1
    this.#slots = new Int32Array(2 ** (this.#slotBits + 1))
    this.#rows = new Int32Array(3 * (setsOf.size + 1))
    let row = 3
    for (const [key, words] of byKey) {
      const place = placeOf(key, FILTER_BITS)
      this.#filter[place >>> 5] = (this.#filter[place >>> 5] as number) | (1 << (place & 31))
      this.#slots.set([key, row], this.#slotOf(key))
      for (const [at, { to, other, sets }] of words.entries()) {
        const set = this.#sets.push(sets) - 1
        this.#rows.set([to, other, at === words.length - 1 ? set : -set], row)
        row += 3
      }
    }
  }

  /** Sets 1 in `found` for each set of which a text has a word. */
  search(text: string, found: Uint8Array): void {
    const places = this.#placesIn(text)
    for (let at = 0; at < places; at++) this.#mark(this.#places[at] as number, found)
  }

  /** Writes a text in its form, and the places that pass the filter. */
  #placesIn(text: string): number {
    const end = text.length
    if (this.#form.length < end + LENGTH + 1) {
      this.#form = new Uint8Array(2 * end + LENGTH + 1).fill(SPACE)
      this.#places = new Int32Array(2 * end + 1)
    }
    const codes = codesOf(text)
    const [letters, form, filter, places] = [this.#letters, this.#form, this.#filter, this.#places]
    let [size, count] = [LENGTH, 0]
    let key = SPACE
    for (let at = 0; at <= end; at++) {
      const letter = at < end ? (letters[codes[at] as number] as number) : SPACE
      if (letter === 0 || (letter === SPACE && (key & 0xff) === SPACE)) continue
      key = (key << 8) | letter
      form[size++] = letter
      const place = placeOf(key, FILTER_BITS)
      if ((((filter[place >>> 5] as number) >>> (place & 31)) & 1) === 1) places[count++] = size - LENGTH
    }
    return count
  }

  /** Marks the sets of the words whose key is at a place of the form. */
  #mark(place: number, found: Uint8Array): void {
    const [form, rows] = [this.#form, this.#rows]
    let row = this.#slots[this.#slotOf(keyAt(form, place)) + 1] as number
    while (row !== 0) {
      const set = rows[row + 2] as number
      if (keyAt(form, place + (rows[row] as number)) === rows[row + 1]) {
        for (const one of this.#sets[Math.abs(set)] as readonly number[]) found[one] = 1
      }
      row = set < 0 ? row + 3 : 0
    }
  }

  /** Where a key is in `#slots`, or can be put. */
  #slotOf(key: number): number {
    const slots = this.#slots
    let slot = 2 * placeOf(key, this.#slotBits)
    while (slots[slot] !== key && slots[slot + 1] !== 0) slot = (slot + 2) & (slots.length - 1)
    return slot
  }
}

/** What a pattern searches, and its sets: each match has a word of each of them. */
type Searched = { over: 'code' | 'prose' | 'comment'; needs: readonly (readonly string[])[] }

/**
 * Returns a function that finds the patterns of which a text has a word of each set: 1 for each of them, valid until the next call. It
 * takes a pass over the text for each form.
 */
export function createTriggers(patterns: readonly Searched[]): (text: string) => Uint8Array {
  const numbers = new Map<string, number>()
  const setsOf = { code: new Map<string, number[]>(), prose: new Map<string, number[]>() }
  const foreign: number[] = []
  const numberOf = (form: 'code' | 'prose', words: readonly string[]): number => {
    const name = `${form}: ${words.join('|')}`
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = numbers.size
    numbers.set(name, number)
    for (const word of words) {
      const sets = word === FOREIGN ? foreign : (setsOf[form].get(word) ?? [])
      sets.push(number)
      if (word !== FOREIGN) setsOf[form].set(word, sets)
    }
    return number
  }
  const needed = patterns.map(({ over, needs }) =>
    tellingOf(needs).map(words => numberOf(over === 'code' ? 'code' : 'prose', partsOf(words))),
  )
  const forms = [new Words(CODE, setsOf.code), new Words(PROSE, setsOf.prose)]
  // The sets of all patterns beside each other, and where those of each pattern end.
  const needs = Int32Array.from(needed.flat())
  let end = 0
  const ends = Int32Array.from(needed, sets => {
    end += sets.length
    return end
  })
  const found = new Uint8Array(numbers.size)
  const tried = new Uint8Array(patterns.length)
  return text => {
    found.fill(0)
    for (const form of forms) form.search(text, found)
    if (FOREIGN_LETTER.test(text)) for (const set of foreign) found[set] = 1
    for (let pattern = 0, at = 0; pattern < tried.length; pattern++) {
      let all = 1
      for (; at < (ends[pattern] as number); at++) all &= found[needs[at] as number] as number
      tried[pattern] = all
    }
    return tried
  }
}
