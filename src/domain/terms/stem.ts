import { createRequire } from 'node:module'
import { stem as stemOfEnglish } from 'porter2'
import type { Stemmer } from 'snowball-stemmers'
import { STOP_WORDS } from './stop-words.ts'

const require = createRequire(import.meta.url)
const stemmers = new Map<string, Stemmer>()
/** The package has the stemmers of all languages and is large: each thread loads it with its first word in another script than Latin. */
function stemIn(language: 'russian' | 'arabic', word: string): string {
  let stemmer = stemmers.get(language)
  if (stemmer === undefined) {
    stemmer = (require('snowball-stemmers') as typeof import('snowball-stemmers')).newStemmer(language)
    stemmers.set(language, stemmer)
  }
  return stemmer.stem(word)
}

const LATIN = /^[a-z]{3,}$/
const CYRILLIC = /^[\p{sc=Cyrillic}\p{M}]{3,}$/u
const ARABIC = /^[\p{sc=Arabic}\p{M}]{3,}$/u
/** The article, with the conjunctions and prepositions that are written before it. */
const ARABIC_ARTICLE = /^[وف]?(?:[بك]?ال|لل)(?=..)/u

/**
 * The stem of a folded word: Snowball's English for words of a to z (after American spelling), Snowball's Russian for Cyrillic words, its
 * Arabic for Arabic words. Any other word, such as one with a digit, is returned unchanged.
 */
export function stemOf(word: string): string {
  if (LATIN.test(word)) return stemOfEnglish(american(word))
  if (CYRILLIC.test(word)) return stemIn('russian', word)
  return ARABIC.test(word) ? stemOfArabic(word) : word
}

/** The stemmer removes other endings after the article than without it, so that each word gets one. */
const stemOfArabic = (word: string): string => stemIn('arabic', `ال${word.replace(ARABIC_ARTICLE, '')}`)

/** Whether a folded word is a stop word. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)

/** What a word must have for a British ending, the ending, and what American spelling writes for it; the stemmer removes what follows. */
const ENDINGS: readonly [part: string, ending: RegExp, other: string][] = [
  ['is', /^(.{2,}[^aeiou])is(e|es|ed|er|ers|ing|ation|ations|able)$/, '$1iz$2'],
  ['ys', /^(.*anal|.*paral|.*catal|.*hydrol)ys(e|es|ed|er|ers|ing)$/, '$1yz$2'],
  [
    'our',
    /^(col|hon|hum|fav|flav|lab|neighb|harb|behavi|endeav|rum|vap|arm|sav|od|rig|vig|val|tum|parl|cand|clam|ferv|glam|savi)our(.*)$/,
    '$1or$2',
  ],
  [
    're',
    /^(cent|fib|lit|met|kilomet|millimet|centimet|theat|spect|calib|lust|mit|somb|specte|meag)re(s|d)?$/,
    '$1er$2',
  ],
  ['ogue', /^(dial|anal|catal|mon|pro|epil|travel)ogue(s|d)?$/, '$1og$2'],
  ['enc', /^(defen|offen|licen|preten)c(e|es|ed|ing)$/, '$1s$2'],
  [
    'll',
    /^(.*(?:travel|cancel|label|model|signal|channel|level|fuel|counsel|marshal|tunnel|total|equal|jewel|panel|quarrel|rival))l(ed|ing|er|ers)$/,
    '$1$2',
  ],
]
/** What a word with one of these endings has. */
const BRITISH = /[iy]s|our|re|ogue|enc|ll/
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    grey: 'gray',
    programme: 'program',
    programmes: 'programs',
    cheque: 'check',
    cheques: 'checks',
    aeroplane: 'airplane',
    aeroplanes: 'airplanes',
    aluminium: 'aluminum',
    tyre: 'tire',
    tyres: 'tires',
    artefact: 'artifact',
    artefacts: 'artifacts',
    fulfil: 'fulfill',
    enrol: 'enroll',
    sceptical: 'skeptical',
    mould: 'mold',
    plough: 'plow',
  }),
)

/** A folded word in American spelling. */
function american(word: string): string {
  const known = WORDS.get(word)
  if (known !== undefined) return known
  if (!BRITISH.test(word)) return word
  for (const [part, ending, other] of ENDINGS) {
    if (word.includes(part) && ending.test(word)) return word.replace(ending, other)
  }
  return word
}
