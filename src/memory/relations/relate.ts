import { Problem } from '../../contract/problem.ts'
import type { Transaction } from '../../engine/database.ts'
import { authorOf } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { countOneMore, type EntryRow } from '../entries/rows.ts'
import { assertReadable, assertWritable } from '../entries/rules.ts'
import { type Position, positionOf } from '../evidence/judge.ts'
import { settleStanding } from '../evidence/standing.ts'
import { addToHead } from '../head-rows.ts'
import type { WriteOperation } from '../operation.ts'
import { beginWrite, endWrite, lockEntries, takeOrigin } from '../write.ts'
import { insertRelation, type NewRelation, toRelation } from './rows.ts'

/** Relates one entry to another; both must be open for writing. */
export const relateEntries: WriteOperation<'relateEntries'> = async (tx, context, { body, caller }) => {
  const [writer, found] = await beginWrite(tx, context, caller, ['CONNECT'], () =>
    lockEntries(tx, [body.sourceEntryId, body.targetEntryId]),
  )
  // A missing entry is reported before a locked one.
  found.forEach(assertReadable)
  const source = assertWritable(found[0])
  const target = assertWritable(found[1])
  if (source.id === target.id) throw new Problem('SELF_RELATION')

  const { actor } = writer
  assertNoSecret(body)
  const origin = await takeOrigin(tx, writer)
  const at = Math.max(context.at, source.revised_at, target.revised_at)
  const id = context.newId()
  const { relationType, rationale } = body
  const { record: number } = await addToHead(tx, { record: 1 })
  const judged = { entry: target.number, number: target.revision, ordinal: target.revisions }
  const position = relationType === 'CONTRADICTS' ? await positionOf(tx, context, writer, judged) : undefined
  const fields = { number, id, relationType, actor: actor.number, origin, rationale, at }
  await insertBetween(tx, [source, target], fields, position)
  await endWrite(
    tx,
    context,
    writer,
    { action: 'CONNECT', entry: source.number, revision: null, subject: number, target: target.number, origin, at },
    { relations: 1 },
  )
  const relation = toRelation({
    id,
    source_entry_id: source.id,
    target_entry_id: target.id,
    relation_type: relationType,
    actor_id: actor.id,
    rationale,
    created_at: at,
  })
  return { body: { ...relation, actor: authorOf(actor) } }
}

type Fields = Omit<NewRelation, 'source' | 'target' | keyof Position>

/** Inserts a relation between two entries. A CONTRADICTS relation is an objection to the target. */
async function insertBetween(
  tx: Transaction,
  [source, target]: [EntryRow, EntryRow],
  fields: Fields,
  position: Position | undefined,
): Promise<void> {
  const [atSource, atTarget] = await Promise.all([
    countOneMore(tx, source.number, 'relations'),
    countOneMore(tx, target.number, 'relations'),
  ])
  await insertRelation(tx, {
    ...fields,
    ...(position ?? { originGroup: 0, own: false }),
    source: { entry: source.number, ordinal: atSource.relations, revision: source.revision },
    target: { entry: target.number, ordinal: atTarget.relations, revision: target.revision },
  })
  if (position !== undefined) await settleStanding(tx, { ...target, ...atTarget })
}
