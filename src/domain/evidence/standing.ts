import type { Tally } from '../../contract/resources.ts'
import type { State } from '../../contract/vocabulary.ts'
import { RETAINED_FROM } from './retained-text.ts'

/** A verdict about a text: the result of a verification, a contradiction, or a relation of type CONTRADICTS with its entry as target. */
export type Verdict = 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE' | 'CONTRADICTED' | 'CONTRADICTS'

/**
 * The latest judgement of an actor about one text of an entry. `record` is its record number. `originGroup` numbers its origin and day
 * within the entry; 0 means unknown, and all unknown origins count as one.
 */
export type Judgement = {
  record: number
  actor: number
  text: number
  verdict: Verdict
  /** Whether the actor wrote the judged text. */
  own: boolean
  originGroup: number
  at: number
}

/** An objection, and whether it is about the current text. */
export type Objection = { judgement: Judgement; current: boolean }

export type Standing = {
  state: State
  tally: Tally
  /** The tally of earlier texts. */
  earlier: Tally
  /** The share of the last judged text that the current text retains; null if only authors judged. */
  kept: number | null
  /** When the current text was last judged, in milliseconds since 1970. */
  checkedAt: number | null
  /** The texts whose support counts for the current text. */
  supported: number[]
  /** The newest support of the earlier text with the most support, if the current text has none. */
  best: Judgement | null
  objections: Objection[]
  /** Judgements against the current text, newest first, one from each origin of a day. */
  against: Judgement[]
  /** How disputed the entry is, for the order of lists; 0 without objections. */
  disputeScore: number
}

/** The maximum number of texts of an entry that are measured against the current one: those with the most voices. */
export const MEASURED_TEXTS = 20
/** The maximum number of judgements of an entry that count. Past it, the oldest of the largest group of one origin is removed. */
export const COUNTED_JUDGEMENTS = 10_000
export const OBJECTIONS_SHOWN = 3
export const AGAINST_NAMED = 5

/** Whether a judgement is a contradiction, of either kind. */
export const isObjection = ({ verdict }: Pick<Judgement, 'verdict'>): boolean =>
  verdict === 'CONTRADICTED' || verdict === 'CONTRADICTS'
/** Whether a judgement is against its text. */
export const isAgainst = ({ verdict }: Pick<Judgement, 'verdict'>): boolean =>
  verdict !== 'SUPPORTED' && verdict !== 'INCONCLUSIVE'
const isFor = ({ verdict }: Judgement): boolean => verdict === 'SUPPORTED'

/**
 * The standing of the current text of an entry. `retainedShareOf` returns the share of a judged text that the current text retains, from 0
 * to 1. At most two judgements of each actor count: the latest about the current text and the latest about earlier texts.
 */
export function standingOf(judgements: readonly Judgement[], retainedShareOf: (text: number) => number): Standing {
  const isCurrent = ({ text }: Judgement): boolean => retainedShareOf(text) >= RETAINED_FROM
  const current = latestOf(judgements.filter(isCurrent))
  const earlier = latestOf(judgements.filter(one => !isCurrent(one)))
  const tally = tallyOf(current)
  const others = judgements.filter(({ own }) => !own)
  const last = newest(others)
  const here = current.filter(({ own }) => !own)
  return {
    state: stateOf(tally),
    tally,
    earlier: tallyOf(earlier),
    kept: last === undefined ? null : retainedShareOf(last.text),
    checkedAt: newest(here)?.at ?? null,
    supported: [...new Set(here.filter(isFor).map(({ text }) => text))],
    best: tally.supported > 0 ? null : bestOf(earlier),
    objections: [
      ...distinct(current, isObjection).map(judgement => ({ judgement, current: true })),
      ...distinct(earlier, isObjection).map(judgement => ({ judgement, current: false })),
    ].slice(0, OBJECTIONS_SHOWN),
    against: distinct(current, isAgainst).slice(0, AGAINST_NAMED),
    disputeScore: disputeScoreOf(tally),
  }
}

/** The state of a tally. UNSUPPORTED and contradictions are against the text. Judgements of authors about their own text do not count. */
export function stateOf({ supported, unsupported, inconclusive, contradicted }: Tally): State {
  const against = unsupported + contradicted
  if (supported > 0) return against > 0 ? 'DISPUTED' : 'SUPPORTED'
  if (against > 0) return 'CONTRADICTED'
  return inconclusive > 0 ? 'INCONCLUSIVE' : 'UNCHECKED'
}

/** Counts judgements, of which each actor has one. */
export function tallyOf(judgements: readonly Judgement[]): Tally {
  const others = judgements.filter(({ own }) => !own)
  const count = (wanted: (one: Judgement) => boolean): number => others.filter(wanted).length
  return {
    supported: count(isFor),
    unsupported: count(({ verdict }) => verdict === 'UNSUPPORTED'),
    inconclusive: count(({ verdict }) => verdict === 'INCONCLUSIVE'),
    contradicted: count(isObjection),
    own: judgements.length - others.length,
    actors: others.length,
    independent: voicesOf(others),
    independentFor: voicesOf(others.filter(isFor)),
    independentAgainst: voicesOf(others.filter(isAgainst)),
  }
}

/** The number of distinct origins of a day. It is at most the number of actors, because each judgement is by another actor. */
const voicesOf = (judgements: readonly Judgement[]): number =>
  new Set(judgements.map(({ originGroup }) => originGroup)).size

/** Judgements about one text: at least one. */
type TextJudgements = readonly [Judgement, ...Judgement[]]

function newest(judgements: TextJudgements): Judgement
function newest(judgements: readonly Judgement[]): Judgement | undefined
function newest(judgements: readonly Judgement[]): Judgement | undefined {
  return judgements.reduce<Judgement | undefined>(
    (last, one) => (last === undefined || one.record > last.record ? one : last),
    undefined,
  )
}

/** The latest judgement of each actor, newest first. */
export function latestOf(judgements: readonly Judgement[]): Judgement[] {
  const latest = new Map<number, Judgement>()
  for (const one of judgements) {
    if ((latest.get(one.actor)?.record ?? 0) < one.record) latest.set(one.actor, one)
  }
  return [...latest.values()].sort((a, b) => b.record - a.record)
}

/** The judgements of a kind that are not an author's own, one from each origin of a day. */
function distinct(judgements: readonly Judgement[], isKind: (one: Judgement) => boolean): Judgement[] {
  const groups = new Set<number>()
  return judgements.filter(one => {
    if (one.own || !isKind(one) || groups.has(one.originGroup)) return false
    groups.add(one.originGroup)
    return true
  })
}

/** The newest support of the text with the most voices for it and none against. */
function bestOf(judgements: readonly Judgement[]): Judgement | null {
  const supported = [...textsOf(judgements).values()].filter(about => stateOf(tallyOf(about)) === 'SUPPORTED')
  const [best] = supported.sort(
    (a, b) => voicesOf(b.filter(isFor)) - voicesOf(a.filter(isFor)) || newest(b).record - newest(a).record,
  )
  return newest((best ?? []).filter(one => isFor(one) && !one.own)) ?? null
}

const textsOf = (judgements: readonly Judgement[]): Map<number, TextJudgements> =>
  Map.groupBy(judgements, ({ text }) => text) as Map<number, [Judgement, ...Judgement[]]>

const SIDES_WEIGHT = 100_000

/**
 * Orders entries by the voices on the weaker side, then by those against. An origin on both sides is one voice. 0 without voices against.
 */
export function disputeScoreOf({ independent, independentFor, independentAgainst }: Tally): number {
  if (independentAgainst === 0) return 0
  const sides = Math.min(independentFor, independentAgainst, independent - 1)
  return sides * SIDES_WEIGHT + Math.min(independentAgainst, SIDES_WEIGHT - 1)
}

/**
 * The judged texts to measure: those with the most voices, newest first. A voice counts 1/n for each of its n texts, so no single origin
 * displaces the texts of another.
 */
export function measuredTexts(judgements: readonly Judgement[]): number[] {
  const texts = textsOf(judgements)
  return texts.size <= MEASURED_TEXTS ? [...texts.keys()] : weightiestTexts(judgements)
}

/** The same texts in descending order of voices. */
export function weightiestTexts(judgements: readonly Judgement[]): number[] {
  const texts = [...textsOf(judgements)].map(([text, about]) => ({
    text,
    record: newest(about).record,
    voices: new Set(about.filter(({ own }) => !own).map(({ originGroup }) => originGroup)),
  }))
  const textsOfVoice = new Map<number, number>()
  for (const { voices } of texts) {
    for (const voice of voices) textsOfVoice.set(voice, (textsOfVoice.get(voice) ?? 0) + 1)
  }
  const weightOf = (voices: ReadonlySet<number>): number =>
    [...voices].reduce((sum, voice) => sum + 1 / (textsOfVoice.get(voice) as number), 0)
  return texts
    .map(({ text, record, voices }) => ({ text, record, weight: weightOf(voices) }))
    .sort((a, b) => b.weight - a.weight || b.record - a.record)
    .slice(0, MEASURED_TEXTS)
    .map(({ text }) => text)
}

type Voice = { isVoice: boolean }

/** The tally with one more judgement, of an actor that it does not count yet. `isVoice`: it does not count the origin yet either. */
export const tallyWith = (tally: Tally, judgement: Judgement, { isVoice }: Voice): Tally =>
  tallyBy(tally, judgement, { isVoice, by: 1 })

/** The tally without the only judgement of an actor. `isVoice`: it is also the only one of its origin. */
export const tallyWithout = (tally: Tally, judgement: Judgement, { isVoice }: Voice): Tally =>
  tallyBy(tally, judgement, { isVoice, by: -1 })

function tallyBy(tally: Tally, judgement: Judgement, { isVoice, by }: Voice & { by: 1 | -1 }): Tally {
  const one = tallyOf([judgement])
  const voices = isVoice ? {} : { independent: 0, independentFor: 0, independentAgainst: 0 }
  const changed = { ...one, ...voices }
  return Object.fromEntries(
    (Object.keys(tally) as (keyof Tally)[]).map(name => [name, tally[name] + by * changed[name]]),
  ) as Tally
}

/** The tally of no evidence. */
export const NO_TALLY: Tally = tallyOf([])
