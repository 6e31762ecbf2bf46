import { foldWord } from '../terms/fold.ts'
import { rankingTermsOf } from '../terms/ranking-terms.ts'

/** The maximum UTF-16 units of a content that are searched, and of a passage. */
const LOOKED_AT = 8_000
export const PASSAGE_MAX = 300
/** The first letters of a term that a text must contain to be cut into terms. */
const BEGINNING = 3
/**
 * The UTF-16 units of a block. A content longer than LOOKED_AT is searched around the block with the most terms, found by their first
 * letters.
 */
const BLOCK = 2_000
const BLOCK_BEGINNING = 5
/** Where a passage may begin or end: after a sentence, with the marks that close it, or after a line. A dot inside a name ends neither. */
const PIECE = /(?:[^\n.!?。！？]|[.!?]+(?=[^\s.!?"'`”’)\]]))*(?:[.!?]+["'`”’)\]]*|\n|[。！？]|$)/gu
/** The parts of a piece that is longer than a passage: up to 120 characters, cut after a word where the script has spaces. */
const PART = /.{1,120}(?:\s+|$)|.{1,120}/gsu

/**
 * The passage of a content with the highest weight of query terms: whole sentences or lines if they are short enough, at most PASSAGE_MAX
 * UTF-16 units. It begins with a sentence or line that has a term. `weights` has the weight of each term of the query. If the content has
 * none of the terms, the passage is its beginning.
 */
export function passageOf(content: string, weights: ReadonlyMap<string, number>): string {
  const beginnings = [...new Set(weights.keys().map(term => term.slice(0, BEGINNING)))]
  const start = startOf(content, weights)
  const pieces = piecesOf(content.slice(start, start + LOOKED_AT), start).map(({ at, text }) => ({
    at,
    end: at + text.length,
    terms: mayHave(text, beginnings) ? termsIn(text, weights) : [],
  }))
  let best = { at: 0, end: Math.min(content.length, PASSAGE_MAX), worth: 0 }
  for (const [first, { at, terms }] of pieces.entries()) {
    if (terms.length === 0) continue
    const seen = new Set<string>()
    for (const piece of pieces.slice(first)) {
      if (piece.end - at > PASSAGE_MAX && piece.at !== at) break
      for (const term of piece.terms) seen.add(term)
      const worth = seen.values().reduce((sum, term) => sum + (weights.get(term) ?? 0), 0)
      if (worth > best.worth) best = { at, end: piece.end, worth }
    }
  }
  const cut = content
    .slice(best.at, Math.min(best.end, best.at + PASSAGE_MAX))
    .toWellFormed()
    .trim()
  return `${best.at > 0 ? '… ' : ''}${cut}${best.at + PASSAGE_MAX < best.end || best.end < content.trimEnd().length ? ' …' : ''}`
}

/**
 * The offset of the searched part of a content: one block before the block with the greatest weight of terms, found by their first letters.
 */
function startOf(content: string, weights: ReadonlyMap<string, number>): number {
  if (content.length <= LOOKED_AT) return 0
  let best = { at: 0, worth: 0 }
  for (let at = 0; at < content.length; at += BLOCK) {
    const folded = foldWord(content.slice(at, at + BLOCK))
    let worth = 0
    for (const [term, weight] of weights) if (folded.includes(term.slice(0, BLOCK_BEGINNING))) worth += weight
    if (worth > best.worth) best = { at, worth }
  }
  return Math.max(0, Math.min(best.at - BLOCK, content.length - LOOKED_AT))
}

/**
 * The sentences and lines of a part of a content with their offsets. A piece longer than a passage is divided. A part whose `start` is not
 * 0 begins inside a sentence, which is left out.
 */
function piecesOf(text: string, start: number): { at: number; text: string }[] {
  const cutBy = (pattern: RegExp, whole: string, from: number) =>
    [...whole.matchAll(pattern)].map(match => ({ at: from + match.index, text: match[0] }))
  return cutBy(PIECE, text, start)
    .filter(piece => piece.text.trim() !== '')
    .flatMap(piece => (piece.text.length > PASSAGE_MAX ? cutBy(PART, piece.text, piece.at) : [piece]))
    .slice(start === 0 ? 0 : 1)
}

/** Whether a text may have any of some terms, by their first letters. Most texts need not be cut into terms. */
function mayHave(text: string, beginnings: readonly string[]): boolean {
  const folded = foldWord(text)
  return beginnings.some(beginning => folded.includes(beginning))
}

const termsIn = (text: string, weights: ReadonlyMap<string, number>): string[] =>
  rankingTermsOf(text)
    .map(({ term }) => term)
    .filter(term => weights.has(term))
