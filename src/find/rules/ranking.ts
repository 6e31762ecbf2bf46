import { distinctTerms, RANKING_VERSION, type RankingTerm, rankingTermsOf } from './terms.ts'

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
export const DERIVED = 0.5
/** The weighted frequency at which a term has half of its greatest impact. */
const SATURATION = 2
/** The number of levels of an impact. */
export const LEVELS = 16
/** The maximum number of distinct terms of a field by which an entry is ranked. */
const TERMS_MAX = 4_000

export type RankedText = { title: string; summary: string; tags: readonly string[]; content: string }
type Field = keyof typeof WEIGHTS
/** The terms of each field of an entry. */
type FieldTerms = Record<Field, readonly RankingTerm[]>

export const fieldTermsOf = ({ title, summary, tags, content }: RankedText): FieldTerms => ({
  title: rankingTermsOf(title),
  summary: rankingTermsOf(summary),
  tags: rankingTermsOf(tags.join('\n')),
  content: rankingTermsOf(content),
})

/**
 * The terms of an entry with their impacts, as levels from 0 to LEVELS - 1: the weighted frequency in the best field and a little of the
 * other fields, saturated.
 */
export function impactsOf(fields: FieldTerms): ReadonlyMap<string, number> {
  const best = new Map<string, number>()
  addFrequencies(best, fields, 'content')
  for (const field of SHORT_FIELDS) {
    addFrequencies(ofField, fields, field)
    for (const [term, frequency] of ofField) {
      const before = best.get(term) ?? 0
      best.set(term, Math.max(before, frequency) + OTHER_FIELDS * Math.min(before, frequency))
    }
    ofField.clear()
  }
  // A usual text has the weight 1, and one that repeats itself less.
  const all = fields.title.length + fields.summary.length + fields.tags.length + fields.content.length
  const weight = Math.min(1, best.size / (REPETITIVE * Math.max(1, all) ** DISTINCT_POWER)) ** 2
  for (const term of best.keys()) {
    const weighted = weight * (best.get(term) as number)
    best.set(term, Math.min(LEVELS - 1, Math.floor((weighted / (weighted + SATURATION)) * LEVELS)))
  }
  return best
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

/** The share of the greatest impact that a level represents. */
export const impactOf = (level: number): number => (level + 0.5) / LEVELS

const SUFFIXES = Array.from({ length: LEVELS }, (_, level) => `:${level.toString(LEVELS)}`)

/** A term with its impact level, as a word of the index. */
export const levelled = (term: string, level: number): string => `${term}${SUFFIXES[level]}`

/** The rarity of a term that `having` of `all` entries have (BM25's inverse document frequency, never negative). */
export const rarity = (having: number, all: number): number =>
  Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5))

/** The saturation of repeated mentions of a term in a query (BM25's k3): a stack trace names one thing a hundred times. */
const MENTIONS = 3

/** The weight of `count` mentions of a term in a query. A bare number counts once, because line and column numbers recur by chance. */
export const emphasis = (term: string, count: number): number =>
  /^\d+$/.test(term) ? Math.min(1, count) : (count * (MENTIONS + 1)) / (count + MENTIONS)

/** The minimum impact of a name with its number, which means the same in every field. */
const NAMED = 0.75

/** The share of the greatest impact that a level of a name with its number represents. */
export const impactOfName = (level: number): number => Math.max(NAMED, impactOf(level))

/** Texts with a lower similarity do not count as similar. */
export const SIMILAR_FROM = 0.35

export type Draft = { title: string; summary: string }

/** The weight of each term of a draft, higher for rare terms, and the weight of any other term. */
export type TermWeights = { of: ReadonlyMap<string, number>; other: number }

/** The distinct terms of the title of a draft, and of its title and summary together: the same set without a summary. */
export type DraftTerms = { title: ReadonlySet<string>; all: ReadonlySet<string> }

export function termsOfDraft({ title: text, summary }: Draft): DraftTerms {
  const ofTitle = rankingTermsOf(text)
  const title = distinctTerms(ofTitle)
  return { title, all: summary === '' ? title : distinctTerms(ofTitle, rankingTermsOf(summary)) }
}

/** The similarity of a draft and another text, from 0 to 1. It is 0 if a draft of several terms has only one in common. */
export function similarity(draft: DraftTerms, other: DraftTerms, weights: TermWeights): number {
  let common = 0
  for (const term of draft.all) if (other.all.has(term)) common++
  if (draft.all.size > 1 && common === 1) return 0
  const ofTitle = shared(draft.title, other.title, weights)
  const score =
    draft.all === draft.title ? ofTitle : Math.max(ofTitle, (ofTitle + shared(draft.all, other.all, weights)) / 2)
  return Math.round(score * 100) / 100
}

/** The weighted Dice coefficient: twice the weight of the common terms, divided by the sum of both weights. */
function shared(ours: ReadonlySet<string>, theirs: ReadonlySet<string>, { of, other }: TermWeights): number {
  let [common, mine, yours] = [0, 0, 0]
  for (const term of ours) {
    const weight = of.get(term) ?? other
    mine += weight
    if (theirs.has(term)) common += weight
  }
  for (const term of theirs) yours += of.get(term) ?? other
  return mine + yours === 0 ? 0 : (2 * common) / (mine + yours)
}
