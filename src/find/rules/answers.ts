import { FIND } from '../../contract/limits.ts'
import type { Found, FoundList, Standing } from '../../contract/resources.ts'
import type { Signal } from '../../contract/vocabulary.ts'
import { shortStandingLine } from '../../memory/evidence/rules.ts'
import { plain } from '../../memory/plain.ts'
import { signalLines } from '../../memory/signals/text.ts'
import { fieldTermsOf, impactOf, impactsOf, type RankedText } from './ranking.ts'
import { rankingTermsOf } from './terms.ts'
import { foldWord } from './words.ts'

/** A found entry: how well it matches, whether it has all words of the question, its voices, and the signals of its text. */
export type Ordered = {
  score: number
  whole: boolean
  /** How like the question its title is, 0 to 1: a message is found by its own entry before longer ones that contain it. */
  likeness?: number
  standing: Pick<Standing, 'share'>
  signals: readonly Signal[]
}

/**
 * The share of its rank that an entry with a signal keeps: half, so that it is never hidden. Honest guides pipe downloads into a shell, so
 * those follow only entries that fit nearly as well.
 */
const SIGNAL_SHARE = 0.5
const SHARES: Partial<Record<Signal, number>> = { PIPE_TO_SHELL: 0.8 }

const LEAST_SHARE = 0.5

/** What an entry whose title is the question gains, and how like it must be for a part of that. */
export const LIKE_GAIN = 0.4
const LIKE_FROM = 0.75

/**
 * The rank of an entry as an answer: match × (1 + share of its voices) ÷ 2, times the share that its signals leave, and more if its title is
 * the question. Voices and signals together take at most half, so no entry that fits less than half as well comes before it.
 */
function rankOf({ score, likeness = 0, standing, signals }: Ordered): number {
  const gain = likeness < LIKE_FROM ? 1 : 1 + LIKE_GAIN * likeness
  let share = 1
  for (const name of signals) share = Math.min(share, SHARES[name] ?? SIGNAL_SHARE)
  return roundScore(score * Math.max(LEAST_SHARE, ((1 + standing.share) / 2) * share) * gain)
}

/** An entry with a signal does not gain from having all words of the question: only its score counts. */
const isWhole = ({ whole, signals }: Ordered): boolean => whole && signals.length === 0

/** Number of the best matches that are ordered by rank. */
export const CANDIDATES = 40

/** Sorts entries with all words of the question first, and each group by descending rank. */
export const byRank = (a: Ordered, b: Ordered): number =>
  Number(isWhole(b)) - Number(isWhole(a)) || rankOf(b) - rankOf(a) || (b.likeness ?? 0) - (a.likeness ?? 0)

/** An entry with less than this share of the first score is left out of an answer without `limit`. */
const GAP = 0.5
/** The first entry is clearly first if every other has less than this share of its score. */
const CLEARLY_FIRST = 0.75
/** The maximum UTF-16 units of a content that an answer has as a whole. */
export const WHOLE_MAX = 1_600

/** The entries of an answer without `limit`: those that fit at least half as well as the first one, in their order. */
export function aboveGap<T extends Pick<Ordered, 'score'>>(ordered: readonly T[]): T[] {
  const least = GAP * (ordered[0]?.score ?? 0)
  const above: T[] = []
  for (const one of ordered) if (one.score >= least) above.push(one)
  return above
}

/** Whether the first entry fits clearly better than all others. Its content is then shown whole, if it has at most WHOLE_MAX UTF-16 units. */
export function isClearlyFirst([first, ...others]: readonly Pick<Ordered, 'score'>[]): boolean {
  for (const { score } of others) if (first === undefined || score >= CLEARLY_FIRST * first.score) return false
  return first !== undefined
}

/** A score or a match, rounded to three decimals as in answers. */
export const roundScore = (score: number): number => Math.round(score * 1_000) / 1_000

/** The score of a text for weighted terms of a query. */
function saidOf(text: RankedText, weights: readonly (readonly [term: string, weight: number])[]): number {
  const levels = impactsOf(fieldTermsOf(text))
  return weights.reduce((sum, [term, weight]) => {
    const level = levels.get(term)
    return level === undefined ? sum : sum + weight * impactOf(level)
  }, 0)
}

/** The score of an earlier text of an entry, from 0 to 1: the score of the current text, scaled by the ratio of both term scores. */
export function refit(
  score: number,
  { now, earlier }: { now: RankedText; earlier: RankedText },
  weights: readonly (readonly [term: string, weight: number])[],
): number {
  const said = saidOf(earlier, weights)
  if (said === 0) return 0
  const saidNow = saidOf(now, weights)
  return Math.min(1, saidNow === 0 ? score : (score * said) / saidNow)
}

/** The maximum UTF-16 units of a content that are searched, and of a passage. */
const LOOKED_AT = 8_000
export const PASSAGE_MAX = 300
/** To ask about a passage takes some 30 µs. */
const PASSAGES_ASKED = 32
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

/** What a second passage needs: a number of terms that the best one lacks, and a share of the weight of the best one in such terms. */
const OTHER_TERMS = 2
const OTHER_SHARE = 0.5

/** A fenced block of code. A block of more than CODE_MAX UTF-16 units is text of lines. */
const CODE_BLOCK = /^(```|~~~)[^\n]*\n[\s\S]*?^\1.*$/gm
const CODE_MAX = 500

type Range = { at: number; end: number }

/**
 * The parts of a content that help with a question: the passage that fits best, and one with the other part of the question, each
 * with its code. A content with something to avoid has one passage. A mark shows where text is left out.
 */
export function passageOf(
  content: string,
  weights: ReadonlyMap<string, number>,
  isAvoided?: (passage: string) => boolean,
): string {
  const pieces = piecesOf(content, weights)
  const best = bestPassage(content, pieces, weights, isAvoided)
  const parts = withCode(content, best, isAvoided)
  if (isAvoided === undefined && best.terms.size < weights.size) {
    const others = new Map(weights)
    for (const term of best.terms) others.delete(term)
    const next = bestPassage(content, pieces, others, undefined)
    const has = [...next.terms].filter(term => others.has(term)).length
    if (has >= OTHER_TERMS && next.worth >= best.worth * OTHER_SHARE) parts.push(...withCode(content, next, undefined))
    parts.sort((a, b) => a.at - b.at)
  }
  const shown: string[] = []
  let from = 0
  for (const { at, end } of parts) {
    if (end <= from) continue
    const isFence = /^(?:```|~~~)/.test(content.slice(at, at + 3))
    const left = content.slice(from, at).trim() !== ''
    const gap = left ? (shown.length > 0 || isFence ? '…\n' : '… ') : ''
    shown.push(`${gap}${content.slice(Math.max(at, from), end).toWellFormed().trim()}`)
    from = end
  }
  const last = shown.at(-1) ?? ''
  const isAll = content.slice(from).trim() === ''
  return `${shown.join('\n')}${isAll ? '' : /(?:```|~~~)$/.test(last) ? '\n…' : ' …'}`
}

/**
 * A passage of a content with whole blocks of code, and the block of code that follows it, or else the last one before it, in their order.
 */
function withCode(content: string, best: Range, isAvoided: ((passage: string) => boolean) | undefined): Range[] {
  const widened = { ...best }
  const outside = { ...best }
  let isCut = false
  let [before, after]: (Range | undefined)[] = []
  for (const { index: at, 0: block } of content.matchAll(CODE_BLOCK)) {
    const end = at + block.length
    if (block.length > CODE_MAX) continue
    if (end <= best.at) before = { at, end }
    else if (at >= best.end) after ??= { at, end }
    else {
      isCut = true
      widened.at = Math.min(widened.at, at)
      widened.end = Math.max(widened.end, end)
      if (at < best.at) outside.at = end
      if (end > best.end) outside.end = at
    }
  }
  if (isCut) {
    // The rest of a block may be what the passage avoids. A part of a block is never shown: it does something else than the block.
    const serves = content.slice(outside.at, outside.end).trim() !== ''
    const isOutside = serves && isAvoided?.(content.slice(widened.at, widened.end)) === true
    return [isOutside ? outside : widened]
  }
  const code = after ?? before
  if (code === undefined || isAvoided?.(content.slice(code.at, code.end))) return [best]
  return code === after ? [best, code] : [code, best]
}

/**
 * The passage with the highest weight of query terms, and these terms: whole sentences or lines if they are short enough, at most
 * PASSAGE_MAX UTF-16 units. It begins with a sentence or line that has a term. `weights` has the weight of each term. If the content has
 * none of the terms, the passage is its beginning. A passage that `isAvoided` is taken only if no other has at least half of its weight; at
 * most PASSAGES_ASKED are asked about, and all further ones are avoided.
 */
function bestPassage(
  content: string,
  pieces: readonly Piece[],
  weights: ReadonlyMap<string, number>,
  isAvoided: ((passage: string) => boolean) | undefined,
): Range & { worth: number; terms: ReadonlySet<string> } {
  let best = { at: 0, end: Math.min(content.length, PASSAGE_MAX), worth: 0, terms: new Set<string>() }
  let avoided = best
  let asked = 0
  for (const [first, { at, terms }] of pieces.entries()) {
    if (terms.length === 0) continue
    const seen = new Set<string>()
    let worth = 0
    for (const piece of pieces.slice(first)) {
      if (piece.end - at > PASSAGE_MAX && piece.at !== at) break
      for (const term of piece.terms) {
        if (!seen.has(term)) worth += weights.get(term) ?? 0
        seen.add(term)
      }
      if (worth === 0) break
      if (worth <= best.worth) continue
      const passage = { at, end: piece.end, worth, terms: new Set(seen) }
      if (asked++ < PASSAGES_ASKED && !isAvoided?.(content.slice(at, piece.end))) best = passage
      else if (worth > avoided.worth) avoided = passage
    }
  }
  if (best.worth < avoided.worth / 2) best = avoided
  return { ...best, end: Math.min(best.end, best.at + PASSAGE_MAX) }
}

/**
 * The offset of the searched part of a content that is longer than this part: one block before the block with the greatest weight of terms, found by their first letters.
 */
function startOf(content: string, weights: ReadonlyMap<string, number>): number {
  let best = { at: 0, worth: 0 }
  for (let at = 0; at < content.length; at += BLOCK) {
    const folded = foldWord(content.slice(at, at + BLOCK))
    let worth = 0
    for (const [term, weight] of weights) if (folded.includes(term.slice(0, BLOCK_BEGINNING))) worth += weight
    if (worth > best.worth) best = { at, worth }
  }
  return Math.max(0, Math.min(best.at - BLOCK, content.length - LOOKED_AT))
}

type Piece = Range & { terms: string[] }

/**
 * The sentences and lines of the searched part of a content, each with its terms of the query. A piece longer than a passage is divided. A
 * part that does not begin with the content begins inside a sentence, which is left out.
 */
function piecesOf(content: string, weights: ReadonlyMap<string, number>): Piece[] {
  const beginnings = new Set<string>()
  for (const term of weights.keys()) beginnings.add(term.slice(0, BEGINNING))
  const start = content.length <= LOOKED_AT ? 0 : startOf(content, weights)
  const pieces: Piece[] = []
  for (const { index, 0: text } of content.slice(start, start + LOOKED_AT).matchAll(PIECE)) {
    if (text.trim() === '') continue
    const parts = text.length > PASSAGE_MAX ? (text.match(PART) ?? []) : [text]
    let at = start + index
    for (const part of parts) {
      pieces.push({ at, end: at + part.length, terms: termsIn(part, beginnings, weights) })
      at += part.length
    }
  }
  return start === 0 ? pieces : pieces.slice(1)
}

/** The terms of the query in a text. Most texts have none of their first letters, and need not be cut into terms. */
function termsIn(text: string, beginnings: ReadonlySet<string>, weights: ReadonlyMap<string, number>): string[] {
  const found: string[] = []
  const folded = foldWord(text)
  for (const beginning of beginnings) {
    if (!folded.includes(beginning)) continue
    for (const { term } of rankingTermsOf(text)) if (weights.has(term)) found.push(term)
    break
  }
  return found
}

/** Bytes of UTF-8 that count as a token of a model: the average of English prose. */
const BYTES_PER_MODEL_TOKEN = 4
/** The maximum characters of an excerpt in a shortened row, and in the shortest row. */
const SHORT_EXCERPT = 120
const SHORTEST_EXCERPT = 60
/** The maximum characters of a summary and of an objection, and the maximum tags, in the shortest row. */
const SHORTEST_TEXT = 120
const SHORTEST_TAGS = 2
/** The maximum characters of a title in an answer that is not answerable. */
const SHORT_TITLE = 80
/** The share of an answer that the whole content of its first entry may take. */
const WHOLE_SHARE = 0.6
/** Bytes of the fence around Markdown. */
const FENCE_BYTES = 300

type Frame = Omit<FoundList, 'items'>
type Size = { frame(frame: Frame): number; row(row: Found): number }

const JSON_SIZE: Size = {
  frame: frame => Buffer.byteLength(JSON.stringify({ items: [], ...frame })),
  row: row => Buffer.byteLength(JSON.stringify(row)) + 1,
}
const MARKDOWN_SIZE: Size = {
  frame: frame => Buffer.byteLength(plain(markdownOf({ items: [], ...frame }))) + FENCE_BYTES,
  row: row => Buffer.byteLength(plain(sectionOf(row))) + 2,
}

/** A row of an answer, and the content of its entry if the answer shows it whole where it fits. */
export type Row = { row: Found; content: string | undefined }

/** The best rows as Markdown that takes at most `tokens` tokens including its fence. The caller adds the fence. */
export const markdownThatFits = (rows: readonly Row[], frame: Frame, tokens: number): string =>
  markdownOf(bestThatFit(rows, frame, tokens, MARKDOWN_SIZE))

/**
 * The best rows that take at most `tokens` tokens including the frame, as JSON by default. A row that does not fit is shortened or left out.
 */
export function bestThatFit(rows: readonly Row[], frame: Frame, tokens: number, size: Size = JSON_SIZE): FoundList {
  let left = tokens * BYTES_PER_MODEL_TOKEN - size.frame(frame)
  const items: Found[] = []
  for (const { row, content } of rows) {
    const whole = content === undefined ? undefined : { ...row, excerpt: content, whole: true }
    let shown = whole !== undefined && size.row(whole) <= left * WHOLE_SHARE ? whole : row
    let bytes = size.row(shown)
    for (const shorten of [shortened, shortest]) {
      if (bytes <= left) break
      shown = shorten(row)
      bytes = size.row(shown)
    }
    if (bytes > left) continue
    items.push(shown)
    left -= bytes
  }
  return { items, ...frame }
}

const cut = (text: string, most: number): string =>
  [...text].length > most ? `${[...text].slice(0, most).join('')}…` : text

/** The beginning of an excerpt, without a part of a block of code. */
function cutExcerpt(excerpt: string, most: number): string {
  const [text = ''] = excerpt.split(/\n?^(?:```|~~~)/m, 1)
  return text.length < excerpt.length && [...text].length <= most
    ? `${text.replace(/\s*…?\s*$/u, '')} …`.trim()
    : cut(excerpt, most)
}

/** A row with its first objection only, and with the beginning of its excerpt. */
const shortened = ({ objections, ...row }: Found): Found => ({
  ...row,
  excerpt: cutExcerpt(row.excerpt, SHORT_EXCERPT),
  ...(objections === undefined ? {} : { objections: objections.slice(0, 1) }),
})

/** A row with the beginnings of its texts. */
const shortest = ({ objections, ...row }: Found): Found => ({
  ...row,
  summary: cut(row.summary, SHORTEST_TEXT),
  excerpt: cutExcerpt(row.excerpt, SHORTEST_EXCERPT),
  tags: row.tags.slice(0, SHORTEST_TAGS),
  ...(objections === undefined
    ? {}
    : { objections: objections.slice(0, 1).map(one => ({ ...one, rationale: cut(one.rationale, SHORTEST_TEXT) })) }),
})

/** The answer without entries: the titles of the nearest ones, as many as fit. */
export function noAnswer(nearest: readonly Pick<Found, 'slug' | 'title'>[], frame: Frame): FoundList {
  const bytes = FIND.titleTokens * BYTES_PER_MODEL_TOKEN
  const near = nearest.slice(0, FIND.titles).map(({ slug, title }) => ({ slug, title: cut(title, SHORT_TITLE) }))
  while (near.length > 1 && JSON_SIZE.frame({ ...frame, near }) > bytes) near.pop()
  return { items: [], near, ...frame }
}

/** The remark in an answer that leaves out every found entry. */
export const NONE_FITS = 'Entries were found, and none fits into so few tokens. Ask for more tokens.'
/** Whether entries were found and none is in the answer. */
export const noneFits = ({ items, near, coverage }: FoundList): boolean =>
  items.length === 0 && near === undefined && coverage !== 'NONE'

const NOT_ANSWERED = 'No entry is clearly about the question. Do not trust the nearest ones as an answer.'

/** Found entries as Markdown for a model. All texts in it are untrusted: serve it fenced. */
export function markdownOf(found: FoundList): string {
  const { items, near = [], coverage, answerable, missing, corrected } = found
  const remarks = [
    ...(noneFits(found) ? [NONE_FITS] : []),
    ...(answerable || coverage === 'NONE' ? [] : [NOT_ANSWERED]),
    ...(coverage === 'NONE' ? ['Nothing was found.'] : []),
    ...near.map(({ slug, title }) => `- ${oneLine(title)} · ${slug}`),
    ...corrected.map(({ from, to }) => `Searched for "${to}" in place of "${from}".`),
    ...(missing.length === 0 ? [] : [`No entry has: ${missing.join(', ')}.`]),
  ]
  return [...remarks, ...items.map(sectionOf)].join('\n\n')
}

function sectionOf({
  slug,
  title,
  summary,
  excerpt,
  currentRevisionId,
  updatedAt,
  standing,
  objections = [],
  confirmedOn = [],
  feedback,
  ...flagged
}: Found): string {
  return [
    `## ${oneLine(title)}`,
    `${shortStandingLine(standing)} · ${slug}@${currentRevisionId} · ${updatedAt.slice(0, 10)}${feedback === undefined ? '' : ` · handle ${feedback}`}`,
    ...signalLines(flagged),
    ...confirmedOn.map(confirmedLine),
    // Quoted, because a summary could imitate a heading or a standing.
    `> ${oneLine(summary)}`,
    excerpt
      .split('\n')
      .map(line => `> ${line}`)
      .join('\n'),
    ...objections.flatMap(({ rationale, signals = [] }) => [
      ...signalLines({ signals }),
      `Objection: ${oneLine(rationale)}`,
    ]),
  ].join('\n')
}

/** Whether a text was confirmed on a product of the reader, in one line. */
export const confirmedLine = ({ name, same, other, lastAt }: NonNullable<Found['confirmedOn']>[number]): string =>
  `Confirmed on your version of ${oneLine(name)} by ${same}, on others by ${other}, last on ${lastAt.slice(0, 10)}.`

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()
