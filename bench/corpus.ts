import { synsets } from '../scripts/wordnet.ts'

/** A created entry. */
export type Text = { title: string; summary: string; content: string; tags: string[] }

/** Bytes to which the texts of an entry are filled. Their mean is smaller, because each text ends at a word. */
const ENTRY_BYTES = 2_000
export const ENTRY_BYTES_MEAN = 1_995
/** Upper bound of the number of glosses that fill up one content. */
const ROUND = 50
/** Distance between two glosses that fill up a content. It is a prime, so that texts that share one gloss seldom share two. */
const STRIDE = 15_485_863
const SAMPLE = 4_000
/** Distance between two samples: another prime, so that samples do not share glosses. */
const SAMPLE_STRIDE = 32_452_843

let loaded: Promise<Text[]> | undefined

/** Entry n of an endless, reproducible corpus: the n-th synset of WordNet, filled up to 2 kB with the glosses of other synsets. */
export async function createCorpus(): Promise<(number: number) => Text> {
  loaded ??= Array.fromAsync(synsets(), ({ title, summary, content, tags }) => ({ title, summary, content, tags }))
  const all = await loaded
  return number => {
    const own = all[number % all.length] as Text
    const { title, summary, tags } = own
    const room = ENTRY_BYTES - Buffer.byteLength(`${title}${summary}${tags.join('')}`)
    let content = own.content
    // In the second pass over the synsets, other glosses fill up each of them.
    const skipped = ROUND * Math.floor(number / all.length)
    for (let step = 1 + skipped; content.length < room; step++) {
      content += `\n\n${(all[(number + step * STRIDE) % all.length] as Text).content}`
    }
    const cut = content.lastIndexOf(' ', room)
    return { title, summary, content: content.slice(0, Math.max(cut, own.content.length)), tags }
  }
}

export type Words = { rare: string[]; middling: string[]; common: string[] }

/** Words by the share of the entries that contain them, counted in a sample: one in thousands, about one in a hundred, more than half. */
export async function findWords(): Promise<Words> {
  const textOf = await createCorpus()
  const holding = new Map<string, number>()
  for (let n = 0; n < SAMPLE; n++) {
    const { title, summary, content } = textOf(n * SAMPLE_STRIDE)
    const words = new Set(`${title} ${summary} ${content}`.toLowerCase().match(/[a-z]+/g))
    for (const word of words) holding.set(word, (holding.get(word) ?? 0) + 1)
  }
  const within = (least: number, most: number): string[] =>
    [...holding]
      .filter(([word, count]) => word.length > 1 && count >= least && count <= most)
      .map(([word]) => word)
      .sort()
  const spread = (list: string[], count: number): string[] =>
    list.filter((_, at) => at % Math.max(1, Math.floor(list.length / count)) === 0).slice(0, count)
  return {
    rare: spread(within(1, 1), 400),
    middling: spread(within(SAMPLE * 0.008, SAMPLE * 0.014), 400),
    common: within(SAMPLE * 0.5, SAMPLE),
  }
}
