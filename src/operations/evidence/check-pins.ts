import type { PinsInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import type { PinFinding, PinsReport } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../database/database.ts'
import { sequenceOf } from '../../domain/cursor.ts'
import { measurerOf, wordingOf } from '../../domain/retained-text.ts'
import { signalNames } from '../../domain/signals.ts'
import { readSettled } from '../../store/change.ts'
import { type EntryRow, findEntry } from '../../store/entry.ts'
import { findPinned, listJudgedAfter, type PinnedRow } from '../../store/pin.ts'
import type { ReadOperation } from '../operation.ts'
import { standingOfEntry } from './read-standing.ts'

type Pin = PinsInput['pins'][number]

/** Number of pins per read. */
const AT_ONCE = 20

/** Compares pinned revisions with the store: revisions, evidence and withdrawals since. */
export const checkPins: ReadOperation<'checkPins'> = async ({ reader }, { body }) => {
  assertNamed(body.pins)
  const sequence = await readSettled(reader)
  const since = body.since === undefined ? undefined : sequenceOf(body.since)
  const items: PinFinding[] = []
  let same = 0
  for (let from = 0; from < body.pins.length; from += AT_ONCE) {
    const pins = body.pins.slice(from, from + AT_ONCE)
    for (const found of await Promise.all(pins.map(pin => findingsOf(reader, pin, since)))) {
      if (found.length === 0) same++
      items.push(...found)
    }
  }
  const answer: PinsReport = { items, same, sequence: String(sequence), dataClass: 'EXTERNAL', ...TRUST }
  return { body: answer }
}

/** Throws MISSING_MEMBER for a pin without the id and the slug of its entry, which the schema does not check. */
function assertNamed(pins: readonly Pin[]): void {
  const place = pins.findIndex(({ entryId, slug }) => entryId === undefined && slug === undefined)
  if (place >= 0) throw new Problem('MISSING_MEMBER', { member: `pins.${place}.entryId` })
}

async function findingsOf(reader: Reader, pin: Pin, since: number | undefined): Promise<PinFinding[]> {
  const named = { entry: pin.entryId ?? pin.slug ?? '', revisionId: pin.revisionId.toLowerCase() }
  const entry = await findEntry(reader, named.entry)
  if (entry?.withdrawn === 1) return [{ kind: 'WITHDRAWN', ...named }]
  const pinned = entry === undefined ? undefined : await findPinned(reader, entry.number, named.revisionId)
  if (entry === undefined || pinned === undefined) return [{ kind: 'UNKNOWN', ...named }]
  const [revised, evidence] = await Promise.all([revisedOf(reader, entry, pinned), evidenceOf(reader, entry, since)])
  const found = { ...named, slug: entry.slug, signals: signalNames(entry.signals) }
  return [revised, evidence].filter(one => one !== undefined).map(one => ({ ...found, ...one }))
}

type Found = Pick<PinFinding, 'kind' | 'revised' | 'evidence'>

/** The change of a pinned text; undefined if no later revision changed anything. */
async function revisedOf(reader: Reader, entry: EntryRow, pinned: PinnedRow): Promise<Found | undefined> {
  if (pinned.changed_after === 0) return undefined
  const latest = await findPinned(reader, entry.number, entry.revision_id)
  if (latest === undefined) return undefined
  const kept = measurerOf(wordingOf(entry))(wordingOf(pinned))
  return {
    kind: 'REVISED',
    revised: {
      currentRevisionId: entry.revision_id,
      revisions: latest.ordinal - pinned.ordinal,
      changeType: latest.change_type,
      rationale: latest.rationale,
      kept,
    },
  }
}

/** The result of the evidence about an entry if some is newer than `since`. Without `since`, only if it is against the current text. */
async function evidenceOf(reader: Reader, entry: EntryRow, since: number | undefined): Promise<Found | undefined> {
  const { state, tally, contradictions } = await standingOfEntry(reader, entry)
  const added = since === undefined ? undefined : await listJudgedAfter(reader, entry, since)
  const isNews = added === undefined ? state === 'DISPUTED' || state === 'CONTRADICTED' : added.length > 0
  if (!isNews) return undefined
  const strongest = contradictions.find(({ status }) => status === 'STANDING')
  return {
    kind: 'EVIDENCE',
    evidence: {
      state,
      tally,
      added: added?.length ?? null,
      objection: strongest === undefined ? null : { id: strongest.id, rationale: strongest.rationale },
    },
  }
}
