import type { RelationInput } from '../../client/index.ts'
import { RELATION_TYPES } from '../../contract/vocabulary.ts'
import { argument } from '../command.ts'
import { checkInput } from './check-input.ts'
import { rationaleOf } from './evidence.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'
import { entryIdOf, oneOf } from './values.ts'

/** Relates one entry to another. */
export async function relate(session: Session): Promise<void> {
  const { invocation, client, out, json } = session
  const [source, target] = [argument(invocation, 0), argument(invocation, 1)]
  const relationType = oneOf('--type', invocation.flags.type ?? 'CONNECT', RELATION_TYPES)
  const rationale = rationaleOf(invocation)
  const sourceEntryId = await entryIdOf(client, source, 'SOURCE')
  const targetEntryId = await entryIdOf(client, target, 'TARGET')
  const input = checkInput<RelationInput>(invocation, 'RelationInput', {
    sourceEntryId,
    targetEntryId,
    relationType,
    rationale,
  })
  await session.becomeActor()
  const made = await session.client.relateEntries(input)
  if (json) return out.json(made)
  out.line('Recorded ', styled('cyan', source), ' ', styled('bold', made.relationType), ' ', styled('cyan', target))
}
