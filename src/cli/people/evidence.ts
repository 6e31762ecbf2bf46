import type { ContradictInput, Entry, EvidenceInput, EvidenceResult, VerifyInput } from '../../client/index.ts'
import { remedyOf } from '../../contract/problems.ts'
import { RESULTS } from '../../contract/vocabulary.ts'
import { argument, CommandError, EXIT, type Invocation, required, UsageError } from '../command.ts'
import { checkInput } from './check-input.ts'
import { styled } from './output.ts'
import { type Numbered, revisionName, revisionOf } from './revisions.ts'
import type { Session } from './session.ts'
import { entryIdOf, entryName, oneOf } from './values.ts'

/** Records the result of using an exact revision. */
export async function verify(session: Session): Promise<void> {
  const { invocation, out, json } = session
  const slug = entryName(argument(invocation, 0))
  const result = oneOf('--result', required(invocation, 'result', 'the result of using the revision'), RESULTS)
  const confidence = confidenceOf(required(invocation, 'confidence', 'your confidence, from 0 to 1'))
  const rationale = rationaleOf(invocation)
  const observedOn = environmentsOf(invocation)
  const { entry, revision, number } = await judged(session, slug)
  const input = checkInput<VerifyInput>(invocation, 'VerifyInput', {
    revisionId: revision.id,
    result,
    confidence,
    rationale,
  })
  await session.becomeActor()
  const made =
    observedOn === undefined
      ? await session.client.verifyRevision(entry.id, input)
      : (await record(session, { entry: entry.id, kind: 'VERIFY', ...input, observedOn })).verification
  if (made === undefined) return
  if (json) return out.json(made)
  out.line(
    'Recorded ',
    styled('bold', made.result),
    ` for ${revisionName(revision.id, number)} of ${entry.slug} with confidence ${made.confidence}`,
  )
}

/** Records that an exact revision is wrong. */
export async function contradict(session: Session): Promise<void> {
  const { invocation, client, out, json } = session
  const { source: named, quote } = invocation.flags
  const source = named === undefined ? undefined : entryName(named, '--source')
  const slug = entryName(argument(invocation, 0))
  const rationale = rationaleOf(invocation)
  const observedOn = environmentsOf(invocation)
  const { entry, revision, number } = await judged(session, slug)
  const sourceEntryId = source === undefined ? undefined : await entryIdOf(client, source, '--source')
  const input = checkInput<ContradictInput>(invocation, 'ContradictInput', {
    revisionId: revision.id,
    rationale,
    ...(sourceEntryId === undefined ? {} : { sourceEntryId }),
  })
  await session.becomeActor()
  const item = {
    ...{ entry: entry.id, kind: 'CONTRADICT' as const, ...input },
    ...(quote === undefined ? {} : { quote }),
    ...(observedOn === undefined ? {} : { observedOn }),
  }
  const made =
    quote === undefined && observedOn === undefined
      ? await client.contradictRevision(entry.id, input)
      : (await record(session, item)).contradiction
  if (made === undefined) return
  if (json) return out.json(made)
  out.line('Recorded ', styled('bold', 'CONTRADICTED'), ` for ${revisionName(revision.id, number)} of ${entry.slug}`)
}

type Item = EvidenceInput['items'][number]

/** Records one judgement with members that only POST /api/evidence takes. Fails with the remedy of a refusal. */
async function record({ invocation, client }: Session, item: Item): Promise<EvidenceResult> {
  const { items } = checkInput<EvidenceInput>(invocation, 'EvidenceInput', { items: [item] })
  const result = (await client.recordEvidence({ items })).items[0] ?? { status: 201 }
  if (result.error === undefined) return result
  const { code, member } = result.error
  throw new CommandError(`${code}: ${remedyOf(code, member?.replace(/^items\.0\./, ''))}`, EXIT.failed)
}

/** Evidence is about the used text, not about the current text, so the revision must be named. */
async function judged({ invocation, client }: Session, slug: string): Promise<Numbered & { entry: Entry }> {
  const which = required(
    invocation,
    'revision',
    'the revision that you used, as "palimpsest show" prints it, or latest',
  )
  const entry = await client.readEntry(slug)
  return { entry, ...(await revisionOf(client, entry, which, '--revision')) }
}

/** The rationale of the flag. */
export const rationaleOf = (invocation: Invocation): string => required(invocation, 'rationale', 'why')

/** The environments of the flag, as `nodejs@22.14,debian@12`. */
function environmentsOf({ flags }: Invocation): Item['observedOn'] {
  const text = flags['observed-on']
  return text?.split(',').map(part => {
    const [name = '', version = '', ...rest] = part.split('@')
    if (name === '' || version === '' || rest.length > 0)
      throw new UsageError(`--observed-on must be NAME@VERSION, several separated by commas, not "${part}".`)
    return { name, version }
  })
}

function confidenceOf(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new UsageError(`--confidence must be a number from 0 to 1, not "${text}".`)
  }
  return value
}
