import type { PinsInput } from '../../contract/inputs.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { PinFinding, PinsReport } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../engine/database.ts'
import { readSettled } from '../activity/rows.ts'
import { findRecordAt } from '../as-of/rows.ts'
import { type EntryRow, findEntry } from '../entries/rows.ts'
import { type CutText, changedPlaces, type Text } from '../evidence/pieces-rules.ts'
import { objectionsTo, shownPiece } from '../evidence/read.ts'
import { listJudgements, shownStanding, storedStanding } from '../evidence/rows.ts'
import { type Judgement, latestOf, verdictOf } from '../evidence/rules.ts'
import { textsOf } from '../evidence/standing.ts'
import { inTurns, type ReadOperation, type Reads } from '../operation.ts'
import { signalNames, signalsMember } from '../signals/signals.ts'
import { sequenceOf } from '../values.ts'
import { findPinned, listJudgedAfter, type PinnedRow } from './rows.ts'

type Pin = PinsInput['pins'][number]

/** The number of pins whose rows are read concurrently. */
const AT_ONCE = 20
/** The characters of texts that a check compares for each read that it is charged. */
const COMPARED_CHARACTERS = 80_000

/** Compares pinned revisions with the store. Reports later revisions, evidence and withdrawals. */
export const checkPins: ReadOperation<'checkPins'> = async (reads, { body }) => {
  const { reader } = reads
  const named = body.pins.map(namedPin)
  const sequence = await readSettled(reader)
  const since = body.since === undefined ? undefined : await sinceOf(reader, sequenceOf(body.since))
  const check: Check = { reader, since, judgementsOf: judgementsByEntry(reader) }
  const comparison = new Comparison(reads, COMPARED_CHARACTERS * Math.ceil(named.length / LIMITS.pinsPerRead))
  const findings = new Map<string, PinFinding[]>()
  // Equal pins are checked once. The pins of an entry follow each other, so that its current text is prepared once.
  const distinct = new Map(named.map(pin => [keyOf(pin), pin])).values()
  const pins = [...Map.groupBy(distinct, ({ address }) => address).values()].flat()
  for (let from = 0; from < pins.length; from += AT_ONCE) {
    const some = pins.slice(from, from + AT_ONCE)
    const located = await inTurns(reads, some, pin => locate(reads, pin))
    for (const one of located) if ('pinned' in one) one.change = await comparison.changeOf(one.entry, one.pinned)
    const found = await inTurns(reads, located, one => ('pinned' in one ? findingsOf(check, one) : [one]))
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

type Check = {
  reader: Reader
  since: Since | undefined
  /** The judgements of an entry, which are read once for all of its pins. */
  judgementsOf(entry: EntryRow): Promise<Judgement[]>
}

function judgementsByEntry(reader: Reader): Check['judgementsOf'] {
  const known = new Map<number, Promise<Judgement[]>>()
  return entry => {
    const judgements = known.get(entry.number) ?? listJudgements(reader, entry).then(latestOf)
    known.set(entry.number, judgements)
    return judgements
  }
}

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

/** The pinned sentences that are gone, and those that are new. */
type TextChange = Pick<NonNullable<PinFinding['revised']>, 'removed' | 'added' | 'changed'>

/** The coverage that is shown for texts that were not compared. */
const NOT_COMPARED: TextChange = { removed: [], added: [], changed: null }

/**
 * Compares pinned texts with the current ones, within a budget of characters. Equal texts are compared once. Another request runs after each
 * comparison.
 */
class Comparison {
  readonly #yieldToRequests: Reads['yieldToRequests']
  readonly #known = new Map<number, TextChange | null>()
  #left: number
  #current: number | undefined

  constructor({ yieldToRequests }: Pick<Reads, 'yieldToRequests'>, budget: number) {
    this.#yieldToRequests = yieldToRequests
    this.#left = budget
  }

  /** The change since a pinned text: null if there is none, NOT_COMPARED if the budget does not suffice. */
  async changeOf(entry: EntryRow, pinned: PinnedRow): Promise<TextChange | null> {
    if (pinned.changed_after === 0) return null
    const known = this.#known.get(pinned.number)
    const change = known === undefined ? await this.#compare(entry, pinned) : known
    this.#known.set(pinned.number, change)
    return change
  }

  async #compare(entry: EntryRow, pinned: PinnedRow): Promise<TextChange | null> {
    const cost = lengthOf(pinned) + (this.#current === entry.number ? 0 : lengthOf(entry))
    if (cost > this.#left) return NOT_COMPARED
    this.#left -= cost
    this.#current = entry.number
    const change = changeBetween(entry, pinned)
    await this.#yieldToRequests()
    return change
  }
}

const PIECES_SHOWN = 3

function changeBetween(entry: EntryRow, pinned: PinnedRow): TextChange | null {
  const texts = textsOf(entry.number)
  const [before, now] = [texts.cut(pinned), texts.cut(entry)]
  const { same, ofJudged, ofCurrent } = now.comparedWith(before)
  if (same) return null
  const [gone, added] = [changedPlaces(ofJudged), changedPlaces(ofCurrent)]
  const shown = (text: CutText, places: readonly number[], row: { signals: number }) =>
    text.piecesAt(places.slice(0, PIECES_SHOWN)).map(piece => shownPiece(piece, row))
  return {
    removed: shown(before, gone, pinned),
    added: shown(now, added, entry),
    changed: Math.max(gone.length, added.length),
  }
}

const lengthOf = ({ title, summary, content }: Text): number => title.length + summary.length + content.length

/** A pin whose revision exists. `named` has the members of the request. */
type Located = { named: Named; entry: EntryRow; pinned: PinnedRow; change: TextChange | null }
type Named = Pick<PinFinding, 'entry' | 'revisionId'>

/** Finds the revision of a pin, or returns the finding that it is unknown or withdrawn. */
async function locate({ reader }: Reads, { pin, address }: NamedPin): Promise<Located | PinFinding> {
  const named = { entry: address, revisionId: pin.revisionId.toLowerCase() }
  const entry = await findEntry(reader, named.entry)
  if (entry?.withdrawn === 1) return { kind: 'WITHDRAWN', ...named }
  const pinned = entry === undefined ? undefined : await findPinned(reader, entry, named.revisionId)
  if (entry === undefined || pinned === undefined || !isOf(pin, entry)) return { kind: 'UNKNOWN', ...named }
  if (pinned.title === '') return { kind: 'WITHDRAWN', ...named }
  return { named, entry, pinned, change: null }
}

async function findingsOf(check: Check, { named, entry, pinned, change }: Located): Promise<PinFinding[]> {
  const revised = change === null ? undefined : revisedOf(entry, pinned, change)
  const evidence = await (change === null ? evidenceOf(check, entry, pinned) : evidenceOfRevision(check, entry, pinned))
  const found = { ...named, slug: entry.slug, signals: signalNames(entry.signals) }
  return [revised, evidence].filter(one => one !== undefined).map(one => ({ ...found, ...one }))
}

/** Whether the id and the slug of a pin, if it has both, name the same entry. */
const isOf = ({ entryId, slug }: Pin, entry: EntryRow): boolean =>
  (entryId === undefined || entryId.toLowerCase() === entry.id) &&
  (slug === undefined || slug === entry.slug || slug.toLowerCase() === entry.id)

type PinChange = Pick<PinFinding, 'kind' | 'revised' | 'evidence'>

/** The change of a pinned text. */
const revisedOf = (entry: EntryRow, pinned: PinnedRow, change: TextChange): PinChange => ({
  kind: 'REVISED',
  revised: {
    currentRevisionId: entry.revision_id,
    revisions: entry.revisions - pinned.ordinal,
    changeType: pinned.change_type,
    rationale: pinned.rationale,
    // The rationale was searched with the text of its revision.
    ...(entry.signals === 0 ? {} : signalsMember(pinned.rationale)),
    ...change,
    standing: shownStanding(entry),
  },
})

/** The evidence about an entry whose current text is the pinned one. */
async function evidenceOf(
  { reader, since }: Check,
  entry: EntryRow,
  pinned: PinnedRow,
): Promise<PinChange | undefined> {
  const added = since && (await listJudgedAfter(reader, entry, since.sequence)).length
  return found(reader, storedStanding(entry.standing), newsOf(added, pinned, since))
}

/** The evidence about a pinned revision whose text the current one replaced: only the judgements of exactly that revision. */
async function evidenceOfRevision(
  { reader, since, judgementsOf }: Check,
  entry: EntryRow,
  pinned: PinnedRow,
): Promise<PinChange | undefined> {
  if (entry.standing === null) return undefined
  const judgements = (await judgementsOf(entry)).filter(one => one.revision === pinned.number)
  const added = since && judgements.filter(({ record }) => record > since.record).length
  return found(reader, verdictOf(judgements), newsOf(added, pinned, since))
}

type Verdict = ReturnType<typeof verdictOf>

/** `moderated`: evidence about the entry was withdrawn or restored. */
type News = { added: number; moderated: boolean }

const newsOf = (added: number | undefined, pinned: PinnedRow, since: Since | undefined): News | undefined =>
  since === undefined || added === undefined
    ? undefined
    : { added, moderated: pinned.evidence_moderated > since.record }

/** Returns a finding if the text is contradicted or disputed, or if evidence was added, withdrawn or restored. */
async function found(reader: Reader, verdict: Verdict, news: News | undefined): Promise<PinChange | undefined> {
  const { state, tally } = verdict
  const isOpposed = state === 'DISPUTED' || state === 'CONTRADICTED'
  if (!isOpposed && (news === undefined || (news.added === 0 && !news.moderated))) return undefined
  const [objection = null] = await objectionsTo(reader, verdict)
  return { kind: 'EVIDENCE', evidence: { state, tally, added: news?.added ?? null, objection } }
}
