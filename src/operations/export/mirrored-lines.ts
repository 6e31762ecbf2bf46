import type { ExportLine } from '../../contract/resources.ts'
import type { Action, ExportType } from '../../contract/vocabulary.ts'
import type { Transaction } from '../../database/database.ts'
import { appendActivity, isUnobserved, type NewActivity } from '../../store/activity.ts'
import { countRelation, fillEntryStub, findEntryNumber, insertEntry } from '../../store/entry.ts'
import { insertEvidence } from '../../store/evidence.ts'
import * as mirror from '../../store/mirror.ts'
import * as judged from '../../store/mirror-evidence.ts'
import type { Judging } from '../../store/moderation.ts'
import { insertRelation, type RelationEnd } from '../../store/relation.ts'
import { insertRevision, isSame } from '../../store/revision.ts'
import { raiseOrigins } from '../../store/standing.ts'

const HOUR = 3_600_000

/**
 * Changes by lines: entries whose visibility may differ, and judgements that may count or no longer count. `act` is the latest act of
 * moderation that the lines may come from.
 */
export type Touched = { entries: Set<number>; judging: Judging[]; readonly act: number }

/** Stores a line as of record `change`, and adds what it changed to `touched`. Lines have the members of their type. */
type Keeper = (tx: Transaction, line: ExportLine, change: number, touched: Touched) => Promise<void>

export const KEEPERS: Record<ExportType, Keeper> = {
  entry: keepEntry,
  revision: keepRevision,
  verification: keepEvidence,
  contradiction: keepEvidence,
  relation: keepRelation,
  observation: keepObservation,
  withdrawn: keepWithdrawn,
  moderated: (tx, line) => mirror.updateModerated(tx, Number(line.entryRecord), Number(line.sequence)),
  // A mirror stores no rows of these: the log that it copies has them.
  moderation: async () => {},
  continuation: async () => {},
  end: async () => {},
}

function given<T>(member: T | undefined): T {
  if (member === undefined) throw new Error('A line lacks what its type has.')
  return member
}

type Subject = Pick<NewActivity, 'action' | 'entry' | 'revision' | 'subject' | 'target' | 'at'>

/** Inserts the feed row of a record, or updates it to the line. */
async function keepActivity(tx: Transaction, line: ExportLine, actor: number, subject: Subject): Promise<void> {
  const sequence = Number(line.sequence)
  const withdrawn = line.withdrawn !== undefined
  if (await mirror.markActivity(tx, sequence, { withdrawn })) return
  await appendActivity(tx, {
    ...subject,
    sequence,
    actor,
    origin: null,
    requestId: given(line.requestId),
    metadata: null,
    dataClass: given(line.dataClass),
    hour: null,
    withdrawn,
  })
}

const authorOf = (tx: Transaction, line: ExportLine, at: number, change: number): Promise<number> => {
  const { actorType = 'UNKNOWN', dataClass } = line
  return mirror.ensureAuthor(tx, given(line.actor), { actorType, dataClass: given(dataClass), at, change })
}

async function keepEntry(tx: Transaction, line: ExportLine, change: number, touched: Touched): Promise<void> {
  const revision = given(line.revision)
  const number = Number(line.record)
  const at = Date.parse(revision.createdAt)
  const dataClass = given(line.dataClass)
  const actor = await authorOf(tx, line, at, change)
  const entry = {
    ...{ number, id: revision.entryId, slug: given(line.slug), actor, origin: null, dataClass, at },
    tags: given(line.tags),
  }
  const known = await mirror.findMirroredEntry(tx, number)
  if (known === undefined) {
    await insertEntry(tx, entry)
    // It is shown, and counted among topics, once that is settled.
    await mirror.updateEntryStanding(tx, number, 1, change)
  } else if (known.revisions === 0) {
    await fillEntryStub(tx, entry)
  }
  await mirror.markEntry(tx, number, { locked: line.status === 'LOCKED' })
  if (!(await mirror.restoreRevision(tx, number, revision))) {
    await insertRevision(tx, { number, entry: number, ordinal: 1, actor, origin: null, at, changed: true, revision })
  }
  await keepActivity(tx, line, actor, { action: 'CREATE', entry: number, revision: number, subject: null, at })
  touched.entries.add(number)
}

async function keepRevision(tx: Transaction, line: ExportLine, change: number, touched: Touched): Promise<void> {
  const revision = given(line.revision)
  const number = Number(line.record)
  const entry = Number(line.entryRecord)
  const at = Date.parse(revision.createdAt)
  const actor = await authorOf(tx, line, at, change)
  if (!(await mirror.restoreRevision(tx, number, revision))) {
    const previous = given(await mirror.findMirroredRevision(tx, revision.previousRevisionId ?? ''))
    const ordinal = previous.ordinal + 1
    const changed = !isSame(previous, revision)
    await insertRevision(tx, { number, entry, ordinal, actor, origin: null, at, changed, revision })
    await mirror.raiseEntry(tx, entry, { number, ordinal, at, changed })
  }
  const action = revision.changeType as Action
  await keepActivity(tx, line, actor, { action, entry, revision: number, subject: null, at })
  touched.entries.add(entry)
}

async function keepEvidence(tx: Transaction, line: ExportLine, change: number, touched: Touched): Promise<void> {
  const evidence = given(line.verification ?? line.contradiction)
  const kind = line.type === 'verification' ? 'VERIFY' : 'CONTRADICT'
  const number = Number(line.record)
  const entry = Number(line.entryRecord)
  const at = Date.parse(evidence.createdAt)
  const { id, rationale } = evidence
  const revision = given(await mirror.findMirroredRevision(tx, evidence.revisionId))
  const actor = await authorOf(tx, line, at, change)
  const ordinal = given(line.ordinal)
  const originGroup = line.originGroup ?? 0
  const before = await judged.restoreEvidence(tx, number, rationale, originGroup)
  if (before?.withdrawn === 1) await judged.markModerated(tx, entry, touched.act)
  if (before === undefined) {
    const { result, confidence } = 'result' in evidence ? evidence : { result: null, confidence: null }
    const sourceEntry = line.sourceRecord === undefined || line.sourceRecord === null ? null : Number(line.sourceRecord)
    await insertEvidence(tx, {
      ...{ number, id, kind, entry, ordinal, revision: revision.number, actor, origin: null, originGroup },
      ...{ result, confidence, rationale, sourceEntry, at },
    })
    await mirror.raiseEvidence(tx, entry, ordinal)
  }
  await raiseOrigins(tx, entry, originGroup)
  touched.judging.push({ entry, actor })
  await keepActivity(tx, line, actor, { action: kind, entry, revision: revision.number, subject: number, at })
}

async function keepRelation(tx: Transaction, line: ExportLine, change: number, touched: Touched): Promise<void> {
  const { id, relationType, rationale, createdAt } = given(line.relation)
  const number = Number(line.record)
  const at = Date.parse(createdAt)
  const actor = await authorOf(tx, line, at, change)
  const [source = 0, target = 0] = given(line.ends).map(Number)
  const originGroup = line.originGroup ?? 0
  const fields = { id, relationType, actor, rationale, at, originGroup }
  const before = await judged.restoreRelation(tx, number, fields)
  if (before === undefined) await placeRelation(tx, number, [source, target], fields)
  if (relationType === 'CONTRADICTS') {
    if (before?.withdrawn === 1) await judged.markModerated(tx, target, touched.act)
    await raiseOrigins(tx, target, originGroup)
    touched.judging.push({ entry: target, actor })
  }
  await keepActivity(tx, line, actor, { action: 'CONNECT', entry: source, revision: null, subject: number, target, at })
}

type Placed = Pick<
  Parameters<typeof insertRelation>[1],
  'id' | 'relationType' | 'actor' | 'rationale' | 'at' | 'originGroup'
>

async function placeRelation(
  tx: Transaction,
  number: number,
  [source, target]: [number, number],
  fields: Placed,
): Promise<void> {
  await insertRelation(tx, {
    number,
    ...fields,
    origin: null,
    source: await endOf(tx, source, number),
    target: await endOf(tx, target, number),
  })
}

const endOf = async (tx: Transaction, entry: number, relation: number): Promise<RelationEnd> => ({
  entry,
  ordinal: (await countRelation(tx, entry)).relations,
  revision: await mirror.findRevisionBefore(tx, entry, relation),
})

async function keepObservation(tx: Transaction, line: ExportLine, change: number): Promise<void> {
  const sequence = Number(line.sequence)
  const { action, entryId } = given(line.activity)
  const entry = entryId === null ? null : ((await findEntryNumber(tx, entryId)) ?? null)
  // A known row is unchanged except for its author's names. A read of a withdrawn entry is not stored.
  if (await mirror.isActivityKnown(tx, sequence)) await mirror.renameAuthor(tx, given(line.actor), change)
  else if (action === 'SEARCH' || entry !== null) await placeObservation(tx, line, entry, change)
}

async function placeObservation(
  tx: Transaction,
  line: ExportLine,
  entry: number | null,
  change: number,
): Promise<void> {
  const { action, revisionId, timestamp, requestId, metadata, dataClass } = given(line.activity)
  const revision = revisionId === null ? undefined : await mirror.findMirroredRevision(tx, revisionId)
  const at = Date.parse(timestamp)
  const actor = await authorOf(tx, { ...line, dataClass }, at, change)
  // Two rows may fall into one hour here that began in two. Only rows of writes have none.
  let hour = Math.floor(at / HOUR)
  while (!(await isUnobserved(tx, hour, actor, action, entry))) hour++
  await appendActivity(tx, {
    ...{ sequence: Number(line.sequence), actor, origin: null, action, entry, subject: null, hour },
    revision: revision?.number ?? null,
    ...{ requestId, dataClass, at, metadata: action === 'SEARCH' ? metadata : null },
  })
}

async function keepWithdrawn(tx: Transaction, line: ExportLine, change: number, touched: Touched): Promise<void> {
  const sequence = Number(line.sequence)
  if (line.record === undefined) return mirror.deleteObservation(tx, sequence)
  const number = Number(line.record)
  await mirror.markActivity(tx, sequence, { withdrawn: true })
  if (line.ends !== undefined) return withdrawRelation(tx, line, number, touched)
  const entry = Number(line.entryRecord)
  const known = await mirror.findMirroredEntry(tx, entry)
  if (line.ordinal !== undefined) {
    const actor = await judged.eraseEvidence(tx, number, { alone: line.withdrawn === 'RECORD' })
    if (actor !== undefined) touched.judging.push({ entry, actor })
    if (line.withdrawn === 'RECORD') await judged.markModerated(tx, entry, actOf(line, touched))
    await mirror.raiseEvidence(tx, entry, line.ordinal)
    return
  }
  if (known === undefined) await mirror.insertEntryStub(tx, entry, change)
  else await mirror.eraseRevisions(tx, entry)
  touched.entries.add(entry)
}

/** The act of moderation that withdrew a line. */
const actOf = ({ moderation }: ExportLine, { act }: Touched): number => Number(moderation ?? act)

async function withdrawRelation(tx: Transaction, line: ExportLine, number: number, touched: Touched): Promise<void> {
  const known = await judged.eraseRelation(tx, number)
  if (known !== undefined) {
    touched.judging.push(known)
    if (known.relation_type === 'CONTRADICTS') await judged.markModerated(tx, known.entry, actOf(line, touched))
    return
  }
  const [source = 0, target = 0] = given(line.ends).map(Number)
  const actor = await mirror.ensureUnknownAuthor(tx)
  const fields = { id: '', relationType: 'CONNECT', actor, rationale: '', at: 0, originGroup: 0 } as const
  await placeRelation(tx, number, [source, target], fields)
  await judged.eraseRelation(tx, number)
}
