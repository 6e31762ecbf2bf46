import { foldCase } from '../../find/rules/fold.ts'
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
/** The codes of ASCII as code. */
const CODE = new Uint8Array(0x80).fill(SPACE)
for (let code = 0; code < 0x1f00; code++) {
  if (code === 0x250) code = 0x1e00
  const letter = foldCase(String.fromCharCode(code).normalize('NFKD').charAt(0))
  const read = DISGUISE[letter] ?? letter
  if (/^[a-z0-9]/.test(read)) PROSE[code] = read.charCodeAt(0)
  if (code < 0x80 && /[a-z0-9]/.test(letter)) CODE[code] = letter.charCodeAt(0)
}
for (const sign of LEFT_OUT_SIGNS) PROSE[sign.charCodeAt(0)] = 0
PROSE.fill(0, 0x300, 0x370)

const isForeign = (code: number): boolean =>
  (code >= 0x370 && code < 0x1e00) || (code >= 0x2e80 && code < 0xd800) || (code >= 0xf900 && code < 0xff00)

/** The strings that a part of an expression can match; undefined if they are too many. `sets` are those of which each match has one. */
type Part = { strings: readonly string[] | undefined; sets: readonly (readonly string[])[] }

const NOTHING: Part = { strings: [''], sets: [] }
const ANYTHING: Part = { strings: undefined, sets: [] }
const STRINGS_MAX = 100
/** The characters of a text that are compared at once. A shorter word cannot be looked for. */
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
    if (isForeign(code)) return { strings: [FOREIGN], sets: [] }
    const folded = this.#form === 'prose' ? PROSE[code] : (CODE[code] ?? SPACE)
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

/** The most characters of a word that are looked for. */
const LONGEST = 10
/** Where the rarest part of a word with `length` characters begins. */
function rarestIn(word: string, length: number): number {
  const rarityAt = (at: number): number => RARITY[word.charCodeAt(at)] ?? 0
  let sum = 0
  let most = -1
  let from = 0
  for (let at = 0; at < word.length; at++) {
    sum += rarityAt(at) - (at < length ? 0 : rarityAt(at - length))
    if (at < length - 1 || sum <= most) continue
    most = sum
    from = at - length + 1
  }
  return from
}

/** The rarest part of a word, of at most `length` characters. */
function rarestOf(word: string, length: number): string {
  if (word.length <= length) return word
  const from = rarestIn(word, length)
  return word.slice(from, from + length)
}

/** The parts of a set of words that are looked for, without those that contain another one. */
function partsOf(words: readonly string[]): string[] {
  const parts = distinct(words.map(word => (word.includes(FOREIGN) ? FOREIGN : rarestOf(word, LONGEST))))
  const short = parts.filter(part => part.length < LONGEST)
  return parts.filter(part => !short.some(other => other !== part && part.includes(other)))
}

/** A word that texts are searched for, by the rarest characters in it: those at `from`. */
type Sought = { word: string; from: number; sets: number[] }

function soughtOf(word: string): Sought & { key: number } {
  const from = rarestIn(word, LENGTH)
  let key = 0
  for (let at = from; at < from + LENGTH; at++) key = (key << 8) | word.charCodeAt(at)
  return { word, from, sets: [], key }
}

/** Which keys a text is searched for, as 65,536 bits. A bit may stand for several keys. */
const placeOf = (key: number): number => Math.imul(key, 0x9e3779b1) >>> 16

export type Triggers = {
  /** For each list of sets, 1 if a text has a word of each. Valid until the next call. */
  has: Uint8Array
  /** Whether it has a control character. */
  controls: boolean
}

/** Returns a function that finds for which lists of sets a text has a word of each set. It takes two passes over the text. */
export function createTriggers(lists: readonly (readonly (readonly string[])[])[]): (text: string) => Triggers {
  const named = lists.map(list => list.map(words => partsOf(words).join('|')))
  const numbers = new Map(distinct(named.flat()).map((name, set) => [name, set]))
  const needs = named.map(list => list.map(name => numbers.get(name) ?? 0))
  const byWord = new Map<string, Sought & { key: number }>()
  const foreign: number[] = []
  for (const [name, set] of numbers) {
    for (const word of name.split('|')) {
      if (word.includes(FOREIGN)) foreign.push(set)
      else {
        const sought = byWord.get(word) ?? soughtOf(word)
        byWord.set(word, sought)
        sought.sets.push(set)
      }
    }
  }
  const byKey = Map.groupBy(byWord.values(), ({ key }) => key)
  const filter = new Int32Array(0x10000 / 32)
  for (const key of byKey.keys())
    filter[placeOf(key) >>> 5] = (filter[placeOf(key) >>> 5] ?? 0) | (1 << (placeOf(key) & 31))
  const found = new Uint8Array(numbers.size)
  const has = new Uint8Array(lists.length)
  const look = (form: Uint8Array, last: number): void => {
    let key = 0
    for (let at = Math.max(0, last - LENGTH + 1); at <= last; at++) key = (key << 8) | (form[at] as number)
    const words = byKey.get(key)
    if (words === undefined) return
    for (const word of words) {
      if (isAt(form, last - LENGTH + 1 - word.from, word)) for (const set of word.sets) found[set] = 1
    }
  }
  return text => {
    found.fill(0)
    const { hits, foreign: isForeignText, controls } = scan(text, filter)
    for (let at = 0; at < hits; at += 2) {
      look(PROSE_FORM, HITS[at] as number)
      look(CODE_FORM, HITS[at + 1] as number)
    }
    if (isForeignText) for (const set of foreign) found[set] = 1
    for (let at = 0; at < has.length; at++) {
      let all = 1
      for (const set of needs[at] as number[]) all &= found[set] as number
      has[at] = all
    }
    return { has, controls }
  }
}

function isAt(form: Uint8Array, from: number, { word }: Sought): boolean {
  if (from < 0) return false
  for (let at = 0; at < word.length; at++) if (form[from + at] !== word.charCodeAt(at)) return false
  return true
}

/** The two forms of the last text, and the places in them, in turn, where four characters passed the filter. */
let PROSE_FORM = new Uint8Array(0)
let CODE_FORM = new Uint8Array(0)
let HITS = new Int32Array(0)

function isIn(filter: Int32Array, key: number): boolean {
  const place = Math.imul(key, 0x9e3779b1) >>> 16
  return (((filter[place >>> 5] as number) >>> (place & 31)) & 1) === 1
}

/** Writes the two forms of a text, each with a space before and after it, and the places that pass the filter. */
function scan(text: string, filter: Int32Array): { hits: number; foreign: boolean; controls: boolean } {
  const end = text.length
  if (PROSE_FORM.length < end + 2) {
    PROSE_FORM = new Uint8Array(2 * end + 2)
    CODE_FORM = new Uint8Array(2 * end + 2)
    HITS = new Int32Array(4 * end + 4)
  }
  const codes = codesOf(text)
  const [proseForm, codeForm, places] = [PROSE_FORM, CODE_FORM, HITS]
  proseForm[0] = SPACE
  codeForm[0] = SPACE
  let [prose, code, hits] = [1, 1, 0]
  let [proseKey, codeKey] = [SPACE, SPACE]
  let [foreign, controls] = [false, false]
  for (let at = 0; at <= end; at++) {
    const unit = at < end ? (codes[at] as number) : SPACE
    const asProse = PROSE[unit] as number
    let asCode = SPACE
    if (unit < 0x80) {
      asCode = CODE[unit] as number
      if (unit < 0x20 ? unit !== 0x0a && unit !== 0x09 && unit !== 0x0d : unit === 0x7f) controls = true
    } else if (isForeign(unit)) foreign = true
    const isProse = asProse !== 0 && (asProse !== SPACE || (proseKey & 0xff) !== SPACE)
    const isCode = asCode !== SPACE || (codeKey & 0xff) !== SPACE
    if (isProse) {
      proseKey = (proseKey << 8) | asProse
      proseForm[prose++] = asProse
    }
    if (isCode) {
      codeKey = (codeKey << 8) | asCode
      codeForm[code++] = asCode
    }
    if ((isProse && isIn(filter, proseKey)) || (isCode && codeKey !== proseKey && isIn(filter, codeKey))) {
      places[hits++] = prose - 1
      places[hits++] = code - 1
    }
  }
  return { hits, foreign, controls }
}
