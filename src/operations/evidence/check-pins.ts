import type { PinsInput } from '../../contract/inputs.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { PinFinding, PinsReport } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../database/database.ts'
import { sequenceOf } from '../../domain/cursor.ts'
import { measurerOf, RETAINED_FROM, type Text, type Wording, wordingOf } from '../../domain/evidence/retained-text.ts'
import { standingOf } from '../../domain/evidence/standing.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { findRecordAt } from '../../store/as-of.ts'
import { readSettled } from '../../store/change.ts'
import { type EntryRow, findEntry } from '../../store/entry.ts'
import { findPinned, listJudgedAfter, listJudgementsOfText, type PinnedRow } from '../../store/pin.ts'
import { findTextByDigest, shownStanding, storedStanding } from '../../store/standing.ts'
import type { ReadOperation, Reads } from '../operation.ts'
import { type Objection, objectionOf, objectionsTo } from './read-standing.ts'

type Pin = PinsInput['pins'][number]

/** The number of pins whose rows are read concurrently. */
const AT_ONCE = 20
/** The characters of texts that a check compares for each read that it is charged. The costliest take about 1 ms for each 1,000. */
const COMPARED_CHARACTERS = 80_000

/** Compares pinned revisions with the store. Reports later revisions, evidence and withdrawals. */
export const checkPins: ReadOperation<'checkPins'> = async (reads, { body }) => {
  const { reader } = reads
  const named = body.pins.map(namedPin)
  const sequence = await readSettled(reader)
  const since = body.since === undefined ? undefined : await sinceOf(reader, sequenceOf(body.since))
  const comparison = new Comparison(reads, COMPARED_CHARACTERS * Math.ceil(named.length / LIMITS.pinsPerRead))
  const findings = new Map<string, PinFinding[]>()
  // Equal pins are checked once. The pins of an entry follow each other, so that its current text is prepared once.
  const distinct = new Map(named.map(pin => [keyOf(pin), pin])).values()
  const pins = [...Map.groupBy(distinct, ({ address }) => address).values()].flat()
  for (let from = 0; from < pins.length; from += AT_ONCE) {
    const some = pins.slice(from, from + AT_ONCE)
    const located = await Promise.all(some.map(pin => locate(reads, pin)))
    for (const one of located) if ('pinned' in one) one.kept = await comparison.keptOf(one.entry, one.pinned)
    const found = await Promise.all(located.map(one => ('pinned' in one ? findingsOf(reads, one, since) : [one])))
    for (const [place, pin] of some.entries()) findings.set(keyOf(pin), found[place] ?? [])
  }
  const byPin = named.map(pin => findings.get(keyOf(pin)) ?? [])
  const same = byPin.filter(found => found.length === 0).length
  const answer: PinsReport = {
    items: byPin.flat(),
    same,
    sequence: String(sequence),
    dataClass: 'EXTERNAL',
    ...TRUST,
  }
  return { body: answer }
}

/** The point from which on evidence is new: a sequence, and the newest record up to it. */
type Since = { sequence: number; record: number }

const sinceOf = async (reader: Reader, sequence: number): Promise<Since> => ({
  sequence,
  record: await findRecordAt(reader, sequence),
})

/** A pin with the id or slug of its entry. */
type NamedPin = { pin: Pin; address: string }

/** Adds the address of its entry to a pin. Throws MISSING_MEMBER if it has no id and no slug, which the schema does not check. */
function namedPin(pin: Pin, place: number): NamedPin {
  const address = pin.entryId ?? pin.slug
  if (address === undefined) throw new Problem('MISSING_MEMBER', { member: `pins.${place}.entryId` })
  return { pin, address }
}

/** Equal for pins that have the same findings. */
const keyOf = ({ pin: { entryId, slug, revisionId } }: NamedPin): string => JSON.stringify([entryId, slug, revisionId])

/**
 * Measures how much of pinned texts the current texts retain, within a budget of characters. Equal texts are compared once. Another request
 * runs after each comparison.
 */
class Comparison {
  readonly #yieldToRequests: Reads['yieldToRequests']
  readonly #known = new Map<number, number | null>()
  #left: number
  #current: { entry: number; measure: (judged: Wording) => number } | undefined

  constructor({ yieldToRequests }: Pick<Reads, 'yieldToRequests'>, budget: number) {
    this.#yieldToRequests = yieldToRequests
    this.#left = budget
  }

  /** The share of a pinned text that the current text retains; null if the budget does not suffice. */
  async keptOf(entry: EntryRow, pinned: PinnedRow): Promise<number | null> {
    if (pinned.changed_after === 0) return 1
    const known = this.#known.get(pinned.number) ?? (await this.#compare(entry, pinned))
    this.#known.set(pinned.number, known)
    return known
  }

  async #compare(entry: EntryRow, pinned: PinnedRow): Promise<number | null> {
    const isCurrent = this.#current?.entry === entry.number
    const cost = lengthOf(pinned) + (isCurrent ? 0 : lengthOf(entry))
    if (cost > this.#left) return null
    this.#left -= cost
    if (this.#current?.entry !== entry.number) {
      this.#current = { entry: entry.number, measure: measurerOf(wordingOf(entry)) }
      await this.#yieldToRequests()
    }
    const kept = this.#current.measure(wordingOf(pinned))
    await this.#yieldToRequests()
    return kept
  }
}

const lengthOf = ({ title, summary, content }: Text): number => title.length + summary.length + content.length

/** A pin whose revision exists. `named` has the members of the request. */
type Located = { named: Named; entry: EntryRow; pinned: PinnedRow; kept: number | null }
type Named = Pick<PinFinding, 'entry' | 'revisionId'>

/** Finds the revision of a pin, or returns the finding that it is unknown or withdrawn. */
async function locate(reads: Reads, { pin, address }: NamedPin): Promise<Located | PinFinding> {
  const { reader } = reads
  await reads.yieldIfOverBudget()
  const named = { entry: address, revisionId: pin.revisionId.toLowerCase() }
  const entry = await findEntry(reader, named.entry)
  if (entry?.withdrawn === 1) return { kind: 'WITHDRAWN', ...named }
  const pinned = entry === undefined ? undefined : await findPinned(reader, entry.number, named.revisionId)
  if (entry === undefined || pinned === undefined || !isOf(pin, entry)) return { kind: 'UNKNOWN', ...named }
  return { named, entry, pinned, kept: null }
}

async function findingsOf(reads: Reads, located: Located, since: Since | undefined): Promise<PinFinding[]> {
  const { reader } = reads
  const { named, entry, pinned, kept } = located
  await reads.yieldIfOverBudget()
  const [revised, evidence] = await Promise.all([
    revisedOf(reader, entry, pinned, kept),
    evidenceAbout(reader, located, since),
  ])
  const found = { ...named, slug: entry.slug, signals: signalNames(entry.signals) }
  return [revised, evidence].filter(one => one !== undefined).map(one => ({ ...found, ...one }))
}

/**
 * Evidence about a pinned text. If the current text retains the pinned one, evidence about the current text is also about the pinned one. If
 * the texts were not compared, the text of the evidence is unknown.
 */
async function evidenceAbout(
  reader: Reader,
  { entry, pinned, kept }: Located,
  since: Since | undefined,
): Promise<PinChange | undefined> {
  if (kept === null) return undefined
  return kept >= RETAINED_FROM ? evidenceOf(reader, entry, pinned, since) : evidenceOfText(reader, entry, pinned, since)
}

/** Whether the id and the slug of a pin, if it has both, name the same entry. */
const isOf = ({ entryId, slug }: Pin, entry: EntryRow): boolean =>
  (entryId === undefined || entryId.toLowerCase() === entry.id) &&
  (slug === undefined || slug === entry.slug || slug.toLowerCase() === entry.id)

type PinChange = Pick<PinFinding, 'kind' | 'revised' | 'evidence'>

/** The change of a pinned text; undefined if no later revision changed anything. */
async function revisedOf(
  reader: Reader,
  entry: EntryRow,
  pinned: PinnedRow,
  kept: number | null,
): Promise<PinChange | undefined> {
  if (pinned.changed_after === 0) return undefined
  const latest = await findPinned(reader, entry.number, entry.revision_id)
  if (latest === undefined) return undefined
  return {
    kind: 'REVISED',
    revised: {
      currentRevisionId: entry.revision_id,
      revisions: latest.ordinal - pinned.ordinal,
      changeType: latest.change_type,
      rationale: latest.rationale,
      kept,
      standing: shownStanding(entry.standing),
    },
  }
}

type Result = Pick<NonNullable<PinFinding['evidence']>, 'state' | 'tally'>

/**
 * Returns the state and tally of an entry if evidence was added, withdrawn or restored after `since`. Without `since`, returns them if the
 * evidence is against the current text.
 */
async function evidenceOf(
  reader: Reader,
  entry: EntryRow,
  pinned: PinnedRow,
  since: Since | undefined,
): Promise<PinChange | undefined> {
  const { state, tally } = storedStanding(entry.standing)
  const news = since && {
    added: (await listJudgedAfter(reader, entry, since.sequence)).length,
    moderated: pinned.evidence_moderated > since.record,
  }
  return found({ state, tally }, news, async () => (await objectionsTo(reader, entry))[0] ?? null)
}

/** Like `evidenceOf`, for a pinned text that the current one replaced. Considers only judgements of exactly the pinned text. */
async function evidenceOfText(
  reader: Reader,
  entry: EntryRow,
  pinned: PinnedRow,
  since: Since | undefined,
): Promise<PinChange | undefined> {
  if (entry.evidence === 0 && entry.relations === 0) return undefined
  const text = await findTextByDigest(reader, entry.number, wordingOf(pinned).digest)
  if (text === undefined) return undefined
  const judgements = await listJudgementsOfText(reader, entry.number, text.text)
  const news = since && {
    added: judgements.filter(({ record }) => record > since.record).length,
    moderated: pinned.evidence_moderated > since.record,
  }
  const { state, tally, objections, against } = standingOf(judgements, () => 1)
  return found({ state, tally }, news, () => objectionOf(reader, objections[0]?.judgement.record ?? against[0]?.record))
}

/** `moderated`: evidence about the entry was withdrawn or restored. */
type News = { added: number; moderated: boolean }

/** Returns a finding if evidence was added, withdrawn or restored. Without `news`, returns one if the evidence is against the text. */
async function found(
  { state, tally }: Result,
  news: News | undefined,
  objection: () => Promise<Objection | null>,
): Promise<PinChange | undefined> {
  const isNews =
    news === undefined ? state === 'DISPUTED' || state === 'CONTRADICTED' : news.added > 0 || news.moderated
  if (!isNews) return undefined
  return { kind: 'EVIDENCE', evidence: { state, tally, added: news?.added ?? null, objection: await objection() } }
}
