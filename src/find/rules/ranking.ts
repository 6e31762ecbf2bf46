import type { RankingTerm } from './chunk-terms.ts'
import { distinctTerms } from './pairs.ts'
import { RANKING_VERSION, rankingTermsOf } from './ranking-terms.ts'

/** Raise it when the same entry gets other impacts: search indexes are then rebuilt. */
export const IMPACT_VERSION = RANKING_VERSION * 100 + 3

/** The weight of an occurrence in each field (BM25F: Zaragoza et al., TREC 2004). */
const WEIGHTS = { title: 3, summary: 1.5, tags: 2, content: 1 }
/** The usual number of terms of a field. In a field that is n times as long, an occurrence counts n^LENGTH_POWER times less. */
const USUAL_LENGTH = { title: 8, summary: 25, tags: 4, content: 100 }
const LENGTH_POWER = 0.6
/** A field shorter than this share of its usual length counts as that long: one word is no better than a short sentence. */
const SHORTEST = 0.25
/** A term counts as in the field where it counts most, plus this share of the other fields: repeating it there adds little. */
const OTHER_FIELDS = 0.4
/**
 * The usual number of distinct terms of a text of n terms is n^DISTINCT_POWER (Heaps' law). A text with less than REPETITIVE of it repeats
 * itself, and all of its terms count less.
 */
const DISTINCT_POWER = 0.8
const REPETITIVE = 0.7
/** The weight of a part of a name, or of a joined name, relative to the word itself. */
const DERIVED = 0.5
/** The weighted frequency at which a term has half of its greatest impact. */
const SATURATION = 2
/** The number of levels of an impact. */
export const LEVELS = 16
/** The maximum number of distinct terms of a field by which an entry is ranked. */
const TERMS_MAX = 4_000

export type RankedText = { title: string; summary: string; tags: readonly string[]; content: string }
type Field = keyof typeof WEIGHTS
/** The terms of each field of an entry. */
export type FieldTerms = Record<Field, readonly RankingTerm[]>

export const fieldTermsOf = ({ title, summary, tags, content }: RankedText): FieldTerms => ({
  title: rankingTermsOf(title),
  summary: rankingTermsOf(summary),
  tags: rankingTermsOf(tags.join('\n')),
  content: rankingTermsOf(content),
})

/**
 * Calls `note` with each term of an entry and its impact, as a level from 0 to LEVELS - 1: its weighted frequency in its best field and a
 * little of the other fields, saturated.
 */
export function forEachImpact(fields: FieldTerms, note: (term: string, level: number) => void): void {
  const best = new Map<string, number>()
  addFrequencies(best, fields, 'content')
  for (const field of SHORT_FIELDS) {
    addFrequencies(ofField, fields, field)
    ofField.forEach((frequency, term) => {
      const before = best.get(term) ?? 0
      best.set(term, Math.max(before, frequency) + OTHER_FIELDS * Math.min(before, frequency))
    })
    ofField.clear()
  }
  const weight = varietyOf(fields, best.size)
  best.forEach((frequency, term) => {
    const weighted = weight * frequency
    note(term, Math.min(LEVELS - 1, Math.floor((weighted / (weighted + SATURATION)) * LEVELS)))
  })
}

const SHORT_FIELDS = ['title', 'summary', 'tags'] as const
/** Reused, because a new map for each short field takes longer than its terms. */
const ofField = new Map<string, number>()

/** Adds the weighted frequency of each term of a field. */
function addFrequencies(frequencies: Map<string, number>, fields: FieldTerms, field: Field): void {
  const terms = fields[field]
  let length = 0
  for (const { derived } of terms) if (!derived) length += 1
  const weight = WEIGHTS[field] / Math.max(SHORTEST, length / USUAL_LENGTH[field]) ** LENGTH_POWER
  for (const { term, derived } of terms) {
    const before = frequencies.get(term)
    if (before === undefined && frequencies.size === TERMS_MAX) continue
    frequencies.set(term, (before ?? 0) + (derived ? DERIVED * weight : weight))
  }
}

/** The weight of a text with so many distinct terms: 1 for a usual text, less the more it repeats itself. */
function varietyOf({ title, summary, tags, content }: FieldTerms, distinct: number): number {
  const all = title.length + summary.length + tags.length + content.length
  return Math.min(1, distinct / (REPETITIVE * Math.max(1, all) ** DISTINCT_POWER)) ** 2
}

/** The share of the greatest impact that a level represents. */
export const impactOf = (level: number): number => (level + 0.5) / LEVELS

/** The rarity of a term that `having` of `all` entries have (BM25's inverse document frequency, never negative). */
export const rarity = (having: number, all: number): number =>
  Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5))

/**
 * The bound of `match * words^WORDS_POWER`, which an entry rarely reaches by chance. A message of an error without a code has the words of its
 * own entry, and entries about other errors of the same program reach more by chance (see ADR 0018 for the figures).
 */
const ANSWERABLE_FROM = 0.72
const MESSAGE_ANSWERABLE_FROM = 1.05
const WORDS_POWER = 0.65
/** An entry that has every word of the question needs this share of the match. */
const WHOLE_NEEDS = 0.75
/** A question with fewer words has the bound of a question with this many. */
const FEW_WORDS = 4

/** What stands before a message: a place, a time, the name of a program, and the word that marks a failure. */
export const BEFORE_MESSAGE = /^.*(?:error|exception|fatal|panic|fehler|erreur|ошибка)(?![\p{L}_])[^:\n]{0,80}:\s/iu
/** The UTF-16 units of a line that may be the message of an error. A longer question has other words too, which its entry lacks. */
export const MESSAGE_MAX = 400

/**
 * The `match` (0 to 1) from which the found entries are about a question of so many words, with a code of an error or without one. `whole`:
 * whether the first entry has all of the words. The score
 * that an entry reaches by chance grows slower with the words than the best possible score. Similar entries can pass even if the one that
 * answers the question is missing.
 */
export function answerableFrom(
  question: string,
  { words, isCoded, whole }: { words: number; isCoded: boolean; whole: boolean },
): number {
  const isMessage = !isCoded && question.length <= MESSAGE_MAX && BEFORE_MESSAGE.test(question)
  const least = (isMessage ? MESSAGE_ANSWERABLE_FROM : ANSWERABLE_FROM) * (whole ? WHOLE_NEEDS : 1)
  return least / Math.max(FEW_WORDS, words) ** WORDS_POWER
}

/**
 * Codes that programs print with an error: ERESOLVE: and "code ENOENT"; ERR_OSSL_EVP_UNSUPPORTED and SQLITE_BUSY; TS2345, E0502 and ORA-01555;
 * an HRESULT or NTSTATUS that is a failure. An address of memory is none.
 */
const CODE =
  /(?<=\bcode:? ['"]?)E[A-Z]{3,}\b|\bE(?!RROR\b|XCEPTION\b)[A-Z]{4,}(?=[:\]])|(?<![\w-])(?:ERR|SQLITE|STATUS|CERT|UNABLE)(?:_[A-Z0-9]+)+\b|(?<![\w-])(?=[A-Z]{1,5}-?\d{4,6}(?![\w-]))[A-Z]{1,5}-?\d+|\b0x[8Cc]0[0-9A-Fa-f]{6}\b/g
/** The maximum number of codes of a question that are looked up. */
const CODES_MAX = 4

/** The term of each code of an error in a question. A code of more parts than a term has is left out. */
export const codeTerms = (query: string): string[] =>
  [...new Set(query.match(CODE))].slice(0, CODES_MAX).flatMap(code => {
    const terms = rankingTermsOf(code)
    const one = terms.find(({ role }) => role !== undefined) ?? terms[0]
    return one === undefined || (terms.length > 1 && one.role === undefined) ? [] : [one.term]
  })

/** The saturation of repeated mentions of a term in a query (BM25's k3): a stack trace names one thing a hundred times. */
const MENTIONS = 3

/** The weight of `count` mentions of a term in a query. A bare number counts once, because line and column numbers recur by chance. */
export const emphasis = (term: string, count: number): number =>
  /^\d+$/.test(term) ? Math.min(1, count) : (count * (MENTIONS + 1)) / (count + MENTIONS)

/** The minimum impact of a name with its number, which means the same in every field. */
const NAMED = 0.75

/** The share of the greatest impact that a level of a name with its number represents. */
export const impactOfName = (level: number): number => Math.max(NAMED, impactOf(level))

/**
 * A word of a query. `terms` are the terms by which it ranks entries, each with its weight in the query. If `name` is set, only entries
 * with that term have the word. An `optional` word adds weight to entries that have it, and does not count as missing otherwise.
 */
export type QueryWord = { word: string; terms: Map<string, number>; name: string | undefined; optional: boolean }

/** The maximum number of distinct terms of a query that are used: half of them from its end, where a stack trace often names the error. */
const QUERY_TERMS_MAX = 64

/** Line and column numbers after a file name or after the word line: two copies of one program differ in them. */
const PLACES = /(?<=\.[a-z]{1,5}["')\]]?):\d+(?::\d+)?(?![\w.])|(?<=\bline )\d+(?!\w)/gi

/** Addresses, times, UUIDs and hashes: two copies of one message differ in them. */
const PARTICULARS =
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?(?!\w)|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)?(?![\w:])|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{10,}\b/gi

/** The words of a query in order, each once. Stop words are left out; places and particulars are optional. */
export function queryWords(query: string): QueryWord[] {
  const words = new Map<string, QueryWord>()
  const places = (query.match(PLACES) ?? []).flatMap(place => place.match(/\d+/g) ?? [])
  const particulars = (query.match(PARTICULARS) ?? []).flatMap(rankingTermsOf).map(({ term }) => term)
  const optional = new Set([...places, ...particulars])
  const terms = rankingTermsOf(query)
  const lookedAt = termsLookedAt(terms.map(({ term }) => term))
  for (const one of terms) {
    if (lookedAt.has(one.term)) addTerm(words, one, one.role === 'PAIR' || optional.has(one.term))
  }
  for (const code of codeTerms(query)) {
    // A code is a name, so it is not replaced by a similar word.
    for (const word of words.values()) if (word.terms.has(code)) word.name ??= code
  }
  return [...words.values()]
}

/** The distinct terms of a query, at most QUERY_TERMS_MAX: half of them from its end, the others from its beginning. */
function termsLookedAt(terms: readonly string[]): ReadonlySet<string> {
  const distinct = new Set(terms)
  if (distinct.size <= QUERY_TERMS_MAX) return distinct
  const chosen = new Set([...new Set(terms.toReversed())].slice(0, QUERY_TERMS_MAX / 2))
  for (const term of distinct) {
    if (chosen.size === QUERY_TERMS_MAX) break
    chosen.add(term)
  }
  return chosen
}

function addTerm(words: Map<string, QueryWord>, { term, word, derived, role }: RankingTerm, optional: boolean): void {
  const known = words.get(word) ?? { word, terms: new Map<string, number>(), name: undefined, optional: true }
  words.set(word, known)
  const count = derived && role !== 'NAME' ? DERIVED : 1
  known.terms.set(term, (known.terms.get(term) ?? 0) + count)
  if (role === 'NAME') known.name = term
  if (!optional) known.optional = false
}

/** Texts with a lower similarity do not count as similar. */
export const SIMILAR_FROM = 0.35

export type Draft = { title: string; summary: string }

/** The weight of each term of a draft, higher for rare terms, and the weight of any other term. */
export type TermWeights = { of: ReadonlyMap<string, number>; other: number }

/** The distinct terms of the title of a draft, and of its title and summary together. Without a summary, `all` is undefined. */
export type DraftTerms = { title: ReadonlySet<string>; all: ReadonlySet<string> | undefined }

export function termsOfDraft({ title, summary }: Draft): DraftTerms {
  const ofTitle = rankingTermsOf(title)
  const all = summary === '' ? undefined : distinctTerms(ofTitle, rankingTermsOf(summary))
  return { title: distinctTerms(ofTitle), all }
}

/** The terms of title and summary. */
export const allTerms = ({ title, all }: DraftTerms): ReadonlySet<string> => all ?? title

/** The similarity of a draft and another text, from 0 to 1. It is 0 if a draft of several terms has only one in common. */
export function similarity(draft: DraftTerms, other: DraftTerms, weights: TermWeights): number {
  const [ours, theirs] = [allTerms(draft), allTerms(other)]
  if (ours.size > 1 && common(ours, theirs).length === 1) return 0
  const ofTitle = shared(draft.title, other.title, weights)
  const score = draft.all === undefined ? ofTitle : Math.max(ofTitle, (ofTitle + shared(ours, theirs, weights)) / 2)
  return Math.round(score * 100) / 100
}

/** The weighted Dice coefficient: twice the weight of the common terms, divided by the sum of both weights. */
function shared(ours: ReadonlySet<string>, theirs: ReadonlySet<string>, weights: TermWeights): number {
  const all = sum(ours, weights) + sum(theirs, weights)
  return all === 0 ? 0 : (2 * sum(common(ours, theirs), weights)) / all
}

const common = (ours: ReadonlySet<string>, theirs: ReadonlySet<string>): string[] =>
  [...ours].filter(term => theirs.has(term))

const sum = (terms: Iterable<string>, { of, other }: TermWeights): number => {
  let total = 0
  for (const term of terms) total += of.get(term) ?? other
  return total
}
