import type { Entry, Environment, FoundStanding, Standing, Tally } from '../../contract/resources.ts'
import type { ObjectionStatus, State } from '../../contract/vocabulary.ts'
import { signalLine } from '../signals/text.ts'
import { memoized } from '../values.ts'
import { environmentsOf, type ObservedEnvironment } from './environment-rules.ts'
import { type CutText, changedPlaces, isNotable } from './pieces-rules.ts'

/** A verdict about a text: the result of a verification, a contradiction, or a relation of type CONTRADICTS with its entry as target. */
export type Verdict = 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE' | 'CONTRADICTED' | 'CONTRADICTS'

/** A judgement of an exact revision. Records and revisions are ordered by their numbers. */
export type Judgement = {
  record: number
  actor: number
  revision: number
  verdict: Verdict
  /** Whether its actor, or its network on that day, wrote a part of the judged text. */
  own: boolean
  /** Numbers its network and day within the entry. 0 means unknown; all unknown ones are one voice. */
  voice: number
  quote: string | null
  observedOn: readonly Environment[]
  at: number
}

/** A CORRECT revision that changed something. */
export type Correction = { number: number; actor: number }

/** The maximum number of judged texts that are compared with the current text. */
export const COMPARED_TEXTS = 16
/** The maximum number of judgements of an entry that count. */
export const COUNTED_JUDGEMENTS = 1_000
/** The maximum number of quoted claims of an entry that are traced. An objection with another quote is about the whole text. */
export const TRACED_CLAIMS = 64
/** The maximum number of corrections after an objection, and of all objections, whose texts are searched for quoted claims. */
const SEARCHED_CORRECTIONS = 8
const SEARCHED_MAX = 32
/** The minimum share of the current text that a supported text has unchanged, so that its supporters count. */
const SUPPORT_FROM = 0.5
const NAMED = 3

/** An objection and its status. `answer` is the number of the correcting revision, and `addressed` the record of the voice that accepted it. */
export type Objection = {
  judgement: Judgement
  status: ObjectionStatus
  answer: number | null
  addressed: number | null
}

export type ComputedStanding = {
  state: State
  tally: Tally
  /** The judgements about texts that the current one replaced. */
  earlier: Tally
  /** (1 + for) ÷ (2 + for + against); an answered objection counts half. */
  share: number
  /** The share of the current text, by characters, that independent voices supported; null without support. */
  confirmed: number | null
  /** The places of pieces of the current text that no independent voice supported: at most three, those that matter most first. */
  unconfirmed: number[]
  /** The nearest supported text, as the number of its revision. */
  nearest: number | null
  /** The places of pieces of the nearest supported text that are gone: at most three. */
  removed: number[]
  /** How many pieces are unconfirmed or removed. A replaced piece is both, and counts once. */
  changed: number
  /** The actor that made the newest of these changes, and the number of other actors that made one; null if unknown. */
  changedBy: { actor: number; others: number } | null
  checkedAt: number | null
  observedOn: ObservedEnvironment[]
  /** At most three, one of each voice. */
  contradictions: (Omit<Objection, 'judgement'> & { record: number; verdict: Verdict; byAuthor: boolean })[]
  /** How disputed the entry is, for the order of lists; 0 without a standing objection. */
  contest: number
}

/** Whether a judgement is against its text. */
export const isAgainst = ({ verdict }: Pick<Judgement, 'verdict'>): boolean =>
  verdict !== 'SUPPORTED' && verdict !== 'INCONCLUSIVE'
const isSupport = ({ verdict, own }: Judgement): boolean => verdict === 'SUPPORTED' && !own
const isQuoted = ({ quote }: Judgement): boolean => quote !== null
/** Equal for judgements of the same claim. A quote is never empty. */
const claimKey = ({ revision, quote }: Judgement): string => `${revision} ${quote ?? ''}`

/**
 * The judgements that count, oldest first: a later judgement of the same revision by the same actor replaces an earlier one. An actor's
 * objections with other quotes, and its contradiction and its relation, are all kept.
 */
export function latestOf(judgements: readonly Judgement[]): Judgement[] {
  const ordered = judgements.toSorted((a, b) => a.record - b.record)
  /** By actor and revision: one judgement in favour under the key '', or the objections by verdict and quote. */
  const latest = new Map<string, Map<string, Judgement>>()
  for (const one of ordered) {
    const about = `${one.actor} ${one.revision}`
    const ofActor = (isAgainst(one) ? latest.get(about) : undefined) ?? new Map<string, Judgement>()
    ofActor.delete('')
    latest.set(about, ofActor.set(isAgainst(one) ? `${one.verdict} ${one.quote ?? ''}` : '', one))
  }
  const counted = new Set([...latest.values()].flatMap(ofActor => [...ofActor.values()]))
  return ordered.filter(one => counted.has(one))
}

/**
 * The revisions whose texts are compared with the current one: half of them the objected ones, then the supported ones, then the others;
 * each kind by its voices, then the newest first.
 */
export function textsToCompare(judgements: readonly Judgement[], current: number): number[] {
  const judged = [...Map.groupBy(judgements, ({ revision }) => revision)].sort(([a], [b]) => b - a)
  const objected = byVoices(judged, isAgainst)
  const isJudged = judged.some(([revision]) => revision === current)
  const texts = [objected.slice(0, COMPARED_TEXTS / 2), byVoices(judged, isSupport), objected, byVoices(judged)].flat()
  return [...new Set([...(isJudged ? [current] : []), ...texts])].slice(0, COMPARED_TEXTS)
}

/** The judgements with the quotes that are traced: those of compared texts with the most voices, then the newest. Others lose their quotes. */
export function withTracedClaims(judgements: readonly Judgement[], compared: readonly number[]): Judgement[] {
  const traceable = judgements.filter(one => isQuoted(one) && compared.includes(one.revision))
  const traced = new Set(byVoices([...Map.groupBy(traceable, claimKey)].reverse()).slice(0, TRACED_CLAIMS))
  return judgements.map(one => (isQuoted(one) && !traced.has(claimKey(one)) ? { ...one, quote: null } : one))
}

/**
 * The judged things with the most voices first. A voice counts 1/n for each of the n things that it judged, so that no network displaces the
 * things of another one. Things with equally many keep their order.
 */
function byVoices<K>(judged: readonly (readonly [K, Judgement[]])[], counts = (_: Judgement): boolean => true): K[] {
  const things = new Map<number, number>()
  for (const voice of judged.flatMap(([, about]) => [...voicesOf(about)])) {
    things.set(voice, (things.get(voice) ?? 0) + 1)
  }
  const weightOf = (about: readonly Judgement[]): number =>
    [...voicesOf(about)].reduce((sum, voice) => sum + 1 / (things.get(voice) ?? 1), 0)
  return judged
    .map(([thing, about]) => ({ thing, weight: weightOf(about.filter(counts)) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ thing }) => thing)
}

/** Whether a text has what a judgement is about: its claim, or the whole judged text. False if the judged text is not compared. */
type IsIn = (judgement: Judgement, text: CutText) => boolean

/** The evidence about an entry. */
export type Evidence = {
  /** From `latestOf` and `withTracedClaims`: oldest first. */
  judgements: readonly Judgement[]
  current: CutText
  /** Those of `textsToCompare`, by the numbers of their revisions. */
  compared: ReadonlyMap<number, CutText>
  /** From `tracingIn` the compared texts. */
  isIn: IsIn
  /** Oldest first. `text` is left out where no quoted claim is searched. */
  corrections: readonly (Correction & { text?: CutText | undefined })[]
}

/** Traces what judgements are about. Each claim is looked for once in each text. */
export function tracingIn(compared: Evidence['compared']): IsIn {
  const found = new Map<string, (text: CutText) => boolean>()
  return (judgement, text) => {
    const judged = compared.get(judgement.revision)
    if (judged === undefined) return false
    if (judgement.quote === null) return text.isSame(judged)
    const known = found.get(claimKey(judgement))
    if (known !== undefined) return known(text)
    const claim = judged.claimOf(judgement.quote)
    const isFound = memoized((one: CutText) => one.hasClaim(claim))
    found.set(claimKey(judgement), isFound)
    return isFound(text)
  }
}

/** Whether the current text has enough of a judged text unchanged. False if the judged text is not compared. */
export function countsNow({ current, compared }: Evidence, { revision }: Judgement): boolean {
  const text = compared.get(revision)
  return text !== undefined && current.comparedWith(text).share >= SUPPORT_FROM
}

/** The numbers of the corrections whose texts may answer an objection with a quote. */
export function correctionsToSearch({ judgements, current, isIn, corrections }: Evidence): number[] {
  const open = new Set(judgements.filter(one => isQuoted(one) && !isIn(one, current)).map(({ revision }) => revision))
  const searched = [...open].flatMap(revision => {
    const later = corrections.filter(({ number }) => number > revision)
    return [...later.slice(0, SEARCHED_CORRECTIONS - 1), ...later.slice(-1)].map(({ number }) => number)
  })
  return [...new Set(searched)].slice(0, SEARCHED_MAX)
}

/** The objections of an entry with their statuses. A standing objection to the answer of another one reopens that. */
export function objectionsOf(evidence: Evidence): Objection[] {
  const supports = evidence.judgements.filter(({ verdict }) => verdict === 'SUPPORTED')
  const objections = evidence.judgements.filter(isAgainst).map(one => objectionOf(one, evidence, supports))
  const standing = new Map(
    objections.flatMap(({ status, judgement }) => (status === 'STANDING' ? [[claimKey(judgement), judgement]] : [])),
  )
  /** The newest text with a standing objection that is new since a revision: it reopens the answers up to that text. */
  const reopenedUpTo = memoized((revision: number): number => {
    const isNew = newSince(revision, evidence)
    return Math.max(0, ...[...standing.values()].filter(isNew).map(one => one.revision))
  })
  return objections.map(one =>
    one.answer !== null && reopenedUpTo(one.judgement.revision) >= one.answer ? { ...one, ...OPEN } : one,
  )
}

/** Whether an objection is about its whole text, or about a claim that the text of a revision does not have. */
function newSince(revision: number, { compared, isIn }: Evidence): (objection: Judgement) => boolean {
  const text = compared.get(revision)
  return one => !isQuoted(one) || text === undefined || !isIn(one, text)
}

const OPEN = { status: 'STANDING', answer: null, addressed: null } as const

/** An objection with its status, without regard to the others. A text that is not compared counts as changed. */
function objectionOf(judgement: Judgement, evidence: Evidence, supports: readonly Judgement[]): Objection {
  const { compared, current, isIn } = evidence
  const judged = compared.get(judgement.revision)
  const withdrawn = supports.find(one => isWithdrawal(one, judgement))
  if (withdrawn !== undefined) return { judgement, status: 'ADDRESSED', answer: null, addressed: withdrawn.record }
  const answer = answerTo(judgement, evidence)
  const isGone = judged !== undefined && !current.numbers.some(number => judged.has(number))
  if (isIn(judgement, current) || (answer === undefined && !isGone)) return { judgement, ...OPEN }
  const since = answer?.number ?? judgement.revision + 1
  const accepted = supports.find(one => isAcceptance(one, answer) && isAbout(one, since, judgement, evidence))
  const status = accepted === undefined ? 'ANSWERED' : 'ADDRESSED'
  return { judgement, status, answer: answer?.number ?? null, addressed: accepted?.record ?? null }
}

/** Whether a judgement takes back an earlier objection of its own actor. */
const isWithdrawal = (one: Judgement, { actor, record, revision }: Judgement): boolean =>
  one.actor === actor && one.verdict === 'SUPPORTED' && one.record > record && one.revision >= revision

/** Whether a judgement is by an independent voice in favour, other than the corrector. */
const isAcceptance = (one: Judgement, answer: Correction | undefined): boolean =>
  isSupport(one) && one.actor !== answer?.actor

/** Whether a judgement follows an objection, and is about a text from a revision on that no longer has what was objected to. */
function isAbout(one: Judgement, since: number, objection: Judgement, { compared, isIn }: Evidence): boolean {
  if (one.record < objection.record || one.revision < since) return false
  const text = compared.get(one.revision)
  return text !== undefined && !isIn(objection, text)
}

/** The first correction that no longer has what an objection is about; undefined if the current text has it. */
const answerTo = (judgement: Judgement, { corrections, current, isIn }: Evidence) =>
  isIn(judgement, current)
    ? undefined
    : corrections.find(
        ({ number, text }) =>
          number > judgement.revision && (!isQuoted(judgement) || (text !== undefined && !isIn(judgement, text))),
      )

/** How each reply to an objection is shown, in words. */
export const REPLY_WORDS = {
  ANSWERED: 'Answered by',
  CONFIRMED: 'Confirmed by',
  WITHDRAWN: 'Withdrawn by',
  REPEATED: 'Objected again by',
} as const

/** A reply to an objection: the correction that answered it, by the number of its revision, or a judgement of the answer, by its record. */
export type Reply = { kind: keyof typeof REPLY_WORDS; number: number; verdict: Verdict }

/**
 * The replies to the objections with these records, in order of time, by record. Only texts that are compared count. The time grows with the
 * number of records times that of the judgements.
 */
export function repliesOf(evidence: Evidence, records: ReadonlySet<number>): Map<number, Reply[]> {
  const objections = evidence.judgements.filter(one => isAgainst(one) && records.has(one.record))
  return new Map(objections.map(one => [one.record, repliesTo(one, evidence)]))
}

function repliesTo(objection: Judgement, evidence: Evidence): Reply[] {
  const answer = answerTo(objection, evidence)
  const isNew = newSince(objection.revision, evidence)
  const kindOf = (one: Judgement): Reply['kind'] | undefined => {
    if (isWithdrawal(one, objection)) return 'WITHDRAWN'
    if (answer === undefined || !isAbout(one, answer.number, objection, evidence)) return undefined
    if (isAgainst(one)) return isNew(one) ? 'REPEATED' : undefined
    return isAcceptance(one, answer) ? 'CONFIRMED' : undefined
  }
  const replies = evidence.judgements.flatMap((one): Reply[] => {
    const kind = kindOf(one)
    return kind === undefined ? [] : [{ kind, number: one.record, verdict: one.verdict }]
  })
  if (answer !== undefined) replies.push({ kind: 'ANSWERED', number: answer.number, verdict: objection.verdict })
  return replies.sort((a, b) => a.number - b.number)
}

/** The standing of the current text of an entry, and what changed in it since the nearest supported text. */
export function assess(evidence: Evidence): { standing: ComputedStanding; changes: Changes | undefined } {
  const { judgements, compared, current } = evidence
  const objections = objectionsOf(evidence)
  const those = (status: ObjectionStatus): Judgement[] =>
    objections.filter(one => one.status === status).map(one => one.judgement)
  const [open, answered] = [those('STANDING'), those('ANSWERED')]
  const inFavour = inFavourBeside(open, judgements)
  const counted = new Set([...open, ...newestOfActors(inFavour.filter(one => countsNow(evidence, one)))])
  const here = judgements.filter(one => counted.has(one))
  const tally = tallyOf(here)
  const supports = here.filter(isSupport)
  const { support, changes } = supportOf(evidence, inFavour.filter(isSupport))
  const isExact = supports.some(({ revision }) => compared.get(revision)?.isSame(current))
  const standing: ComputedStanding = {
    state: stateOf(tally, { isExact, isAnswered: answered.length > 0 }),
    tally,
    earlier: tallyOf(newestOfActors(judgements.filter(one => !counted.has(one)))),
    share: shareOfVoices(tally, answered),
    ...support,
    changedBy: null,
    checkedAt: here.findLast(one => isAgainst(one) || !one.own)?.at ?? null,
    observedOn: environmentsOf(supports.toReversed()),
    contradictions: shownOf(objections),
    contest: contestOf(open, supports),
  }
  return { standing, changes }
}

/** The judgements that are not against their texts, without those of actors with some objection. */
export function inFavourBeside(objections: readonly Judgement[], judgements: readonly Judgement[]): Judgement[] {
  const opponents = new Set(objections.map(({ actor }) => actor))
  return judgements.filter(one => !isAgainst(one) && !opponents.has(one.actor))
}

/** The newest judgement of each actor. The judgements come oldest first. */
export const newestOfActors = (judgements: readonly Judgement[]): Judgement[] => [
  ...new Map(judgements.map(one => [one.actor, one])).values(),
]

const voicesOf = (judgements: readonly Judgement[]): Set<number> => new Set(judgements.map(({ voice }) => voice))
const actorsOf = (judgements: readonly Judgement[]): number => new Set(judgements.map(({ actor }) => actor)).size

/** Counts actors, and the independent voices for and against. A judgement in favour by an author counts as `own` only. */
function tallyOf(judgements: readonly Judgement[]): Tally {
  const others = judgements.filter(one => !one.own || isAgainst(one))
  const those = (...verdicts: Verdict[]): Judgement[] => others.filter(({ verdict }) => verdicts.includes(verdict))
  return {
    supported: actorsOf(those('SUPPORTED')),
    unsupported: actorsOf(those('UNSUPPORTED')),
    inconclusive: actorsOf(those('INCONCLUSIVE')),
    contradicted: actorsOf(those('CONTRADICTED', 'CONTRADICTS')),
    own: actorsOf(judgements.filter(one => one.own && !isAgainst(one))),
    actors: actorsOf(others),
    for: voicesOf(those('SUPPORTED')).size,
    against: voicesOf(others.filter(isAgainst)).size,
  }
}

/** The result of the judgements about one exact text, without regard to later ones. */
export function verdictOf(
  judgements: readonly Judgement[],
): Pick<ComputedStanding, 'state' | 'tally' | 'contradictions'> {
  const tally = tallyOf(judgements)
  const contradictions = shownOf(judgements.filter(isAgainst).map(judgement => ({ judgement, ...OPEN })))
  return { state: stateOf(tally, { isExact: true, isAnswered: false }), tally, contradictions }
}

function stateOf(tally: Tally, { isExact, isAnswered }: { isExact: boolean; isAnswered: boolean }): State {
  if (tally.against > 0) return tally.for > 0 ? 'DISPUTED' : 'CONTRADICTED'
  if (isAnswered) return 'ANSWERED'
  if (tally.for > 0) return isExact ? 'SUPPORTED' : 'PARTLY_SUPPORTED'
  return tally.inconclusive > 0 ? 'INCONCLUSIVE' : 'UNCHECKED'
}

/** The rule of succession (Laplace). */
function shareOfVoices(tally: Tally, answered: readonly Judgement[]): number {
  const against = tally.against + voicesOf(answered).size / 2
  return inThousandths((1 + tally.for) / (2 + tally.for + against))
}

/** Rounded down, so that a part is never shown as the whole. */
const inThousandths = (share: number): number => Math.floor(share * 1_000 + 1e-9) / 1_000

/** The nearest supported text, the places of its pieces that are gone, and those of pieces that no supported text has. */
export type Changes = { revision: number; nearest: CutText; gone: number[]; unconfirmed: number[] }

const NO_SUPPORT = { confirmed: null, unconfirmed: [], nearest: null, removed: [], changed: 0 }

/** The standing of a text without judgements. */
export const NO_STANDING: ComputedStanding = {
  ...verdictOf([]),
  ...NO_SUPPORT,
  ...{ earlier: tallyOf([]), share: 0.5, changedBy: null, checkedAt: null, observedOn: [], contest: 0 },
}

/** What independent voices supported of the current text, and the changes since; no changes without support. */
function supportOf({ current, compared }: Evidence, supports: readonly Judgement[]) {
  const supported = new Set(supports.map(({ revision }) => revision))
  const texts = [...compared]
    .filter(([revision]) => supported.has(revision))
    .map(([revision, nearest]) => ({ revision, nearest, ...current.comparedWith(nearest) }))
    .sort((a, b) => Number(b.same) - Number(a.same) || b.share - a.share || b.revision - a.revision)
  const [first] = texts
  if (first === undefined) return { support: NO_SUPPORT, changes: undefined }
  const { revision, nearest } = first
  const gone = changedPlaces(first.ofJudged)
  const unconfirmed = changedPlaces(first.ofCurrent).filter(place => texts.every(one => one.ofCurrent[place] === 0))
  const support = {
    confirmed: inThousandths(current.shareWithout(unconfirmed)),
    unconfirmed: notableFirst(current, unconfirmed),
    nearest: revision,
    removed: notableFirst(nearest, gone),
    changed: Math.max(unconfirmed.length, gone.length),
  }
  return { support, changes: { revision, nearest, gone, unconfirmed } }
}

/** At most three places of pieces: those whose small change may reverse the meaning first. */
function notableFirst(text: CutText, places: readonly number[]): number[] {
  const notable = places
    .values()
    .filter(place => text.piecesAt([place]).some(isNotable))
    .take(NAMED)
  return [...new Set([...notable, ...places.slice(0, 2 * NAMED)])].slice(0, NAMED)
}

const STATUS_ORDER: Record<ObjectionStatus, number> = { STANDING: 0, ANSWERED: 1, ADDRESSED: 2 }

/** At most three objections, one of each voice. Relations come last: their rationale is about two entries. */
function shownOf(objections: readonly Objection[]): ComputedStanding['contradictions'] {
  const isRelation = ({ judgement }: Objection): number => Number(judgement.verdict === 'CONTRADICTS')
  const ordered = objections.toSorted(
    (a, b) =>
      STATUS_ORDER[a.status] - STATUS_ORDER[b.status] ||
      isRelation(a) - isRelation(b) ||
      b.judgement.record - a.judgement.record,
  )
  return [...Map.groupBy(ordered, ({ judgement }) => judgement.voice).values()]
    .slice(0, NAMED)
    .flatMap(([first]) => first ?? [])
    .map(({ judgement: { record, verdict, own }, ...objection }) => ({ record, verdict, byAuthor: own, ...objection }))
}

/** More than the voices that count. */
const SIDES_WEIGHT = 100_000

/** Orders entries by the voices on the weaker side, then by those against. A voice on both sides is against. */
function contestOf(open: readonly Judgement[], supports: readonly Judgement[]): number {
  const against = voicesOf(open)
  const inFavour = [...voicesOf(supports)].filter(voice => !against.has(voice)).length
  return Math.min(inFavour, against.size) * SIDES_WEIGHT + against.size
}

/** A share in whole per cent, rounded down: a share below 1 is never 100. */
export const percentOf = (share: number): number => Math.floor(share * 100 + 1e-9)

const joined = (...facts: readonly string[]): string => facts.filter(fact => fact !== '').join(', ')

export type Voices = Pick<Tally, 'for' | 'against' | 'inconclusive'>

/** The words after the numbers of voices. */
export const holdsWords = (voices: Pick<Voices, 'for'>): string => `${voices.for === 1 ? 'says' : 'say'} it holds`

/** The independent voices about a text in words, as in "48 of 65 say it holds"; empty without one. */
export function voicesWords(voices: Voices): string {
  const all = voices.for + voices.against + voices.inconclusive
  return all === 0 ? '' : `${voices.for} of ${all} ${holdsWords(voices)}`
}

/** Like `voicesWords`; without a voice, says whether the authors alone checked the text. */
export const checkWords = (tally: Voices & Pick<Tally, 'own'>): string =>
  voicesWords(tally) || (tally.own > 0 ? 'checked by its authors only' : 'no independent check yet')

type Confirmed = Partial<Pick<Standing, 'confirmed' | 'changed' | 'changedBy'>>

/** How many sentences changed since a text was supported, and by whom. A declared name is untrusted: it is quoted. */
function changedWords({ changed = 0, changedBy }: Confirmed): string {
  if (changed === 0) return ''
  const words = `${changed} ${changed === 1 ? 'sentence' : 'sentences'} changed since it was checked`
  if (changedBy === undefined) return words
  const { name, others, signals = [] } = changedBy
  const quoted = name === null ? 'an unnamed actor' : `"${name.replace(/["\s]+/g, ' ').trim()}"`
  const by = signals.length === 0 ? quoted : `${quoted} (${signalLine(signals)})`
  return `${words}, by ${by}${others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`}`
}

/** How much of a text readers confirmed, and who changed it since, in words; empty if nothing changed, or if it is unknown. */
export const partWords = ({ confirmed = null, ...change }: Confirmed): string =>
  joined(
    confirmed === null || confirmed === 1 ? '' : `${percentOf(confirmed)} % of this text was supported`,
    changedWords(change),
  )

/** Like `partWords`, and says that a wholly confirmed text did not change. */
export const confirmedWords = (standing: Confirmed): string =>
  partWords(standing) || (standing.confirmed === 1 ? 'unchanged since it was checked' : '')

/** A standing in one line: the state, the independent voices, and the share of the text that was supported or what changed since. */
export const standingLine = ({ state, tally, ...text }: Pick<Standing, 'state' | 'tally'> & Confirmed): string =>
  `${state}: ${joined(checkWords(tally), confirmedWords(text))}`

/** A standing in short, for lists of found entries. A member that says nothing is left out. */
export const shortStanding = (standing: Entry['standing']): FoundStanding => {
  const { state, tally, confirmed, changed, changedBy, lastCheckedAt } = standing
  return {
    ...{ state, for: tally.for, against: tally.against },
    ...(confirmed == null || confirmed === 1 ? {} : { confirmed }),
    changed,
    ...(changedBy === undefined ? {} : { changedBy }),
    lastCheckedAt,
  }
}

/** A short standing in one line. */
export function shortStandingLine({ state, lastCheckedAt, ...found }: FoundStanding): string {
  const checked = lastCheckedAt === null ? '' : `checked ${lastCheckedAt.slice(0, 10)}`
  const facts = joined(voicesWords({ ...found, inconclusive: 0 }), partWords(found), checked)
  return facts === '' ? state : `${state}: ${facts}`
}

/** The number of judgements about earlier texts. */
export const earlierCount = ({ earlier }: Pick<Standing, 'earlier'>): number => earlier.actors + earlier.own
