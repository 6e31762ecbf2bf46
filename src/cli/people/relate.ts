import type { RelationInput } from '../../client/index.ts'
import { RELATION_TYPES } from '../../contract/words.ts'
import { checkInput } from './draft-file.ts'
import { rationaleOf } from './evidence.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'
import { entryIdOf, oneOf } from './values.ts'

/** Relates one entry to another. */
export async function relate(session: Session): Promise<void> {
  const { invocation, client, out, json } = session
  const [source = '', target = ''] = invocation.args
  const relationType = oneOf('--type', invocation.flags.type ?? 'CONNECT', RELATION_TYPES)
  const rationale = rationaleOf(invocation)
  const sourceEntryId = await entryIdOf(client, source)
  const targetEntryId = await entryIdOf(client, target)
  const input = checkInput<RelationInput>('RelationInput', { sourceEntryId, targetEntryId, relationType, rationale })
  await session.becomeActor()
  const made = await session.client.relateEntries(input)
  if (json) return out.json(made)
  out.line('Recorded ', made.sourceEntryId, ' ', styled('bold', made.relationType), ' ', made.targetEntryId)
}
