import type { ModerationInput } from '../../contract/inputs.ts'
import { Problem } from '../../contract/problem.ts'
import type { Flags, ModerationResult } from '../../contract/resources.ts'
import type { TargetType } from '../../contract/vocabulary.ts'
import { getOrThrow, type Transaction } from '../../engine/database.ts'
import { markModerated, markSegments } from '../../mirror/export-rows.ts'
import { readErasures } from '../../tlog/rows.ts'
import { settleFeed } from '../activity/rows.ts'
import { deleteOriginBlock, findActorById, findOrigin, insertOriginBlock } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { type EntryRow, findEntry, findEntryByNumber, tagsOf } from '../entries/rows.ts'
import { isErased, statusOf, tagKey } from '../entries/rules.ts'
import { type Moved, moveTopics } from '../entries/topic-rows.ts'
import { settleStanding } from '../evidence/standing.ts'
import { addToHead, type Totals } from '../head-rows.ts'
import type { Context, WriteOperation } from '../operation.ts'
import { isoTime } from '../values.ts'
import * as appeals from './appeal-rows.ts'
import * as erasing from './erase-rows.ts'
import * as moderation from './rows.ts'
import { countEvent } from './rows.ts'
import { flagsOf, moderated, sameFlags, undoOf } from './rules.ts'

type TargetState = moderation.ModeratedTarget & { id: string; state: Flags; networkKey: string | null; erased: boolean }

/** Applies a moderation action, updates all derived state, and stores the audit. A repeated action changes nothing. */
export const moderate: WriteOperation<'moderate'> = async (tx, context, { body, caller }) => {
  const target = await findTarget(tx, body)
  const state = moderated(target.state, body.action, body.targetType)
  if (body.action === 'RESTORE' && target.erased) throw new Problem('ACTION_NOT_APPLICABLE')
  // A block applies to the key of the network. If that key is deleted already, the network cannot be blocked.
  if (blocksNetwork(target, state) && target.networkKey === null) throw new Problem('TARGET_NOT_FOUND')
  const appeal = await findAnswered(tx, body, target)
  assertNoSecret(body)
  const { record } = await addToHead(tx, { record: 1 })
  const erased = body.action === 'ERASE' ? await erase(tx, context, target, record) : 0
  const changed = !sameFlags(state, target.state) || erased > 0
  const affected = changed ? await change(tx, target, state, record) : { entries: 0, actors: 0 }
  if (erased > 0) await destroyAddresses(tx, record)
  const result: ModerationResult = {
    id: context.newId(),
    targetType: body.targetType,
    targetId: target.id,
    action: body.action,
    ground: body.ground ?? 'OTHER',
    reason: body.reason,
    previousState: target.state,
    state,
    changed,
    affected,
    requestId: caller.requestId,
    createdAt: isoTime(context.at),
  }
  await moderation.insertModeration(tx, record, result, context.at)
  if (changed) await appeals.insertAffected(tx, record, target)
  if (changed) await countEvent(tx, context.at, result.action, result.ground)
  for (const { action, ground } of await appeals.answerAppeals(tx, record, appeal)) {
    await countEvent(tx, context.at, result.action === undoOf(action) ? 'APPEAL_GRANTED' : 'APPEAL_REJECTED', ground)
  }
  return { body: result }
}

/** The number of the open appeal that an act answers: it undoes the act that was appealed, or repeats it. Undefined if none is named. */
async function findAnswered(tx: Transaction, { appeal, action }: ModerationInput, target: TargetState) {
  if (appeal === undefined) return undefined
  const found = await appeals.findOpenAppeal(tx, appeal, target.id)
  if (found === undefined) throw new Problem('APPEAL_NOT_FOUND')
  if (action !== found.action && action !== undoOf(found.action)) throw new Problem('ACTION_NOT_APPLICABLE')
  return found.number
}

const blocksNetwork = (target: TargetState, state: Flags): boolean =>
  target.type === 'ORIGIN' && state.blocked && !target.state.blocked

async function findTarget(tx: Transaction, { targetType, targetId }: ModerationInput): Promise<TargetState> {
  const row = await findRow(tx, targetType, targetId)
  if (row === undefined) throw new Problem('TARGET_NOT_FOUND')
  return {
    type: targetType,
    number: row.number,
    id: row.id,
    state: flagsOf(row),
    networkKey: 'network_key' in row ? row.network_key : null,
    day: 'day' in row ? row.day : null,
    erased: 'slug' in row && 'title' in row && isErased(row as EntryRow),
  }
}

async function findRow(tx: Transaction, targetType: TargetType, targetId: string) {
  switch (targetType) {
    case 'ENTRY':
      return findEntry(tx, targetId)
    case 'ACTOR':
      return findActorById(tx, targetId)
    case 'ORIGIN':
      return findOrigin(tx, targetId)
    case 'RECORD':
      return findErasable(tx, targetId)
  }
}

/** A record by its number. It has no flags but `hidden`, once it is erased. */
async function findErasable(tx: Transaction, targetId: string) {
  const number = /^[1-9]\d{0,14}$/.test(targetId) ? Number(targetId) : 0
  const found = await erasing.findRecord(tx, number)
  if (found === undefined) return undefined
  const { size } = await readErasures(tx, { above: number - 1, upTo: number })
  return { number, id: targetId, hidden: size, quarantined: 0, blocked: 0 }
}

/** Erases the records of a target: their salts and texts. Returns how many were not erased before. */
async function erase(tx: Transaction, context: Context, target: TargetState, act: number): Promise<number> {
  const records =
    target.type === 'ENTRY'
      ? await erasing.listRecordsOf(tx, target.number)
      : [await erasing.findRecord(tx, target.number)]
  const present = records.filter(record => record !== undefined)
  const noted = await erasing.noteErased(tx, present, act, context.randomBytes)
  if (noted.length > 0) await erasing.destroyErased(tx, act)
  return noted.length
}

/** Destroys the slugs and tags of the entries that an act erased, after their topics were counted. */
async function destroyAddresses(tx: Transaction, act: number): Promise<void> {
  for (const { number, tags } of await erasing.listErasedEntries(tx, act))
    await erasing.destroyAddress(tx, number, tagsOf({ tags }).map(tagKey))
}

async function change(
  tx: Transaction,
  target: TargetState,
  state: Flags,
  record: number,
): Promise<ModerationResult['affected']> {
  const before = await moderation.listStandings(tx, target)
  await markModerated(tx, target, record)
  await setFlags(tx, target, state)
  await settle(tx, target, record)
  await markSegments(tx, target, record)
  const changes = changesOf(before, await moderation.listStandings(tx, target))
  await moveTopics(tx, movedOf(changes))
  const entries = changes.filter(({ before, after }) => statusOf(before) !== statusOf(after)).length
  return { entries, actors: target.type === 'ACTOR' ? 1 : 0 }
}

async function setFlags(tx: Transaction, target: TargetState, state: Flags): Promise<void> {
  const { type, number, networkKey } = target
  if (type === 'RECORD') return erasing.hideEntryOf(tx, number)
  if (networkKey !== null && blocksNetwork(target, state)) await insertOriginBlock(tx, number, networkKey)
  if (type === 'ORIGIN' && !state.blocked) await deleteOriginBlock(tx, number)
  await moderation.updateFlags(tx, type, number, state)
}

/**
 * Updates the columns that are derived from the flags, and the totals after each step. The order of the steps is: contributions of the
 * target to other entries, its own entries with everything on them, relations of those entries.
 */
async function settle(tx: Transaction, target: moderation.ModeratedTarget, record: number): Promise<void> {
  const totals = new Map<keyof Totals, number>()
  const step = async (counted: () => Promise<Partial<Totals>>, work: () => Promise<void>): Promise<void> => {
    const before = await counted()
    await work()
    const after = await counted()
    for (const name of Object.keys(after) as (keyof Totals)[]) {
      totals.set(name, (totals.get(name) ?? 0) + (after[name] ?? 0) - (before[name] ?? 0))
    }
  }
  const relations = (reach: moderation.Reach): Promise<void> =>
    step(
      () => moderation.countPublicRelations(tx, target, reach),
      () => moderation.settleRelations(tx, target, reach, record),
    )
  if (target.type !== 'ENTRY') {
    await step(
      () => moderation.countPublicEvidence(tx, target),
      () => moderation.settleEvidence(tx, target, record),
    )
    await relations('made')
  }
  await step(
    () => moderation.countPublicEntries(tx, target),
    () => moderation.settleEntries(tx, target, record),
  )
  await relations('at')
  await settleFeed(tx, target)
  await settleStandings(tx, target)
  await addToHead(tx, Object.fromEntries(totals))
}

/** Recomputes the standings of judged entries: withdrawn judgements do not count, restored ones count again. */
async function settleStandings(tx: Transaction, target: moderation.ModeratedTarget): Promise<void> {
  for (const number of await moderation.listJudged(tx, target)) {
    const entry = await findEntryByNumber(tx, number)
    if (entry !== undefined) await settleStanding(tx, entry)
  }
}

/** An entry before and after an act of moderation. */
type StandingChange = { before: moderation.StandingRow; after: moderation.StandingRow }

function changesOf(
  before: readonly moderation.StandingRow[],
  after: readonly moderation.StandingRow[],
): StandingChange[] {
  const earlier = new Map(before.map(entry => [entry.number, entry]))
  return after.map(entry => ({ before: getOrThrow(earlier, entry.number), after: entry }))
}

/** The EXTERNAL entries that were withdrawn or restored. */
const movedOf = (changes: readonly StandingChange[]): Moved[] =>
  changes
    .filter(({ before, after }) => before.withdrawn !== after.withdrawn && after.data_class === 'EXTERNAL')
    .map(({ after }) => ({ number: after.number, tags: tagsOf(after), shown: after.withdrawn === 0 }))

const LEDGER_REASON = 'The ledger of erasures names this record.'

/**
 * Erases the records of a ledger that this store has and did not erase: it was restored from an earlier state. Each becomes an act of
 * moderation. Returns how many were erased.
 */
export async function applyErasures(
  tx: Transaction,
  context: Context,
  ledger: readonly erasing.LedgerRow[],
): Promise<number> {
  const due = await erasing.findDue(tx, ledger)
  for (const { record } of due) {
    const body = { targetType: 'RECORD', targetId: String(record), action: 'ERASE', reason: LEDGER_REASON } as const
    const caller = { actor: null, origin: null, requestId: context.newId() }
    await moderate(tx, context, { params: {}, body, caller })
  }
  return due.length
}
