import { isUnspaced, type Term, wordsOf } from './terms.ts'

/** What a search may ask for one draft, at most: each of these costs one search. */
const PROBES_MAX = 6
/** Of the units of a title, so many at most, so that the summary has a say too. */
const TITLE_PROBES = 4
/** Units that are asked for together: all of the title's, up to so many. */
const TOGETHER = 6
/** From this length on a word says as much as any. */
const FULL_LENGTH = 6
/** How much less a word says that many entries have. */
const COMMON = 0.3
/** What has less in common than this is not called similar. */
export const SIMILAR_FROM = 0.4

export type Draft = { title: string; summary: string }
/** A word, or two neighbouring characters of a script without spaces, and what its presence is worth. */
type Unit = { key: string; words: string[]; weight: number }

/** The distinct units of a text, in order. */
function unitsOf(text: string): Unit[] {
  const units = new Map<string, Unit>()
  const words = wordsOf(text)
  words.forEach((word, index) => {
    const [before, next] = [words[index - 1], words[index + 1]]
    const paired = isUnspaced(word) && next !== undefined && isUnspaced(next)
    // The last of a run stands in the pair before it.
    if (!paired && isUnspaced(word) && before !== undefined && isUnspaced(before)) return
    const unit = paired ? [word, next] : [word]
    const weight = paired ? 1 : Math.min(1, [...word].length / FULL_LENGTH)
    units.set(unit.join(' '), { key: unit.join(' '), words: unit, weight })
  })
  return [...units.values()]
}

/** What to search for, to find entries like a draft: `key` names the units that a probe asks for together. */
export type Probe = { key: string; terms: Term[] }

/** The probes of a draft: the longest units of its title and then of its summary one by one, and those of the title together. No phrases, no beginnings: each is cheap to answer. */
export function probesOf({ title, summary }: Draft): Probe[] {
  const longest = (units: Unit[]): Unit[] =>
    units.toSorted((a, b) => b.weight - a.weight || b.key.length - a.key.length)
  const all = longest(unitsOf(title))
  const ofTitle = all.slice(0, TITLE_PROBES)
  const known = new Set(ofTitle.map(({ key }) => key))
  const others = longest(unitsOf(summary).filter(({ key }) => !known.has(key)))
  const single = [...ofTitle, ...others].slice(0, PROBES_MAX)
  const together = [...new Set(all.flatMap(({ words }) => words))].slice(0, TOGETHER)
  return [
    ...(together.length > 1 ? [{ key: '', terms: termsFor(together) }] : []),
    ...single.map(({ key, words }) => ({ key, terms: termsFor([...new Set(words)]) })),
  ]
}

const termsFor = (words: readonly string[]): Term[] => words.map(word => ({ words: [word], prefix: false }))

/** How much two texts have in common, from 0 to 1; `common` are the keys of units that many entries have. */
export function similarity(draft: Draft, entry: Draft, common: ReadonlySet<string>): number {
  const ofTitle = shared(draft.title, entry.title, common)
  const ofBoth = shared(`${draft.title}\n${draft.summary}`, `${entry.title}\n${entry.summary}`, common)
  const score = draft.summary === '' ? ofTitle : Math.max(ofTitle, (ofTitle + ofBoth) / 2)
  return Math.round(score * 100) / 100
}

/** Twice what both have, of what each has (the coefficient of Dice), by weight. */
function shared(a: string, b: string, common: ReadonlySet<string>): number {
  const worth = ({ key, weight }: Unit): number => weight * (common.has(key) ? COMMON : 1)
  const sum = (units: readonly Unit[]): number => units.reduce((total, unit) => total + worth(unit), 0)
  const ours = unitsOf(a)
  const theirs = unitsOf(b)
  const keys = new Set(theirs.map(({ key }) => key))
  const all = sum(ours) + sum(theirs)
  return all === 0 ? 0 : (2 * sum(ours.filter(({ key }) => keys.has(key)))) / all
}
