import type { RelationInput } from '../contract/inputs.ts'
import { assertReadable, assertWritable } from '../domain/entry.ts'
import { assertTwoEnds } from '../domain/relation.ts'
import { authorOf } from '../store/actor.ts'
import { takeRelationOrdinal } from '../store/entry.ts'
import { takeRecord } from '../store/head.ts'
import { insertRelation, toRelation } from '../store/relation.ts'
import type { WriteOperation } from './operation.ts'
import { beginWrite, endWrite, holdEntries, takeOrigin } from './writing.ts'

/** Relates one entry to another; both must be open for writing. */
export const relateEntries: WriteOperation<RelationInput> = async (tx, context, { body, caller }) => {
  const [writer, found] = await beginWrite(tx, context, caller, 'CONNECT', () =>
    holdEntries(tx, [body.sourceEntryId, body.targetEntryId]),
  )
  // Both ends must be there before either is called locked.
  found.forEach(assertReadable)
  const source = assertWritable(found[0])
  const target = assertWritable(found[1])
  assertTwoEnds(source.id, target.id)

  const { actor } = writer
  const origin = await takeOrigin(tx, writer)
  const at = Math.max(context.at, source.updated_at, target.updated_at)
  const id = context.newId()
  const { relationType, rationale } = body
  const number = await takeRecord(tx)
  const [atSource, atTarget] = await Promise.all([
    takeRelationOrdinal(tx, source.number),
    takeRelationOrdinal(tx, target.number),
  ])
  await insertRelation(tx, {
    number,
    id,
    source: { entry: source.number, ordinal: atSource },
    target: { entry: target.number, ordinal: atTarget },
    relationType,
    actor: actor.number,
    origin,
    rationale,
    at,
  })
  await endWrite(
    tx,
    context,
    writer,
    { action: 'CONNECT', entry: source.number, revision: null, subject: number, origin, at },
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
