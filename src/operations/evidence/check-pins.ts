import type { PinsInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import type { PinFinding, PinsReport } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../database/database.ts'
import { sequenceOf } from '../../domain/cursor.ts'
import { measurerOf, RETAINED_FROM, wordingOf } from '../../domain/evidence/retained-text.ts'
import { standingOf } from '../../domain/evidence/standing.ts'
import { signalNames } from '../../domain/signals/signals.ts'
import { findRecordAt } from '../../store/as-of.ts'
import { readSettled } from '../../store/change.ts'
import { type EntryRow, findEntry } from '../../store/entry.ts'
import { findPinned, listJudgedAfter, listJudgementsOfText, type PinnedRow } from '../../store/pin.ts'
import { findTextByDigest, shownStanding, storedStanding } from '../../store/standing.ts'
import type { ReadOperation } from '../operation.ts'
import { type Objection, objectionOf, objectionsTo } from './read-standing.ts'

type Pin = PinsInput['pins'][number]

/** Number of pins per read. */
const AT_ONCE = 20

/** Compares pinned revisions with the store. Reports later revisions, evidence and withdrawals. */
export const checkPins: ReadOperation<'checkPins'> = async ({ reader }, { body }) => {
  const named = body.pins.map(namedPin)
  const sequence = await readSettled(reader)
  const since = body.since === undefined ? undefined : await sinceOf(reader, sequenceOf(body.since))
  const items: PinFinding[] = []
  let same = 0
  for (let from = 0; from < named.length; from += AT_ONCE) {
    const pins = named.slice(from, from + AT_ONCE)
    for (const found of await Promise.all(pins.map(pin => findingsOf(reader, pin, since)))) {
      if (found.length === 0) same++
      items.push(...found)
    }
  }
  const answer: PinsReport = { items, same, sequence: String(sequence), dataClass: 'EXTERNAL', ...TRUST }
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

async function findingsOf(reader: Reader, { pin, address }: NamedPin, since: Since | undefined): Promise<PinFinding[]> {
  const named = { entry: address, revisionId: pin.revisionId.toLowerCase() }
  const entry = await findEntry(reader, named.entry)
  if (entry?.withdrawn === 1) return [{ kind: 'WITHDRAWN', ...named }]
  const pinned = entry === undefined ? undefined : await findPinned(reader, entry.number, named.revisionId)
  if (entry === undefined || pinned === undefined) return [{ kind: 'UNKNOWN', ...named }]
  if (!isOf(pin, entry)) return [{ kind: 'UNKNOWN', ...named }]
  const kept = pinned.changed_after === 0 ? 1 : measurerOf(wordingOf(entry))(wordingOf(pinned))
  const [revised, evidence] = await Promise.all([
    revisedOf(reader, entry, pinned, kept),
    // If the current text retains the pinned one, evidence about the current text is also about the pinned one.
    kept >= RETAINED_FROM ? evidenceOf(reader, entry, pinned, since) : evidenceOfText(reader, entry, pinned, since),
  ])
  const found = { ...named, slug: entry.slug, signals: signalNames(entry.signals) }
  return [revised, evidence].filter(one => one !== undefined).map(one => ({ ...found, ...one }))
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
  kept: number,
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
