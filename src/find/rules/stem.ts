import { createRequire } from 'node:module'
import { stem as stemOfEnglish } from 'porter2'
import type { Stemmer } from 'snowball-stemmers'

/** Function words, folded: of English, and the most frequent ones of German, French, Spanish and Russian. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again against all also although always am an and another any are aren arent around as at be because been before being
  below between both but by came can cannot cant come comes could couldn couldnt did didn didnt do does doesn doesnt doing don dont
  done during each either else etc ever every few for from further gave get gets getting give given gives goes going gone got had hadn hadnt
  has hasn hasnt have haven havent having he her here hers herself hes hi him himself his how however i id if ill im in instead into is isn isnt it its itself
  ive just know like ll may me might mine more most much must my myself need needs neither no nor not now of off often on once
  one only onto or other others our ours ourselves out over per please quite rather re really s same see seem seems shall she should
  shouldn shouldnt since so some somehow someone something such t take than thanks that thats the their theirs them themselves then there
  theres therefore these they theyre this those though through thus to together too toward towards under until up upon us use used
  uses using ve very via want wants was wasn wasnt way we well were weren werent what whatever whats when whenever where wherever
  whether which while who whole whom whose why will with within without won wont would wouldn wouldnt yet you your youre yours
  yourself yourselves tell show explain anyone anybody everyone thing things
  der das dem den des ein eine einem einen einer und oder ist sind wird werden nicht von zu zum zur auf im am fur bei aus wie wenn
  dass sich ich wir sie es er auch nur noch nach uber kann wo warum welche welcher welches wieso
  le la les un une et ou est sont dans pour par sur avec ne pas que qui ce cette ces comment pourquoi quel quelle quels quelles du au aux en je il elle nous vous
  el los las unos unas y o es del al con por para como que cual cuales cuando donde su sus se lo no
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему теперь когда даже ну
  ли если или ни быть был него до вас уж вам ведь там потом себя ей они тут где есть для мы их чем была сам чтоб без чего кто этот
  того потому этого какой ним здесь этом чтобы нее сейчас были куда зачем при после это эта эти можно почему`.split(
    /\s+/,
  ),
)

const require = createRequire(import.meta.url)
const stemmers = new Map<string, Stemmer>()
/**
 * The package is large, because it has the stemmers of all languages. A thread loads it with its first word in a script other than Latin.
 */
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

/** Adds the article to every word: the stemmer removes other endings after the article than without it. */
const stemOfArabic = (word: string): string => stemIn('arabic', `ال${word.replace(ARABIC_ARTICLE, '')}`)

/** Whether a folded word is a stop word. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)

/** British endings: a part that the word must have, the ending, and its American spelling. The stemmer removes the suffix after it. */
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
/** Matches in every word with one of these endings. */
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
