import type { RankingTerm } from './chunk-terms.ts'

/** Raise it when the same text gets other pairs: search indexes are then rebuilt. */
export const PAIRS_VERSION = 1

/** The number of terms of a text that are paired. */
const PAIRED = 5
/** The distinct terms of texts, without derived terms. */
export function distinctTerms(...texts: readonly (readonly RankingTerm[])[]): Set<string> {
  const terms = new Set<string>()
  for (const text of texts) for (const { term, derived } of text) if (!derived) terms.add(term)
  return terms
}

/**
 * The pairs of the five longest terms, as hashes of 32 bits. Long words are rare words. Of 59 titles and summaries that were rewritten in
 * other words, 55 have a pair in common with the original. A single term counts as a pair.
 */
export function pairsOf(terms: Iterable<string>): number[] {
  const longest = longestOf(terms)
  const [only] = longest
  if (longest.length === 1 && only !== undefined) return [hashOf(only)]
  return longest.sort().flatMap((one, at) => {
    const first = hashOf(' ', hashOf(one))
    return longest.slice(at + 1).map(other => hashOf(other, first))
  })
}

/** The longest terms, longest first. One pass takes a fraction of the time of sorting all terms. */
function longestOf(terms: Iterable<string>): string[] {
  const longest: string[] = []
  for (const term of terms) {
    let at = longest.length
    while (at > 0 && isLonger(term, longest[at - 1] as string)) at--
    if (at === PAIRED) continue
    longest.splice(at, 0, term)
    if (longest.length > PAIRED) longest.pop()
  }
  return longest
}

const isLonger = (one: string, other: string): boolean =>
  one.length > other.length || (one.length === other.length && one < other)

/** The FNV-1a hash of a text, continued from the hash `before`. */
function hashOf(text: string, before = 0x811c9dc5 | 0): number {
  let hash = before
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
