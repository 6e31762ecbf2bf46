import type { Client, EvidenceItem, Revision } from '../../client/index.ts'
import { createProgress, type Progress } from '../progress.ts'
import { type Marks, marksLine, marksOf } from './evidence-marks.ts'
import { createActorNames } from './names.ts'
import { type Output, styled } from './output.ts'
import type { Session } from './session.ts'
import { countOf, entryName, plural } from './values.ts'

const REVISIONS_MOST = 100_000
/** So much evidence is counted; a note says that the rest is left out. */
const EVIDENCE_MOST = 1_000

/** Lists the revisions of an entry, newest first, each with the evidence about it. */
export async function log({ invocation, client, out, json }: Session): Promise<void> {
  const { args, flags } = invocation
  const most = countOf('--limit', flags.limit ?? '20', REVISIONS_MOST)
  const slug = entryName(args[0])
  if (json) return jsonLines(out, client.all.listRevisions(slug, { limit: Math.min(50, most) }), most)
  const entry = await client.readEntry(slug)
  const progress = createProgress(undefined, invocation.stderr)
  const { evidence, more } = await evidenceOf(client, entry.id, progress)
  const marks = marksOf(evidence)
  const names = createActorNames(client, [entry.actor])
  out.line(styled('bold', entry.title), '  ', styled('cyan', entry.slug))
  // The numbers are those of the entry as it was read: what came after it is left out.
  let number = entry.revisionCount
  let begun = false
  for await (const revision of client.all.listRevisions(entry.id, { limit: Math.min(50, most) })) {
    begun ||= revision.id === entry.currentRevisionId
    if (!begun) continue
    await names.find([revision.actorId])
    revisionLines(out, revision, number, names.of(revision.actorId), marks.get(revision.id))
    number -= 1
    await out.taken()
    if (number === entry.revisionCount - most) break
  }
  if (more) out.note(`Only the newest ${EVIDENCE_MOST} pieces of evidence are counted.`)
  if (number > 0) out.note(`${plural(number, 'earlier revision')} left out; --limit shows more.`)
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

function revisionLines(out: Output, revision: Revision, number: number, by: string, marks: Marks | undefined): void {
  const { changeType, createdAt, rationale } = revision
  out.line(styled('yellow', `revision ${number}`), ` ${changeType} ${out.time(createdAt)} by ${by}`)
  out.line('  ', ...marksLine(marks))
  out.block(rationale)
}

async function evidenceOf(client: Client, slug: string, progress: Progress) {
  const evidence: EvidenceItem[] = []
  try {
    for await (const item of client.all.listEvidence(slug)) {
      if (evidence.length === EVIDENCE_MOST) return { evidence, more: true }
      evidence.push(item)
      progress.tell(() => `Read ${plural(evidence.length, 'piece')} of evidence`)
    }
    return { evidence, more: false }
  } finally {
    progress.end()
  }
}
