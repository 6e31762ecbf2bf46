import type { Client, EvidenceItem } from '../../client/index.ts'
import { createProgress, type Progress } from '../progress.ts'
import { marksLine, marksOf } from './evidence-marks.ts'
import { styled } from './output.ts'
import type { Session } from './session.ts'
import { countOf, entryName } from './values.ts'

const REVISIONS_MOST = 100_000
/** So much evidence is counted; the rest is said to be left out. */
const EVIDENCE_MOST = 1_000

/** Lists the revisions of an entry, newest first, each with what was said of it. */
export async function log({ invocation, client, out, json }: Session): Promise<void> {
  const { args, flags } = invocation
  const most = countOf('--limit', flags.limit ?? '20', REVISIONS_MOST)
  const slug = entryName(args[0])
  const entry = json ? undefined : await client.readEntry(slug)
  const progress = createProgress(undefined, invocation.stderr)
  const { evidence, more } = json ? { evidence: [], more: false } : await evidenceOf(client, slug, progress)
  const marks = marksOf(evidence)
  if (entry !== undefined) out.line(styled('bold', entry.title), '  ', styled('cyan', entry.slug))
  let told = 0
  for await (const revision of client.all.listRevisions(slug, { limit: Math.min(50, most) })) {
    told += 1
    if (json) out.json(revision)
    else {
      out.line(
        styled('yellow', revision.id),
        ` ${revision.changeType} ${revision.createdAt} by actor ${revision.actorId}`,
      )
      out.line('  ', ...marksLine(marks.get(revision.id)))
      out.block(revision.rationale)
    }
    await out.taken()
    if (told === most) break
  }
  if (more) out.note(`Only the newest ${EVIDENCE_MOST} pieces of evidence are counted.`)
  if (entry !== undefined && told < entry.revisionCount) {
    out.note(`${entry.revisionCount - told} earlier revisions are left out; --limit shows more.`)
  }
}

async function evidenceOf(client: Client, slug: string, progress: Progress) {
  const evidence: EvidenceItem[] = []
  try {
    for await (const item of client.all.listEvidence(slug)) {
      if (evidence.length === EVIDENCE_MOST) return { evidence, more: true }
      evidence.push(item)
      progress.tell(() => `Read ${evidence.length} pieces of evidence`)
    }
    return { evidence, more: false }
  } finally {
    progress.end()
  }
}
