/** Words of the made-up language. The word of rank r stands about 1/(r · ln WORDS) times in a text for each of its words (Zipf's law). */
const WORDS = 30_000
const CONTENT = 1_900
const SUMMARY = 80
const TITLE = 30
/** So many contents are made; entries share them, and differ by a word of their own. */
const POOL = 2_000
const SYLLABLES = ['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'ke', 'li', 'mo', 'nu', 'pa', 're', 'si', 'to', 'vu', 'ze']

export type Text = { title: string; summary: string; content: string; tags: string[] }

/** The word of a rank, 1 being the most frequent one. */
export function wordOf(rank: number): string {
  let rest = rank + SYLLABLES.length
  let word = ''
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

/** A word that stands in the one entry of this number. */
export const serialOf = (number: number): string => `q${number.toString(36)}x`

/** Stand in half of the entries each, and never together. */
export const PARITIES = ['evenly', 'oddly'] as const

/** Entries of about 2 kB, the same for the same seed. */
export function createCorpus(seed: number): (number: number) => Text {
  const random = mulberry32(seed)
  const text = (length: number): string => {
    let made = ''
    while (made.length < length) made += `${wordOf(Math.floor(WORDS ** random()))} `
    return made.slice(0, length)
  }
  const pool = Array.from({ length: POOL }, () => ({
    title: text(TITLE),
    summary: text(SUMMARY),
    content: text(CONTENT),
  }))
  return number => {
    const { title, summary, content } = pool[Math.floor(random() * POOL)] as (typeof pool)[number]
    return {
      title: `${title} ${serialOf(number)}`,
      summary: `${summary} ${PARITIES[number % 2]}`,
      content,
      tags: [`tag-${number % 97}`, 'measured'],
    }
  }
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
