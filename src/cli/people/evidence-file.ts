import type { EvidenceInput, EvidenceResult } from '../../client/index.ts'
import { firstFault } from '../../contract/fault.ts'
import { EvidenceInput as Schema } from '../../contract/inputs.ts'
import { LIMITS } from '../../contract/limits.ts'
import { remedyOf } from '../../contract/problems.ts'
import { argument, CommandError, EXIT, mistake } from '../command.ts'
import { parsedJson } from './credentials.ts'
import { readText } from './draft-file.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'
import { plural } from './values.ts'

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
