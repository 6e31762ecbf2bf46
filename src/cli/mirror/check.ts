import { checkOf } from '../../contract/check.ts'
import { content, rationale, summary, title } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { TAG_PATTERN } from '../../contract/patterns.ts'
import { EXPORT_MEMBERS, ExportLine, type Revision } from '../../contract/resources.ts'
import { Type } from '../../contract/schema.ts'
import type { Reader } from '../../database/database.ts'
import { evidenceHash } from '../../domain/revision.ts'
import { isCleanText } from '../../domain/text.ts'
import { isUuid } from '../../domain/uuid.ts'
import { OperatorError } from '../../operator-error.ts'
import { findMirroredEntry, findMirroredRevision, findRevisionIdentity } from '../../store/mirror.ts'
import { isoTime } from '../../store/time.ts'

/** What an answer came to: its lines without the last, where to go on, and how far the server was if it ended at its newest row. */
export type Checked = { lines: ExportLine[]; next: number; head: NonNullable<ExportLine['head']> | null }

/** The longest line that a body of the largest size can become. */
const LINE_MAX = 262_144
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const TAG = new RegExp(TAG_PATTERN, 'u')

const contractOfLine = checkOf(ExportLine)
const contractOfTexts = checkOf(Type.Object({ title, summary, content, rationale }))

/**
 * Checks an answer of the export before anything of it is kept: every line against the contract, every revision against its hash, the chain of its
 * entry and what is kept already. Throws OperatorError that names the record.
 */
export async function checkLines(reader: Reader, bytes: Buffer, from: number): Promise<Checked> {
  const last = Math.ceil(from / LIMITS.exportSegment) * LIMITS.exportSegment
  const lines: ExportLine[] = []
  const chain = createChain(reader)
  let sequence = from - 1
  let end: ExportLine | undefined
  for (const text of textsOf(bytes)) {
    const line = parsed(text, sequence)
    if (end !== undefined) throw refusal(line, 'stands behind the end of its answer')
    if (line.type === 'end') {
      end = line
      continue
    }
    // A record without a row of activity has no sequence.
    const own = line.sequence === undefined ? sequence : Number(line.sequence)
    if (line.sequence !== undefined && (own <= sequence || own > last)) throw refusal(line, 'is out of order')
    sequence = own
    assertPlain(line)
    await chain.assert(line)
    lines.push(line)
  }
  if (end === undefined) throw new OperatorError(`The answer from sequence ${from} on breaks off; try again.`)
  const next = Number(end.next)
  // Sequence numbers that were never given out are passed over by whole segments.
  const leads = next <= last + 1 || (next % LIMITS.exportSegment === 1 && end.head === undefined)
  if (next <= sequence || !leads || next < from || !Number.isSafeInteger(next)) {
    throw new OperatorError(`The answer from sequence ${from} on goes on at ${next}, which is not where it ends.`)
  }
  return { lines, next, head: end.head ?? null }
}

function* textsOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start)
    const end = found < 0 ? bytes.length : found
    if (end - start > LINE_MAX) throw new OperatorError(`A line of the export is longer than ${LINE_MAX} bytes.`)
    yield bytes.subarray(start, end)
    start = end + 1
  }
}

function parsed(text: Buffer, after: number): ExportLine {
  let line: unknown
  try {
    line = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)) as unknown
  } catch {
    throw new OperatorError(`The line behind sequence ${after} is not JSON in UTF-8; nothing of its answer was kept.`)
  }
  if (!contractOfLine.fits(line)) {
    const [fault] = contractOfLine.faults(line)
    throw refusal(line, `is not as the contract has it (${fault?.instancePath ?? ''} ${fault?.message ?? ''})`, after)
  }
  const missing = EXPORT_MEMBERS[line.type].find(member => line[member] === undefined)
  if (missing !== undefined) throw refusal(line, `lacks ${missing}`, after)
  if (!isCleanText(line)) throw refusal(line, 'holds a text that cannot be stored', after)
  return line
}

/** A refusal that names the record by its numbers: whatever else a line says may be anything. */
export function refusal(line: unknown, fault: string, after?: number): OperatorError {
  const { record, sequence } = line as { record?: unknown; sequence?: unknown }
  const isNumber = (value: unknown): value is string => typeof value === 'string' && /^\d{1,19}$/.test(value)
  const name = isNumber(record)
    ? `Record ${record}${isNumber(sequence) ? ` (sequence ${sequence})` : ''}`
    : isNumber(sequence)
      ? `The row of sequence ${sequence}`
      : `The line behind sequence ${after ?? 0}`
  return new OperatorError(`${name} ${fault}; nothing of its answer was kept.`)
}

/** What no schema says of the members of a line. */
function assertPlain(line: ExportLine): void {
  const ends = line.ends ?? []
  for (const number of [line.record, line.sequence, line.entryRecord, line.sourceRecord, line.moderation, ...ends]) {
    if (typeof number === 'string' && !Number.isSafeInteger(Number(number)))
      throw refusal(line, 'has too large a number')
  }
  const { slug, tags = [], activity } = line
  const own = line.revision ?? line.verification ?? line.contradiction ?? line.relation
  if (slug !== undefined && (!SLUG.test(slug) || isUuid(slug))) throw refusal(line, 'has a slug that is none')
  if (!tags.every(tag => TAG.test(tag))) throw refusal(line, 'has a tag that is none')
  const ids = [own?.id, own?.actorId, line.actor?.id, activity?.actorId, activity?.entryId, line.revision?.entryId]
  if (ids.some(id => typeof id === 'string' && id !== id.toLowerCase())) throw refusal(line, 'has an id in upper case')
  const times = [own?.createdAt, activity?.timestamp]
  if (times.some(time => time !== undefined && !isTime(time))) throw refusal(line, 'has a time that is none')
  if (own !== undefined && own.actorId !== line.actor?.id) throw refusal(line, 'names two authors')
  const texts = line.revision ?? (own && { title: 'T', summary: 'S', content: 'C', rationale: own.rationale })
  if (texts !== undefined && !contractOfTexts.fits(texts)) throw refusal(line, 'has a text out of bounds')
}

const isTime = (text: string): boolean => Number.isFinite(Date.parse(text)) && isoTime(Date.parse(text)) === text

/** Whether a line says of a revision that it is withdrawn. The row of a read belongs to no record. */
const isRevisionWithdrawn = ({ type, record, ordinal, ends }: ExportLine): boolean =>
  type === 'withdrawn' && record !== undefined && ordinal === undefined && ends === undefined

/** The chains of hashes: what came before stands in this answer or is kept already. */
function createChain(reader: Reader) {
  const revisions = new Map<string, { hash: string; entry: number }>()
  const entries = new Set<number>()

  const previousOf = async (line: ExportLine, revision: Revision): Promise<string | null | undefined> => {
    if (line.type === 'entry') return revision.previousRevisionId === null ? null : undefined
    const id = revision.previousRevisionId ?? ''
    const near = revisions.get(id)
    const kept = near === undefined ? await findMirroredRevision(reader, id) : undefined
    const found = near ?? (kept && { hash: kept.evidence_hash, entry: kept.entry })
    return found?.entry === Number(line.entryRecord) ? found.hash : undefined
  }
  const isKnown = async (entry: number): Promise<boolean> =>
    entries.has(entry) || (await findMirroredEntry(reader, entry)) !== undefined

  const assertRevision = async (line: ExportLine, revision: Revision): Promise<void> => {
    const number = Number(line.record)
    const entry = line.type === 'entry' ? number : Number(line.entryRecord)
    const named = `is revision ${revision.id} of entry ${revision.entryId}, and`
    const previous = await previousOf(line, revision)
    const { evidenceHash: told, ...unhashed } = revision
    // What it follows may have been withdrawn when that was copied: then it is not kept either.
    if (previous === undefined && line.type === 'revision' && (await isKnown(entry))) return
    if (previous === undefined) throw refusal(line, `${named} what it follows was never sent`)
    const computed = evidenceHash(unhashed, previous)
    if (computed !== told)
      throw refusal(line, `${named} its evidenceHash is ${told}, while its content gives ${computed}`)
    const kept = await findRevisionIdentity(reader, number)
    if (kept !== undefined && (kept.id !== revision.id || kept.evidence_hash !== told)) {
      throw refusal(line, `${named} it was another one when it was copied first`)
    }
    revisions.set(revision.id, { hash: told, entry })
    entries.add(entry)
  }

  return {
    /** Throws unless the line continues what is known. */
    async assert(line: ExportLine): Promise<void> {
      if (line.revision !== undefined) return assertRevision(line, line.revision)
      const named = [line.entryRecord, line.sourceRecord, ...(line.ends ?? [])].filter(one => typeof one === 'string')
      if (isRevisionWithdrawn(line)) {
        if (line.entryRecord === undefined) throw refusal(line, 'lacks entryRecord')
        if (line.entryRecord === line.record) entries.add(Number(line.record))
      }
      for (const entry of named) {
        if (!(await isKnown(Number(entry)))) throw refusal(line, `belongs to record ${entry}, which was never sent`)
      }
    },
  }
}
