import { pick, seeded } from '../numbers.ts'
import type { Entry } from './collection.ts'

const STOP_WORDS =
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out'.split(
    ' ',
  )
const SYLLABLES = [...'bcdfghklmnprstvz'].flatMap(head =>
  ['a', 'e', 'i', 'o', 'u', 'an', 'el', 'or'].map(end => head + end),
)
/** Numbers of distinct words: words that follow Zipf's law, and rare words such as names, codes and numbers of a large store. */
const VOCABULARY = 120_000
const RARE = 2_000_000
const RARE_SHARE = 0.03
/** Mandelbrot's shift: the most frequent word is about one in fifteen, as in English. */
const SHIFT = 2.7
const LENGTHS = { title: 6, summary: 14, content: 55 }
const TOPICS = 400

/** The word of a rank: stop words first, then words made of syllables. Frequent words are short. */
function wordAt(rank: number): string {
  const stop = STOP_WORDS[rank]
  if (stop !== undefined) return stop
  let word = ''
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}

const cumulative = ((): Float64Array => {
  const sums = new Float64Array(VOCABULARY)
  let sum = 0
  for (let rank = 0; rank < VOCABULARY; rank++) {
    sum += 1 / (rank + SHIFT)
    sums[rank] = sum
  }
  return sums
})()

function rankOf(random: () => number): number {
  if (random() < RARE_SHARE) return VOCABULARY + Math.floor(random() * RARE)
  const wanted = random() * (cumulative[VOCABULARY - 1] as number)
  let [low, high] = [0, VOCABULARY - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cumulative[middle] as number) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

const textOf = (random: () => number, words: number): string =>
  Array.from({ length: words }, () => wordAt(rankOf(random))).join(' ')

/** Entry n of an endless, reproducible store, with 75 words. */
export function generatedEntry(number: number): Entry {
  const random = seeded(number + 1)
  const title = textOf(random, LENGTHS.title)
  const summary = textOf(random, LENGTHS.summary)
  const content = textOf(random, LENGTHS.content)
  return { id: String(number), title, summary, content, tags: [`topic ${Math.floor(random() * TOPICS)}`] }
}

/** Queries by kind, at most `count` of each, for a store with `entries` entries. */
export function generatedQueries(entries: number, count: number): Record<string, string[]> {
  const random = seeded(99)
  const wordsOf = (): string[] => generatedEntry(Math.floor(random() * entries)).content.split(' ')
  const specificWords = (): string[] => [...new Set(wordsOf())].filter(word => !STOP_WORDS.includes(word))
  const common = (least: number, most: number): string => wordAt(least + Math.floor(random() * (most - least)))
  const many = (make: () => string): string[] => Array.from({ length: count }, make)
  return {
    question: many(() => {
      const [a, b, c, d, e] = specificWords()
      return `how is the ${a} of ${b} when ${c} and ${d} are in ${e}`
    }),
    typo: many(() => {
      const [a, b, c] = specificWords()
      return `${a} for ${b?.slice(0, 2)}q${b?.slice(2)} with ${c}`
    }),
    'two words of one entry': many(() => specificWords().slice(0, 2).join(' ')),
    'one rare word': many(() => wordAt(VOCABULARY + Math.floor(random() * RARE))),
    'common words only': many(() => Array.from({ length: 5 }, () => common(50, 250)).join(' ')),
    'stop words only': many(() => Array.from({ length: 4 }, () => pick(random, STOP_WORDS)).join(' ')),
  }
}

/** Costly queries, by their parts. `turn` varies each query, so that no cache answers it. */
export function hostileQueries(turn: number, characters: number): Record<string, string> {
  const fill = (part: (n: number) => string): string => {
    let text = ''
    for (let n = 0; text.length < characters; n++) text += part(n + turn)
    return text.slice(0, characters).trim()
  }
  return {
    'the most common words': fill(n => `${wordAt(n % 400)} `),
    'common words, each misspelt': fill(n => `${wordAt(50 + (n % 300)).replace(/.$/, 'q')}x `),
    'long unknown words': fill(n => `${wordAt(5_000_000 + n * 7_919)}${wordAt(9_000_000 + n * 104_729)} `),
    'single letters': fill(n => `${String.fromCharCode(97 + (n % 26))} `),
    'phrases of stop words': fill(n => `"${wordAt(n % 12)} ${wordAt((n * 5 + 3) % 12)}" `),
    'a prefix of three letters': wordAt(50 + turn).slice(0, 3),
    'prefixes of two letters': fill(n => `${wordAt(50 + n).slice(0, 2)}* `),
    'phrases of common words': fill(n => `"${wordAt(n % 60)} ${wordAt((n * 7) % 60)}" `),
    'one word without an end': fill(n => SYLLABLES[n % SYLLABLES.length] as string),
    'characters without spaces': fill(n => String.fromCodePoint(0x4e00 + ((n * 37) % 20_000))),
    'numbers and versions': fill(n => `v${n}.${n % 7}.${n % 13} 0x${n.toString(16)} `),
    'camelCase of many parts': fill(n => `get${wordAt(60 + n).replace(/^./, first => first.toUpperCase())}`),
    punctuation: fill(n => '"\'()*:^-+&|!~\\'.charAt(n % 14)),
  }
}
