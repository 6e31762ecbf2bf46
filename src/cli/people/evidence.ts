import type {
  ContradictInput,
  Entry,
  EvidenceInput,
  EvidenceResult,
  RelationInput,
  VerifyInput,
} from '../../client/index.ts'
import { firstFault } from '../../contract/check.ts'
import { EvidenceInput as Schema } from '../../contract/inputs.ts'
import { LIMITS } from '../../contract/limits.ts'
import { remedyOf } from '../../contract/problems.ts'
import { RELATION_TYPES, RESULTS } from '../../contract/vocabulary.ts'
import { argument, CommandError, EXIT, type Invocation, mistake, required, UsageError } from '../command.ts'
import { environmentsIn } from '../environment.ts'
import { parsedJson } from '../read.ts'
import { readText } from './draft.ts'
import { entryIdOf, entryName, oneOf, plural } from './flags.ts'
import { styled } from './output.ts'
import { type Numbered, revisionName, revisionOf } from './revisions.ts'
import type { Session } from './session.ts'
import { checkInput } from './session.ts'

type Item = EvidenceInput['items'][number]

/** Records the judgements of a file, one JSON object per line, with as few requests as possible. Fails if one was refused. */
export async function recordEvidence(session: Session): Promise<void> {
  const { invocation, client, out, json } = session
  const items = itemsOf(await readText(session, argument(invocation, 0)))
  await session.becomeActor()
  let refused = 0
  for (let from = 0; from < items.length; from += LIMITS.evidenceItems) {
    const part = items.slice(from, from + LIMITS.evidenceItems)
    const { items: results } = await client.recordEvidence({ items: part })
    for (const [place, result] of results.entries()) {
      if (result.error !== undefined) refused += 1
      if (json) out.json(result)
      else writeResult(session, part[place] as Item, result)
    }
    await out.taken()
  }
  if (refused > 0) {
    throw new CommandError(
      `Refused: ${refused} of ${plural(items.length, 'judgement')}; correct and send those again.`,
      EXIT.failed,
    )
  }
}

/** Reads the lines. Throws a sentence that names the line of a fault. */
function itemsOf(text: string): Item[] {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]))
  if (lines.length === 0) throw mistake('The file has no judgement; write one JSON object per line.')
  return lines.map(({ line, number }) => {
    const item = parsedJson(line)
    const fault = firstFault(Schema, { items: [item] })
    if (fault === undefined) return item as Item
    const member = fault.path.slice(2).join('.')
    if (member === '') throw mistake(`Line ${number} is not a JSON object with the members of a judgement.`)
    throw mistake(
      `Line ${number}: ${member} ${fault.kind === 'unknown' ? 'is not a member of a judgement' : 'is missing or invalid'}.`,
    )
  })
}

function writeResult(
  { out }: Session,
  { entry, kind }: Item,
  { verification, contradiction, error }: EvidenceResult,
): void {
  if (error !== undefined) {
    out.line('Refused for ', entry, ': ', styled('bold', error.code), ': ', remedyOf(error.code, error.member))
    return
  }
  const revisionId = (verification ?? contradiction)?.revisionId ?? ''
  out.line('Recorded ', styled('bold', verification?.result ?? kind), ` for ${revisionId} of `, entry)
}

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
const rationaleOf = (invocation: Invocation): string => required(invocation, 'rationale', 'why')

/** The environments of the flag. */
function environmentsOf({ flags }: Invocation): Item['observedOn'] {
  const text = flags['observed-on']
  return text === undefined ? undefined : environmentsIn('observed-on', text)
}

function confidenceOf(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new UsageError(`--confidence must be a number from 0 to 1, not "${text}".`)
  }
  return value
}

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
