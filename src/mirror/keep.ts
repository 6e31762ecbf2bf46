import type { Author, CheckedLine, ExportLine, Revision } from '../contract/resources.ts'
import { type Action, type DataClass, TRUST } from '../contract/vocabulary.ts'
import { only, type Transaction } from '../engine/database.ts'
import { appendActivity, isUnobserved, type NewActivity } from '../memory/activity/rows.ts'
import {
  countOneMore,
  fillEntryStub,
  findEntryByNumber,
  findEntryNumber,
  insertEntry,
  insertRevision,
  isSame,
  readTags,
  recomputeChanges,
  tagsOf,
} from '../memory/entries/rows.ts'
import { tagKey } from '../memory/entries/rules.ts'
import { type Moved, moveTopics } from '../memory/entries/topic-rows.ts'
import { insertEvidence, observedJson, raiseOrigins } from '../memory/evidence/rows.ts'
import { settleStanding } from '../memory/evidence/standing.ts'
import { HEAD, type Head } from '../memory/head-rows.ts'
import { destroyAddress, hideEntryOf } from '../memory/moderation/erase-rows.ts'
import type { Context } from '../memory/operation.ts'
import { insertRelation, type RelationEnd } from '../memory/relations/rows.ts'
import { signalsOf } from '../memory/signals/signals.ts'
import { HOUR } from '../memory/values.ts'
import { publishCheckpoint } from '../tlog/append.ts'
import * as store from '../tlog/rows.ts'
import * as judged from './evidence-rows.ts'
import { endsOf, identityOf, judgementOf, kindOfLine, type RecordLine } from './exported-line.ts'
import * as mirror from './rows.ts'
import {
  eraseSalt,
  findMirror,
  findMirroredEntry,
  listSignalledOf,
  type MirrorLog,
  markReads,
  renameAuthor,
  saveSalt,
  updateEntryFlags,
  updateMirror,
  updateMirrorLog,
  updateSignals,
} from './rows.ts'

/** One batch of a mirror, stored in one transaction. Its lines were verified before. */
export type Mirrored = {
  lines: readonly CheckedLine[]
  /** Authors with their current names. */
  actors: readonly Author[]
  /** The newest sequence of the original, when the last line was its newest row. */
  head: ExportLine['head'] | null
  /** The next sequence to read, and the last act of moderation that was copied. */
  next: number
  change: number
  /** The latest act of moderation that the lines may come from; by default `change`. */
  act?: number
  /** The sequence up to which both rows and moderation were copied, if it is known. */
  settled?: number
  /** The verified state of the original's log; undefined if the mirror does not verify it. */
  log?: MirroredLog | undefined
}

/**
 * Stores lines of the export of another server under their own ids, sequence and record numbers. A known line is updated, so that a segment
 * can be read again at any time. Resolves with ERASED if the original erased something that it had not erased before, and with WITHDRAWN if
 * texts were withdrawn.
 */
export async function keepMirrored(tx: Transaction, context: Context, mirrored: Mirrored): Promise<KeptResult> {
  const head = await tx.load(HEAD)
  // Caches and the search index follow record numbers, so every batch needs a number above all earlier ones.
  const change = numbersOf(mirrored.lines).reduce((most, number) => Math.max(most, number), head.record + 1)
  const batch: Batch = {
    ...{ tx, change, act: mirrored.act ?? mirrored.change },
    ...{ entries: new Set(), erased: new Set(), isErased: false },
  }
  for (const line of mirrored.lines) {
    await keepLine(batch, line)
    head.sequence = Math.max(head.sequence, Number(line.sequence ?? 0))
  }
  for (const author of mirrored.actors) await renameAuthor(tx, author, change)
  await settleTouched(batch)
  for (const entry of batch.erased) await destroyAddressOf(tx, entry)
  if (mirrored.lines.length > 0 || mirrored.actors.length > 0) head.record = change
  if (mirrored.head) follow(head, mirrored.head)
  await updateMirror(tx, mirrored)
  if (mirrored.log !== undefined) await keepMirroredLog(tx, context, mirrored.lines, mirrored.log)
  if (batch.isErased) return 'ERASED'
  return mirrored.lines.some(({ type }) => type === 'withdrawn') ? 'WITHDRAWN' : undefined
}

export type KeptResult = 'ERASED' | 'WITHDRAWN' | undefined

/** Destroys the slug and the tags of an erased entry. */
async function destroyAddressOf(tx: Transaction, entry: number): Promise<void> {
  await destroyAddress(tx, entry, (await readTags(tx, entry)).map(tagKey))
}

const numbersOf = (lines: readonly CheckedLine[]): number[] => lines.map(({ record }) => Number(record ?? 0))

function follow(head: Head, { sequence, record, totals }: NonNullable<ExportLine['head']>): void {
  head.sequence = Math.max(head.sequence, Number(sequence))
  head.record = Math.max(head.record, Number(record))
  head.interactions = totals.externalInteractions
  head.observed_actors = totals.observedActors
  head.recurrent_actors = totals.recurrentActors
  head.entries = totals.entries
  head.revisions = totals.revisions
  head.verifications = totals.verifications
  head.contradictions = totals.contradictions
  head.relations = totals.relations
}

/** An entry is shown once it is complete. Its standing is then computed from its records. */
async function settleTouched({ tx, change, entries }: Batch): Promise<void> {
  const moved: Moved[] = []
  for (const number of entries) {
    const entry = await findMirroredEntry(tx, number)
    if (entry === undefined) continue
    const by = entry.withdrawn - entry.erased
    if (by !== 0 && entry.data_class === 'EXTERNAL') moved.push({ number, tags: tagsOf(entry), shown: by > 0 })
    if (by !== 0) await markReads(tx, number, { withdrawn: entry.erased !== 0 })
    await updateEntryFlags(tx, number, entry.erased, change)
    if (entry.erased) continue
    // A revision that was stored while the previous text was erased could not be compared with it.
    if (by > 0 && entry.revisions > 1) await recomputeChanges(tx, number)
    const current = await findEntryByNumber(tx, number)
    if (current !== undefined) await settleStanding(tx, current)
  }
  await moveTopics(tx, moved)
}

/** A record by which a log continues another one. */
export type Continuation = { record: number; previousOrigin: string; size: number; checkpoint: string }

/** The verified state of the original's log: `note` is the newest checkpoint of the log `origin` with these `keys`. */
export type MirroredLog = Omit<MirrorLog, 'key' | 'note'> & {
  note: string
  origin: string
  size: number
  keys: string
  step: store.LogStep | undefined
  continuations: readonly Continuation[]
}

/** Stores verified leaves of the original's log. Publishes its checkpoint when the mirror has all of its records. */
async function keepMirroredLog(
  tx: Transaction,
  context: Context,
  lines: readonly CheckedLine[],
  { step, continuations, note, origin, size, keys, record, ahead }: MirroredLog,
): Promise<void> {
  for (const line of lines) await keepSalt(tx, line)
  if (step !== undefined && !(await store.growLog(tx, step))) throw new Error('Two processes write to one mirror.')
  await keepEpochs(tx, origin, keys, continuations)
  await updateMirrorLog(tx, { note, record, ahead })
  const [last, log] = [(await store.listEpochs(tx)).at(-1), await store.readLog(tx)]
  if (last?.origin === origin && size > 0 && size <= Math.min(record, log.size)) {
    await publishCheckpoint(tx, context, { epoch: last.number, size, note })
  }
}

async function keepSalt(tx: Transaction, { type, record, salt }: CheckedLine): Promise<void> {
  if (record === undefined) return
  if (salt !== undefined) await saveSalt(tx, Number(record), salt, { isRow: type !== 'continuation' })
  else if (type === 'withdrawn') await eraseSalt(tx, Number(record))
}

/** Stores the epochs of the original. Keys of epochs that ended before the copy began are unknown. */
async function keepEpochs(
  tx: Transaction,
  origin: string,
  keys: string,
  continuations: readonly Continuation[],
): Promise<void> {
  const epochs = await store.listEpochs(tx)
  const storeId = only(await findMirror(tx)).store_id
  const epoch = { origin, keys, storeId }
  let last = epochs.at(-1)
  if (last === undefined) {
    last = { ...epoch, number: 0, size: 0, checkpoint: null }
    await store.insertEpoch(tx, last)
  }
  for (const { record: number, previousOrigin, size, checkpoint } of continuations) {
    if (number <= last.number) continue
    // The newest origin is known before the records of the continuations that led to it.
    if (last.origin === origin) await store.renameEpoch(tx, last.number, previousOrigin, '')
    last = { ...epoch, number, size, checkpoint }
    await store.insertEpoch(tx, last)
  }
  if (last.origin === origin && last.keys !== keys) await store.renameEpoch(tx, last.number, origin, keys)
}

/** The transaction of a batch of lines, and what the lines changed. */
type Batch = {
  readonly tx: Transaction
  /** The record number as of which the lines are stored. */
  readonly change: number
  /** The latest act of moderation that the lines may reflect. */
  readonly act: number
  /** The entries whose text, visibility or evidence changed. */
  entries: Set<number>
  /** Entries of which the original erased everything. */
  erased: Set<number>
  /** Whether the original erased a record that was not erased here. */
  isErased: boolean
}

/** Stores a line, and adds what it changed to the batch. */
async function keepLine(batch: Batch, line: CheckedLine): Promise<void> {
  const { tx, change } = batch
  switch (line.type) {
    case 'entry':
      return keepEntry(batch, line)
    case 'revision':
      return keepRevision(batch, line)
    case 'verification':
    case 'contradiction':
      return keepEvidence(batch, line)
    case 'relation':
      return keepRelation(batch, line)
    case 'observation':
      return keepObservation(tx, line, change)
    case 'withdrawn':
      return keepWithdrawn(batch, line)
    case 'moderated':
      return mirror.updateModerated(tx, Number(line.entryRecord), Number(line.sequence))
    // A mirror stores no rows of these lines, because the copied log contains them.
    case 'moderation':
    case 'continuation':
    case 'end':
  }
}

async function keepEntry(batch: Batch, line: CheckedLine<'entry'>): Promise<void> {
  const { tx, change } = batch
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
    await mirror.updateEntryFlags(tx, number, 1, change)
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
  batch.entries.add(number)
}

async function keepRevision(batch: Batch, line: CheckedLine<'revision'>): Promise<void> {
  const { tx, change } = batch
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
  batch.entries.add(entry)
}

/** Returns the previous revision of one that is not the first. The checks of the lines guarantee that it exists. */
async function previousOf(tx: Transaction, { id, previousRevisionId }: Revision) {
  if (previousRevisionId === null) throw new Error(`Revision ${id} names no previous revision.`)
  return only(await mirror.findMirroredRevision(tx, previousRevisionId))
}

async function keepEvidence(batch: Batch, line: CheckedLine<'verification' | 'contradiction'>): Promise<void> {
  const { tx, change } = batch
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
  if (before?.withdrawn === 1) await judged.markModerated(tx, entry, batch.act)
  if (before === undefined) {
    const sourceEntry = sourceRecord === null ? null : Number(sourceRecord)
    await insertEvidence(tx, {
      ...{ number, id, kind, entry, ordinal, revision: revision.number, actor, origin: null, originGroup, own },
      ...{ result, confidence, rationale, quote, observedOn, sourceEntry, at },
    })
    await mirror.raiseEvidence(tx, entry, ordinal)
  }
  await raiseOrigins(tx, entry, originGroup)
  batch.entries.add(entry)
  await keepActivity(tx, line, actor, { action: kind, entry, revision: revision.number, subject: number, at })
}

async function keepRelation(batch: Batch, line: CheckedLine<'relation'>): Promise<void> {
  const { tx, change } = batch
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
    if (before?.withdrawn === 1) await judged.markModerated(tx, target, batch.act)
    await raiseOrigins(tx, target, originGroup)
    batch.entries.add(target)
  }
  await keepActivity(tx, line, actor, { action: 'CONNECT', entry: source, revision: null, subject: number, target, at })
}

/** The numbers of a relation's entries. */
const placesOf = (ends: readonly string[]): [source: number, target: number] => {
  const [source, target] = endsOf(ends)
  return [Number(source), Number(target)]
}

type Placed = Omit<Parameters<typeof insertRelation>[1], 'number' | 'origin' | 'source' | 'target'>

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
  ordinal: (await countOneMore(tx, entry, 'relations')).relations,
  revision: await mirror.findRevisionBefore(tx, entry, relation),
})

async function keepWithdrawn(batch: Batch, line: CheckedLine<'withdrawn'>): Promise<void> {
  const { tx, change } = batch
  const sequence = Number(line.sequence)
  if (line.record === undefined) return mirror.deleteObservation(tx, sequence)
  const number = Number(line.record)
  if (line.erased !== undefined) await keepErasure(batch, line, number)
  if (line.identity !== undefined) return keepIdentity(batch, line)
  await mirror.markActivity(tx, sequence, { withdrawn: true })
  if (line.ends !== undefined) return withdrawRelation(batch, line.ends, number, actOf(line, batch))
  const entry = Number(line.entryRecord)
  const known = await mirror.findMirroredEntry(tx, entry)
  if (line.ordinal !== undefined) {
    await judged.eraseEvidence(tx, number, { alone: line.withdrawn === 'RECORD' })
    if (known !== undefined) batch.entries.add(entry)
    if (line.withdrawn === 'RECORD') await judged.markModerated(tx, entry, actOf(line, batch))
    await mirror.raiseEvidence(tx, entry, line.ordinal)
    return
  }
  if (known === undefined) await mirror.insertEntryStub(tx, entry, change)
  else await mirror.eraseRevisions(tx, entry)
  if (line.erased !== undefined) {
    await hideEntryOf(tx, number)
    await mirror.saveErasedHash(tx, number, '')
  }
  if (line.erased === 'ENTRY') batch.erased.add(entry)
  batch.entries.add(entry)
}

/** Notes that the original erased the record of a line. */
async function keepErasure(batch: Batch, line: CheckedLine<'withdrawn'>, record: number): Promise<void> {
  const kind = kindOfLine(line)
  if (kind === undefined) return
  const erasure = { record, kind, commitment: line.commitment ?? '', act: actOf(line, batch) }
  if (await mirror.noteErasure(batch.tx, erasure)) batch.isErased = true
}

/** Stores an erased revision of a public entry without its text: later revisions refer to it. */
async function keepIdentity(batch: Batch, line: CheckedLine<'withdrawn'>): Promise<void> {
  const { tx } = batch
  const { slug, tags, status, actor } = line
  const identity = identityOf(line)
  if (identity === undefined || actor === undefined) return
  const texts = { title: '', summary: '', content: '', rationale: '', sources: [] }
  const revision: Revision = { ...identity, ...texts, ...TRUST, actorId: actor.id }
  const isFirst = slug !== undefined && tags !== undefined && status !== undefined
  if (isFirst) await keepEntry(batch, { ...line, type: 'entry', revision } as CheckedLine<'entry'>)
  else await keepRevision(batch, { ...line, type: 'revision', revision } as CheckedLine<'revision'>)
  await mirror.saveErasedHash(tx, Number(line.record), identity.evidenceHash)
}

/** The act of moderation that withdrew a line. */
const actOf = ({ moderation }: CheckedLine<'withdrawn'>, { act }: Batch): number => Number(moderation ?? act)

async function withdrawRelation(
  { tx, entries }: Batch,
  ends: readonly string[],
  number: number,
  act: number,
): Promise<void> {
  const known = await judged.eraseRelation(tx, number)
  if (known !== undefined) {
    entries.add(known.entry)
    if (known.relation_type === 'CONTRADICTS') await judged.markModerated(tx, known.entry, act)
    return
  }
  const actor = await mirror.ensureUnknownAuthor(tx)
  const fields = { id: '', relationType: 'CONNECT', actor, rationale: '', at: 0, originGroup: 0, own: false } as const
  await placeRelation(tx, number, placesOf(ends), fields)
  await judged.eraseRelation(tx, number)
}

type Subject = Pick<NewActivity, 'action' | 'entry' | 'revision' | 'subject' | 'target' | 'at'>

/** Inserts the feed row of a record, or updates it to the line. */
async function keepActivity(tx: Transaction, line: RecordLine, actor: number, subject: Subject): Promise<void> {
  const sequence = Number(line.sequence)
  const withdrawn = line.withdrawn !== undefined
  if (await mirror.markActivity(tx, sequence, { withdrawn })) return
  await appendActivity(tx, {
    ...subject,
    sequence,
    actor,
    origin: null,
    requestId: line.requestId,
    metadata: null,
    dataClass: line.dataClass,
    hour: null,
    withdrawn,
  })
}

type Authored = Pick<RecordLine, 'actor' | 'actorType'> & { dataClass: DataClass }

/** Inserts the author of a line, or updates its names. Returns its number. */
export const authorOf = (tx: Transaction, line: Authored, at: number, change: number): Promise<number> => {
  const { actor, actorType = 'UNKNOWN', dataClass } = line
  return mirror.ensureAuthor(tx, actor, { actorType, dataClass, at, change })
}

/** Stores the row of a read or search. */
async function keepObservation(tx: Transaction, line: CheckedLine<'observation'>, change: number): Promise<void> {
  const sequence = Number(line.sequence)
  const { action, entryId } = line.activity
  const entry = entryId === null ? null : ((await findEntryNumber(tx, entryId)) ?? null)
  // A known row is unchanged except for its author's names. A read of a withdrawn entry is not stored.
  if (await mirror.isActivityKnown(tx, sequence)) await mirror.renameAuthor(tx, line.actor, change)
  else if (action === 'SEARCH' || entry !== null) await placeObservation(tx, line, entry, change)
}

async function placeObservation(
  tx: Transaction,
  line: CheckedLine<'observation'>,
  entry: number | null,
  change: number,
): Promise<void> {
  const { action, revisionId, timestamp, requestId, metadata, dataClass } = line.activity
  const revision = revisionId === null ? undefined : await mirror.findMirroredRevision(tx, revisionId)
  const at = Date.parse(timestamp)
  const actor = await authorOf(tx, { ...line, dataClass }, at, change)
  // Rows of different hours at the original may have times in the same hour; the next free hour is used. Only rows of writes have none.
  let hour = Math.floor(at / HOUR)
  while (!(await isUnobserved(tx, hour, actor, action, entry))) hour++
  await appendActivity(tx, {
    ...{ sequence: Number(line.sequence), actor, origin: null, action, entry, subject: null, hour },
    revision: revision?.number ?? null,
    ...{ requestId, dataClass, at, metadata: action === 'SEARCH' ? metadata : null },
  })
}
