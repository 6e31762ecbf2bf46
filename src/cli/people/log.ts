import type { Revision } from '../../client/index.ts'
import { standingLine } from '../../domain/evidence/standing-line.ts'
import { argument } from '../command.ts'
import { createActorNames } from './names.ts'
import { type Output, stateStyle, styled } from './output.ts'
import type { Session } from './session.ts'
import { countOf, entryName, plural } from './values.ts'

const REVISIONS_MOST = 100_000
/** Lists the revisions of an entry, newest first, after the standing of its current text. */
export async function log({ invocation, client, out, json }: Session): Promise<void> {
  const { flags } = invocation
  const most = countOf('--limit', flags.limit ?? '20', REVISIONS_MOST)
  const slug = entryName(argument(invocation, 0))
  if (json) return jsonLines(out, client.all.listRevisions(slug, { limit: Math.min(50, most) }), most)
  const entry = await client.readEntry(slug)
  const names = createActorNames(client, [entry.actor])
  out.line(styled('bold', entry.title), '  ', styled('cyan', entry.slug))
  out.line('  ', styled(stateStyle(entry.standing.state), standingLine(entry.standing)))
  // The numbers are those of the entry as it was read. Later revisions are omitted.
  let number = entry.revisionCount
  let begun = false
  for await (const revision of client.all.listRevisions(entry.id, { limit: Math.min(50, most) })) {
    begun ||= revision.id === entry.currentRevisionId
    if (!begun) continue
    await names.find([revision.actorId])
    revisionLines(out, revision, number, names.of(revision.actorId))
    number -= 1
    await out.taken()
    if (number === entry.revisionCount - most) break
  }
  if (number > 0) out.note(`${plural(number, 'earlier revision')} omitted; --limit shows more.`)
}

async function jsonLines(out: Output, revisions: AsyncIterable<Revision>, most: number): Promise<void> {
  let printed = 0
  for await (const revision of revisions) {
    out.json(revision)
    await out.taken()
    printed += 1
    if (printed === most) return
  }
}

function revisionLines(out: Output, revision: Revision, number: number, by: string): void {
  const { changeType, createdAt, rationale } = revision
  out.line(styled('yellow', `revision ${number}`), ` ${changeType} ${out.time(createdAt)} by ${by}`)
  out.block(rationale)
}
