import { checkOf } from '../contract/check.ts'
import { LIMITS } from '../contract/limits.ts'
import { type CheckedLine, EXPORT_MEMBERS, ExportLine, type Revision } from '../contract/resources.ts'
import { content, rationale, summary, TAG_PATTERN, Type, title } from '../contract/schema.ts'
import type { Reader } from '../engine/database.ts'
import { evidenceHash } from '../memory/entries/rules.ts'
import { isCleanText, isoTime, isUuid } from '../memory/values.ts'
import { OperatorError } from '../operator-error.ts'
import { Identity, identityOf } from './exported-line.ts'
import { findMirror, findMirroredEntry, findMirroredRevision, findRevisionIdentity } from './rows.ts'

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The members of a JSON object, of any type; none if the text is not JSON or null. */
export const membersOf = (text: string): Record<string, unknown> =>
  (parseJson(text) as Record<string, unknown> | null | undefined) ?? {}

/** Throws OperatorError if a store is a copy of another server. `instead` is the remedy. */
export async function assertNoMirror(store: Reader, instead: string): Promise<void> {
  const mirror = await findMirror(store)
  if (mirror === undefined) return
  throw new OperatorError(`The directory is a read-only mirror of ${mirror.url}; ${instead}.`)
}

/** A line belongs to a revision that the copy lacks. It receives the revision when it follows the act of moderation that restored it. */
export class Unplaced extends OperatorError {}

/** A checked answer: its lines without the last, the next sequence, and the state of the server if the answer ended at the newest row. */
export type Checked = { lines: CheckedLine[]; next: number; head: NonNullable<ExportLine['head']> | null }

/** The maximum length of a line that is made from a body of the maximum size. */
const LINE_MAX = 262_144
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const TAG = new RegExp(TAG_PATTERN, 'u')

const contractOfLine = checkOf(ExportLine)
const contractOfIdentity = checkOf(Identity)

const contractOfTexts = checkOf(Type.Object({ title, summary, content, rationale }))

/**
 * Checks an answer of the export before any of it is stored: every line against the contract; every revision against its hash, the chain of
 * its entry and the stored records. Throws OperatorError that names the record.
 */
export async function checkLines(reader: Reader, texts: Iterable<Buffer>, from: number): Promise<Checked> {
  const last = Math.ceil(from / LIMITS.exportSegment) * LIMITS.exportSegment
  const lines: CheckedLine[] = []
  const chains = new Chains(reader)
  let sequence = from - 1
  let end: CheckedLine<'end'> | undefined
  for (const text of texts) {
    const line = parsed(text, sequence)
    if (end !== undefined) throw refusal(line, 'is after the end of its answer')
    if (line.type === 'end') {
      end = line
      continue
    }
    // A record without a row of activity has no sequence.
    const own = line.sequence === undefined ? sequence : Number(line.sequence)
    if (line.sequence !== undefined && (own <= sequence || own > last)) throw refusal(line, 'is out of order')
    sequence = own
    assertPlain(line)
    await chains.assert(line)
    lines.push(line)
  }
  if (end === undefined) throw new OperatorError(`The answer from sequence ${from} is incomplete; try again.`)
  const next = Number(end.next)
  // Sequence numbers that were never assigned are skipped by whole segments.
  const leads = next <= last + 1 || (next % LIMITS.exportSegment === 1 && end.head === undefined)
  if (next <= sequence || !leads || next < from || !Number.isSafeInteger(next)) {
    throw new OperatorError(`The answer from sequence ${from} continues at ${next}, which is not its end.`)
  }
  return { lines, next, head: end.head ?? null }
}

/** The lines of an answer as texts. */
export function* textsOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start)
    const end = found < 0 ? bytes.length : found
    yield bytes.subarray(start, end)
    start = end + 1
  }
}

function parsed(text: Buffer, after: number): CheckedLine {
  if (text.length > LINE_MAX) throw new OperatorError(`A line of the export is longer than ${LINE_MAX} bytes.`)
  let line: unknown
  try {
    line = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)) as unknown
  } catch {
    throw new OperatorError(`The line after sequence ${after} is not JSON in UTF-8; its answer was not stored.`)
  }
  if (!contractOfLine.fits(line)) {
    const [fault] = contractOfLine.faults(line)
    throw refusal(line, `does not match the contract (${fault?.instancePath ?? ''} ${fault?.message ?? ''})`, after)
  }
  const { identity } = line as { identity?: unknown }
  if (identity !== undefined && !contractOfIdentity.fits(identity))
    throw refusal(line, 'has an invalid identity', after)
  const missing = EXPORT_MEMBERS[line.type].find(member => line[member] === undefined)
  if (missing !== undefined) throw refusal(line, `lacks ${missing}`, after)
  if (!isCleanText(line)) throw refusal(line, 'has a text that cannot be stored', after)
  return line as CheckedLine
}

/** An error that names the record only by its numbers, because the texts of a line are untrusted. */
export const refusal = (line: unknown, fault: string, after?: number): OperatorError =>
  new OperatorError(refusalText(line, fault, after))
const unplaced = (line: CheckedLine, fault: string): Unplaced => new Unplaced(refusalText(line, fault))

function refusalText(line: unknown, fault: string, after?: number): string {
  const { record, sequence } = line as { record?: unknown; sequence?: unknown }
  const isNumber = (value: unknown): value is string => typeof value === 'string' && /^\d{1,19}$/.test(value)
  const name = isNumber(record)
    ? `Record ${record}${isNumber(sequence) ? ` (sequence ${sequence})` : ''}`
    : isNumber(sequence)
      ? `The row of sequence ${sequence}`
      : `The line after sequence ${after ?? 0}`
  return `${name} ${fault}; its answer was not stored.`
}

/** Rules for the members of a line that the schema does not have. */
function assertPlain(line: CheckedLine): void {
  const ends = line.ends ?? []
  for (const number of [line.record, line.sequence, line.entryRecord, line.sourceRecord, line.moderation, ...ends]) {
    if (typeof number === 'string' && !Number.isSafeInteger(Number(number)))
      throw refusal(line, 'has too large a number')
  }
  const { slug, tags = [], activity } = line
  const own = line.revision ?? line.verification ?? line.contradiction ?? line.relation
  if (slug !== undefined && (!SLUG.test(slug) || isUuid(slug))) throw refusal(line, 'has an invalid slug')
  if (!tags.every(tag => TAG.test(tag))) throw refusal(line, 'has an invalid tag')
  const identity = identityOf(line)
  const named = [identity?.id, identity?.entryId, identity?.previousRevisionId, line.revision?.entryId]
  const ids = [own?.id, own?.actorId, line.actor?.id, activity?.actorId, activity?.entryId, ...named]
  if (ids.some(id => typeof id === 'string' && id !== id.toLowerCase())) throw refusal(line, 'has an id in upper case')
  const times = [own?.createdAt, activity?.timestamp, identity?.createdAt]
  if (times.some(time => time !== undefined && !isTime(time))) throw refusal(line, 'has an invalid time')
  if (own !== undefined && own.actorId !== line.actor?.id) throw refusal(line, 'names two authors')
  const texts = line.revision ?? (own && { title: 'T', summary: 'S', content: 'C', rationale: own.rationale })
  if (texts !== undefined && !contractOfTexts.fits(texts)) throw refusal(line, 'has a text out of bounds')
}

const isTime = (text: string): boolean => Number.isFinite(Date.parse(text)) && isoTime(Date.parse(text)) === text

/** Whether a line reports a withdrawn revision. The row of a read belongs to no record. */
const isRevisionWithdrawn = ({ type, record, ordinal, ends }: CheckedLine): boolean =>
  type === 'withdrawn' && record !== undefined && ordinal === undefined && ends === undefined

/** The chains of hashes. The previous revision is in this answer or stored already. */
class Chains {
  readonly #reader: Reader
  readonly #revisions = new Map<string, { hash: string; entry: number }>()
  readonly #entries = new Set<number>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Throws unless the line continues the known records. */
  async assert(line: CheckedLine): Promise<void> {
    if (line.revision !== undefined) return this.#assertRevision(line, line.revision)
    await this.#assertJudged(line)
    const named = [line.entryRecord, line.sourceRecord, ...(line.ends ?? [])].filter(one => typeof one === 'string')
    if (isRevisionWithdrawn(line)) {
      if (line.entryRecord === undefined) throw refusal(line, 'lacks entryRecord')
      if (line.entryRecord === line.record) this.#entries.add(Number(line.record))
      const identity = identityOf(line)
      if (identity !== undefined) await this.#assertIdentity(line, identity)
    }
    for (const entry of named) {
      if (!(await this.#isKnown(Number(entry)))) throw refusal(line, `belongs to record ${entry}, which was never sent`)
    }
  }

  /** Throws unless an erased revision follows a known one and is the one that the copy may have. */
  async #assertIdentity(line: CheckedLine, identity: Identity): Promise<void> {
    const { id, evidenceHash: hash } = identity
    const isFirst = line.entryRecord === line.record
    const members = [
      line.requestId,
      line.dataClass,
      line.actor,
      ...(isFirst ? [line.slug, line.tags, line.status] : []),
    ]
    if (members.includes(undefined)) throw refusal(line, 'lacks a member of an erased revision')
    const previous = await this.#previousOf({ ...line, type: isFirst ? 'entry' : 'revision' }, identity)
    if (previous === undefined)
      throw unplaced(line, `is erased revision ${id}, and its previous revision was never sent`)
    const kept = await findRevisionIdentity(this.#reader, Number(line.record))
    if (kept !== undefined && kept.id !== id)
      throw refusal(line, `is erased revision ${id}, and the first copy of it was different`)
    this.#revisions.set(id, { hash, entry: Number(line.entryRecord) })
  }

  /** Throws unless the revision that evidence is about is known. */
  async #assertJudged(line: CheckedLine): Promise<void> {
    const judged = (line.verification ?? line.contradiction)?.revisionId
    if (judged === undefined || this.#revisions.has(judged)) return
    if ((await findMirroredRevision(this.#reader, judged)) !== undefined) return
    throw unplaced(line, `is about revision ${judged}, which was never sent`)
  }

  async #assertRevision(line: CheckedLine, revision: Revision): Promise<void> {
    const number = Number(line.record)
    const entry = line.type === 'entry' ? number : Number(line.entryRecord)
    const named = `is revision ${revision.id} of entry ${revision.entryId}, and`
    const previous = await this.#previousOf(line, revision)
    const { evidenceHash: declared, ...unhashed } = revision
    if (previous === undefined) throw unplaced(line, `${named} its previous revision was never sent`)
    const computed = evidenceHash(unhashed, previous)
    if (computed !== declared)
      throw refusal(line, `${named} its evidenceHash is ${declared}, but its content results in ${computed}`)
    const kept = await findRevisionIdentity(this.#reader, number)
    if (kept !== undefined && (kept.id !== revision.id || kept.evidence_hash !== declared)) {
      throw refusal(line, `${named} the first copy of it was different`)
    }
    this.#revisions.set(revision.id, { hash: declared, entry })
    this.#entries.add(entry)
  }

  /** The hash of the previous revision, null for the first one, undefined if it is not known. */
  async #previousOf(
    line: Pick<CheckedLine, 'type' | 'entryRecord'>,
    revision: Pick<Revision, 'previousRevisionId'>,
  ): Promise<string | null | undefined> {
    const id = revision.previousRevisionId
    if (line.type === 'entry' || id === null) return line.type === 'entry' && id === null ? null : undefined
    const near = this.#revisions.get(id)
    const kept = near === undefined ? await findMirroredRevision(this.#reader, id) : undefined
    const found = near ?? (kept && { hash: kept.evidence_hash, entry: kept.entry })
    return found?.entry === Number(line.entryRecord) ? found.hash : undefined
  }

  async #isKnown(entry: number): Promise<boolean> {
    return this.#entries.has(entry) || (await findMirroredEntry(this.#reader, entry)) !== undefined
  }
}
