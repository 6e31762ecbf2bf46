import type { Blame } from '../../client/index.ts'
import { standingLine } from '../../memory/evidence/rules.ts'
import { argument } from '../command.ts'
import { entryName, plural } from './flags.ts'
import { writeSignals } from './lock.ts'
import { actorName } from './names.ts'
import { type Output, type Span, stateStyle, styled } from './output.ts'
import { revisionName } from './revisions.ts'
import type { Session } from './session.ts'

type Piece = Blame['pieces'][number]

/** A server may answer with an unknown section, which is shown as it is. */
const SECTION_NAMES: Readonly<Record<string, string>> = { TITLE: 'Title', SUMMARY: 'Summary', CONTENT: 'Content' }

/** Shows for each sentence of an entry which revision wrote it, by whom and when, and the evidence about it. */
export async function blame({ invocation, client, out, json }: Session): Promise<void> {
  const found = await client.readBlame(entryName(argument(invocation, 0)))
  if (json) return out.json(found)
  const origins = createOrigins(out, found)
  let before: { section?: string; origin?: string } = {}
  for (const piece of found.pieces) {
    const { section, text } = piece
    if (text.trim() === '') continue
    if (section !== before.section) out.line(styled('bold', SECTION_NAMES[section] ?? section))
    const origin = origins.keyOf(piece)
    if (section !== before.section || origin !== before.origin) origins.write(piece)
    out.block(text.trimEnd())
    before = { section, origin }
    await out.taken()
  }
  if (!found.complete) {
    const looked = plural(found.lookedAt, 'revision')
    out.note(`The history is long: the newest ${looked} and the first one were compared.`)
  }
}

/** The lines above sentences that one revision wrote and the same evidence is about. */
function createOrigins(out: Output, { revisions, evidence }: Blame) {
  const writers = new Map(revisions.map(revision => [revision.id, revision]))
  const named = (id: string): string => revisionName(id, writers.get(id)?.ordinal)
  const spansOf = ({ revisionId, sinceRevisionId, earlier }: Piece): Span[] => {
    const writer = writers.get(revisionId)
    const about =
      writer === undefined ? '' : ` ${writer.changeType} ${out.time(writer.createdAt)} by ${actorName(writer.actor)}`
    const restored = sinceRevisionId === undefined ? '' : `, restored in ${named(sinceRevisionId)}`
    return [styled('yellow', named(revisionId)), `${earlier ? ' or an earlier one' : ''}${about}${restored}`]
  }
  const evidenceOn = ({ evidence: place }: Piece) => (place === null ? undefined : evidence[place])
  return {
    keyOf: ({ revisionId, sinceRevisionId, evidence: place }: Piece): string =>
      `${revisionId} ${sinceRevisionId} ${place}`,
    write(piece: Piece): void {
      out.line(...spansOf(piece))
      const standing = evidenceOn(piece)
      if (standing === undefined) out.line('  ', styled('dim', 'no evidence'))
      else out.line('  ', styled(stateStyle(standing.state), standingLine(standing)))
      writeSignals(out, writers.get(piece.revisionId)?.signals ?? [])
    },
  }
}
