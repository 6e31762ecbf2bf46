import type { ContradictInput, Revision, VerifyInput } from '../../client/index.ts'
import { RESULTS } from '../../contract/words.ts'
import { type Invocation, required, UsageError } from '../command.ts'
import { checkInput } from './draft-file.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'
import { entryIdOf, entryName, oneOf, revisionOf } from './values.ts'

/** Records what came of using an exact revision. */
export async function verify(session: Session): Promise<void> {
  const { invocation, out, json } = session
  const slug = entryName(invocation.args[0])
  const result = oneOf('--result', required(invocation, 'result', 'what came of using the revision'), RESULTS)
  const confidence = confidenceOf(required(invocation, 'confidence', 'how sure you are, from 0 to 1'))
  const rationale = rationaleOf(invocation)
  const { id, entryId } = await judged(session, slug)
  const input = checkInput<VerifyInput>('VerifyInput', { revisionId: id, result, confidence, rationale })
  await session.becomeActor()
  const made = await session.client.verifyRevision(entryId, input)
  if (json) return out.json(made)
  out.line(
    'Recorded ',
    styled('bold', made.result),
    ` of revision ${made.revisionId} with confidence ${made.confidence}`,
  )
}

/** Records that an exact revision is wrong. */
export async function contradict(session: Session): Promise<void> {
  const { invocation, client, out, json } = session
  const { source } = invocation.flags
  const slug = entryName(invocation.args[0])
  const rationale = rationaleOf(invocation)
  const { id, entryId } = await judged(session, slug)
  const sourceEntryId = source === undefined ? undefined : await entryIdOf(client, source)
  const input = checkInput<ContradictInput>('ContradictInput', {
    revisionId: id,
    rationale,
    ...(sourceEntryId === undefined ? {} : { sourceEntryId }),
  })
  await session.becomeActor()
  const made = await session.client.contradictRevision(entryId, input)
  if (json) return out.json(made)
  out.line('Recorded that revision ', styled('bold', made.revisionId), ' is contradicted')
}

/** Evidence is about the text that was used, not about whatever is there when it is given: which one must be said. */
async function judged({ invocation, client }: Session, slug: string): Promise<Revision> {
  const which = required(invocation, 'revision', 'the revision that you used, as "palimpsest show" tells it, or latest')
  return revisionOf(client, await client.readEntry(slug), which)
}

/** The reason that a flag gives. */
export const rationaleOf = (invocation: Invocation): string => required(invocation, 'rationale', 'why')

function confidenceOf(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new UsageError(`--confidence must be a number from 0 to 1, not "${text}".`)
  }
  return value
}
