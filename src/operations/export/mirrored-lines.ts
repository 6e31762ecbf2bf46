import type { CheckedLine, Revision } from '../../contract/resources.ts'
import type { Action } from '../../contract/vocabulary.ts'
import { only, type Transaction } from '../../database/database.ts'
import { endsOf, judgementOf } from '../../domain/log/exported-line.ts'
import { signalsOf } from '../../domain/signals/signals.ts'
import { countRelation, fillEntryStub, insertEntry, readTags } from '../../store/entry.ts'
import { insertEvidence } from '../../store/evidence.ts'
import * as mirror from '../../store/mirror.ts'
import * as judged from '../../store/mirror-evidence.ts'
import { insertRelation, type RelationEnd } from '../../store/relation.ts'
import { insertRevision, isSame } from '../../store/revision.ts'
import { listSignalledOf, updateSignals } from '../../store/signals.ts'
import { observedJson, raiseOrigins } from '../../store/standing.ts'
import { authorOf, keepActivity, keepObservation } from './mirrored-activity.ts'

/**
 * The entries whose text, visibility or evidence the lines changed. `act` is the latest act of moderation that the lines may reflect.
 */
export type Touched = { entries: Set<number>; readonly act: number }

/** Stores a line as of record `change`, and adds what it changed to `touched`. */
export async function keepLine(tx: Transaction, line: CheckedLine, change: number, touched: Touched): Promise<void> {
  switch (line.type) {
    case 'entry':
      return keepEntry(tx, line, change, touched)
    case 'revision':
      return keepRevision(tx, line, change, touched)
    case 'verification':
    case 'contradiction':
      return keepEvidence(tx, line, change, touched)
    case 'relation':
      return keepRelation(tx, line, change, touched)
    case 'observation':
      return keepObservation(tx, line, change)
    case 'withdrawn':
      return keepWithdrawn(tx, line, change, touched)
    case 'moderated':
      return mirror.updateModerated(tx, Number(line.entryRecord), Number(line.sequence))
    // A mirror stores no rows of these lines, because the copied log contains them.
    case 'moderation':
    case 'continuation':
    case 'end':
  }
}

async function keepEntry(tx: Transaction, line: CheckedLine<'entry'>, change: number, touched: Touched): Promise<void> {
  const { revision, dataClass, slug } = line
  const number = Number(line.record)
  const at = Date.parse(revision.createdAt)
  const actor = await authorOf(tx, line, at, change)
  const entry = {
    ...{ number, id: revision.entryId, slug, actor, origin: null, dataClass, at },
    tags: line.tags,
  }
  const known = await mirror.findMirroredEntry(tx, number)
  if (known === undefined) {
    await insertEntry(tx, entry)
    // `settleTouched` makes the entry visible and counts it among topics.
    await mirror.updateEntryStanding(tx, number, 1, change)
  } else if (known.revisions === 0) {
    await fillEntryStub(tx, entry)
    // Revisions that came before the entry did not know its tags.
    for (const row of await listSignalledOf(tx, number)) await updateSignals(tx, row.number, signalsOf(row))
  }
  await mirror.markEntry(tx, number, { locked: line.status === 'LOCKED' })
  const signals = signalsOf({ ...revision, tags: line.tags })
  if (!(await mirror.restoreRevision(tx, number, revision, signals))) {
    const place = { number, entry: number, ordinal: 1 }
    await insertRevision(tx, { ...place, actor, origin: null, at, changed: true, revision, signals })
  }
  await keepActivity(tx, line, actor, { action: 'CREATE', entry: number, revision: number, subject: null, at })
  touched.entries.add(number)
}

async function keepRevision(
  tx: Transaction,
  line: CheckedLine<'revision'>,
  change: number,
  touched: Touched,
): Promise<void> {
  const { revision } = line
  const number = Number(line.record)
  const entry = Number(line.entryRecord)
  const at = Date.parse(revision.createdAt)
  const actor = await authorOf(tx, line, at, change)
  const signals = signalsOf({ ...revision, tags: await readTags(tx, entry) })
  if (!(await mirror.restoreRevision(tx, number, revision, signals))) {
    const previous = await previousOf(tx, revision)
    const ordinal = previous.ordinal + 1
    const changed = !isSame(previous, revision)
    await insertRevision(tx, { number, entry, ordinal, actor, origin: null, at, changed, revision, signals })
    await mirror.raiseEntry(tx, entry, { number, ordinal, at, changed })
  }
  const action = revision.changeType as Action
  await keepActivity(tx, line, actor, { action, entry, revision: number, subject: null, at })
  touched.entries.add(entry)
}

/** Returns the previous revision of one that is not the first. The checks of the lines guarantee that it exists. */
async function previousOf(tx: Transaction, { id, previousRevisionId }: Revision) {
  if (previousRevisionId === null) throw new Error(`Revision ${id} names no previous revision.`)
  return only(await mirror.findMirroredRevision(tx, previousRevisionId))
}

async function keepEvidence(
  tx: Transaction,
  line: CheckedLine<'verification' | 'contradiction'>,
  change: number,
  touched: Touched,
): Promise<void> {
  const { id, action: kind, result, confidence, rationale, sourceRecord, ...judgement } = judgementOf(line)
  const quote = judgement.quote ?? null
  const observedOn = observedJson(judgement.observedOn)
  const number = Number(line.record)
  const entry = Number(line.entryRecord)
  const at = Date.parse(judgement.createdAt)
  const revision = only(await mirror.findMirroredRevision(tx, judgement.revisionId))
  const actor = await authorOf(tx, line, at, change)
  const { ordinal, originGroup = 0, own = false } = line
  const before = await judged.restoreEvidence(tx, number, { rationale, quote, observedOn, originGroup, own })
  if (before?.withdrawn === 1) await judged.markModerated(tx, entry, touched.act)
  if (before === undefined) {
    const sourceEntry = sourceRecord === null ? null : Number(sourceRecord)
    await insertEvidence(tx, {
      ...{ number, id, kind, entry, ordinal, revision: revision.number, actor, origin: null, originGroup, own },
      ...{ result, confidence, rationale, quote, observedOn, sourceEntry, at },
    })
    await mirror.raiseEvidence(tx, entry, ordinal)
  }
  await raiseOrigins(tx, entry, originGroup)
  touched.entries.add(entry)
  await keepActivity(tx, line, actor, { action: kind, entry, revision: revision.number, subject: number, at })
}

async function keepRelation(
  tx: Transaction,
  line: CheckedLine<'relation'>,
  change: number,
  touched: Touched,
): Promise<void> {
  const { id, relationType, rationale, createdAt } = line.relation
  const number = Number(line.record)
  const at = Date.parse(createdAt)
  const actor = await authorOf(tx, line, at, change)
  const [source, target] = placesOf(line.ends)
  const { originGroup = 0, own = false } = line
  const fields = { id, relationType, actor, rationale, at, originGroup, own }
  const before = await judged.restoreRelation(tx, number, fields)
  if (before === undefined) await placeRelation(tx, number, [source, target], fields)
  if (relationType === 'CONTRADICTS') {
    if (before?.withdrawn === 1) await judged.markModerated(tx, target, touched.act)
    await raiseOrigins(tx, target, originGroup)
    touched.entries.add(target)
  }
  await keepActivity(tx, line, actor, { action: 'CONNECT', entry: source, revision: null, subject: number, target, at })
}

/** The numbers of a relation's entries. */
const placesOf = (ends: readonly string[]): [source: number, target: number] => {
  const [source, target] = endsOf(ends)
  return [Number(source), Number(target)]
}

type Placed = Pick<
  Parameters<typeof insertRelation>[1],
  'id' | 'relationType' | 'actor' | 'rationale' | 'at' | 'originGroup' | 'own'
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

async function keepWithdrawn(
  tx: Transaction,
  line: CheckedLine<'withdrawn'>,
  change: number,
  touched: Touched,
): Promise<void> {
  const sequence = Number(line.sequence)
  if (line.record === undefined) return mirror.deleteObservation(tx, sequence)
  const number = Number(line.record)
  await mirror.markActivity(tx, sequence, { withdrawn: true })
  if (line.ends !== undefined) return withdrawRelation(tx, line.ends, number, actOf(line, touched), touched)
  const entry = Number(line.entryRecord)
  const known = await mirror.findMirroredEntry(tx, entry)
  if (line.ordinal !== undefined) {
    await judged.eraseEvidence(tx, number, { alone: line.withdrawn === 'RECORD' })
    if (known !== undefined) touched.entries.add(entry)
    if (line.withdrawn === 'RECORD') await judged.markModerated(tx, entry, actOf(line, touched))
    await mirror.raiseEvidence(tx, entry, line.ordinal)
    return
  }
  if (known === undefined) await mirror.insertEntryStub(tx, entry, change)
  else await mirror.eraseRevisions(tx, entry)
  touched.entries.add(entry)
}

/** The act of moderation that withdrew a line. */
const actOf = ({ moderation }: CheckedLine<'withdrawn'>, { act }: Touched): number => Number(moderation ?? act)

async function withdrawRelation(
  tx: Transaction,
  ends: readonly string[],
  number: number,
  act: number,
  touched: Touched,
): Promise<void> {
  const known = await judged.eraseRelation(tx, number)
  if (known !== undefined) {
    touched.entries.add(known.entry)
    if (known.relation_type === 'CONTRADICTS') await judged.markModerated(tx, known.entry, act)
    return
  }
  const actor = await mirror.ensureUnknownAuthor(tx)
  const fields = { id: '', relationType: 'CONNECT', actor, rationale: '', at: 0, originGroup: 0, own: false } as const
  await placeRelation(tx, number, placesOf(ends), fields)
  await judged.eraseRelation(tx, number)
}
