import type { ModerationInput } from '../contract/inputs.ts'
import { Problem } from '../contract/problems.ts'
import type { Flags, ModerationResult } from '../contract/resources.ts'
import type { Transaction } from '../database/database.ts'
import { isPublic, statusOf } from '../domain/entry.ts'
import { moderated, sameFlags } from '../domain/moderation.ts'
import { updateActivityOf } from '../store/activity.ts'
import { findActorById, updateActorFlags } from '../store/actor.ts'
import { findEntry, tagsOf } from '../store/entry.ts'
import { addToTotals, takeNumbers } from '../store/head.ts'
import * as moderation from '../store/moderation.ts'
import { deleteOriginBlock, findOrigin, insertOriginBlock, updateOriginFlags } from '../store/origin.ts'
import { countExternalRevisions } from '../store/revision.ts'
import { isoTime } from '../store/time.ts'
import { addToTopics } from '../store/topic.ts'
import type { WriteOperation } from './operation.ts'

type Found = moderation.Target & { id: string; state: Flags; networkKey: string | null }

/** Applies a moderation action, lets everything that depends on it follow, and keeps the audit. Repeating one changes nothing. */
export const moderate: WriteOperation<ModerationInput> = async (tx, context, { body, caller }) => {
  const target = await findTarget(tx, body)
  const state = moderated(target.state, body.action, body.targetType)
  const changed = !sameFlags(state, target.state)
  const { record } = await takeNumbers(tx, { record: 1, sequence: 0 })
  const affected = changed ? await change(tx, target, state, record) : { entries: 0, actors: 0 }
  const result: ModerationResult = {
    id: context.newId(),
    targetType: body.targetType,
    targetId: target.id,
    action: body.action,
    reason: body.reason,
    previousState: target.state,
    state,
    changed,
    affected,
    requestId: caller.requestId,
    createdAt: isoTime(context.at),
  }
  await moderation.insertModeration(tx, record, result, context.at)
  return { body: result }
}

async function findTarget(tx: Transaction, { targetType, targetId }: ModerationInput): Promise<Found> {
  const row =
    targetType === 'ENTRY'
      ? await findEntry(tx, targetId)
      : targetType === 'ACTOR'
        ? await findActorById(tx, targetId)
        : await findOrigin(tx, targetId)
  if (row === undefined) throw new Problem('TARGET_NOT_FOUND')
  return {
    type: targetType,
    number: row.number,
    id: row.id,
    state: {
      hidden: 'hidden' in row && row.hidden === 1,
      quarantined: row.quarantined === 1,
      blocked: row.blocked === 1,
    },
    networkKey: 'network_key' in row ? row.network_key : null,
  }
}

async function change(
  tx: Transaction,
  target: Found,
  state: Flags,
  record: number,
): Promise<ModerationResult['affected']> {
  const before = await moderation.listStandings(tx, target)
  await setFlags(tx, target, state)
  const after = await moderation.listStandings(tx, target)
  if (target.type !== 'ENTRY') await settleContributions(tx, target)
  let entries = 0
  for (const [index, entry] of after.entries()) {
    const was = before[index]
    if (was !== undefined && statusOf(was) !== statusOf(entry)) entries++
    await settleEntry(tx, entry, record)
  }
  return { entries, actors: target.type === 'ACTOR' ? 1 : 0 }
}

async function setFlags(tx: Transaction, target: Found, state: Flags): Promise<void> {
  const flags = { hidden: Number(state.hidden), quarantined: Number(state.quarantined), blocked: Number(state.blocked) }
  if (target.type === 'ENTRY') return moderation.updateEntryFlags(tx, target.number, flags)
  if (target.type === 'ACTOR') return updateActorFlags(tx, target.number, flags)
  if (state.blocked && !target.state.blocked) {
    // The key of the network is all that outlives the fingerprint; without it there is nothing left to block.
    if (target.networkKey === null) throw new Problem('TARGET_NOT_FOUND')
    await insertOriginBlock(tx, target.number, target.networkKey)
  }
  if (!state.blocked) await deleteOriginBlock(tx, target.number)
  await updateOriginFlags(tx, target.number, flags.quarantined, flags.blocked)
}

/** Evidence and relations of a quarantined author or origin leave public lists, feed and totals, and come back with it. */
async function settleContributions(tx: Transaction, target: moderation.Target): Promise<void> {
  for (const evidence of await moderation.listEvidenceBy(tx, target)) {
    if (evidence.withdrawn === evidence.due) continue
    await moderation.updateEvidenceWithdrawn(tx, evidence.number, evidence.due)
    await updateActivityOf(tx, evidence.number, evidence.due)
    if (evidence.data_class !== 'EXTERNAL' || evidence.entry_withdrawn) continue
    const by = evidence.due ? -1 : 1
    await addToTotals(tx, evidence.kind === 'VERIFY' ? { verifications: by } : { contradictions: by })
  }
  await settleRelations(tx, await moderation.listRelationsBy(tx, target))
}

async function settleRelations(tx: Transaction, relations: moderation.RelationStanding[]): Promise<void> {
  for (const relation of relations) {
    if (relation.withdrawn === relation.due) continue
    await moderation.updateRelationWithdrawn(tx, relation.number, relation.due)
    await updateActivityOf(tx, relation.number, relation.due)
    if (relation.data_class === 'EXTERNAL') await addToTotals(tx, { relations: relation.due ? -1 : 1 })
  }
}

/** An entry whose status left or entered the public takes its revisions, evidence, relations and topics with it. */
async function settleEntry(tx: Transaction, entry: moderation.StandingRow, record: number): Promise<void> {
  const withdrawn = isPublic(statusOf(entry)) ? 0 : 1
  if (withdrawn === entry.withdrawn) return
  await moderation.updateEntryWithdrawn(tx, entry.number, withdrawn, record)
  const by = withdrawn ? -1 : 1
  const evidence = await moderation.countExternalEvidence(tx, entry.number)
  const external = entry.data_class === 'EXTERNAL'
  await addToTotals(tx, {
    entries: external ? by : 0,
    revisions: by * (await countExternalRevisions(tx, entry.number)),
    verifications: by * evidence.verifications,
    contradictions: by * evidence.contradictions,
  })
  if (external) await addToTopics(tx, tagsOf(entry), by)
  await settleRelations(tx, await moderation.listRelationsAt(tx, entry.number))
}
