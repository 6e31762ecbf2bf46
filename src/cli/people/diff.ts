import type { Revision } from '../../client/index.ts'
import { difference } from '../../web/difference.ts'
import { type Draft, formatDraft } from './draft.ts'
import { type Span, styled } from './output.ts'
import type { Session } from './session.ts'
import { unifiedLines, writeUnified } from './unified.ts'
import { entryName, revisionOf } from './values.ts'

/** Shows what changed between two revisions: by default between the latest and the one before it. */
export async function diff({ invocation, client, out, json }: Session): Promise<void> {
  const [slug, from, to = 'latest'] = invocation.args
  const entry = await client.readEntry(entryName(slug))
  const later = await revisionOf(client, entry, to)
  const named = from ?? later.previousRevisionId
  const earlier = named === null ? undefined : await revisionOf(client, entry, named)
  if (json) {
    if (earlier !== undefined) out.json(earlier)
    return out.json(later)
  }
  out.line(
    styled('bold', earlier === undefined ? '--- nothing' : `--- ${entry.slug} ${earlier.id} ${earlier.createdAt}`),
  )
  out.line(styled('bold', `+++ ${entry.slug} ${later.id} ${later.createdAt}`))
  const before: Draft = earlier === undefined ? { content: '' } : textOf(earlier)
  if (invocation.switches.has('words')) wordLines(before, textOf(later), out.line)
  else writeUnified(out.line, unifiedLines(before, textOf(later)))
}

/** What a revision says, without what tells it from others. */
export const textOf = ({ title, summary, content, sources }: Revision): Draft => ({ title, summary, content, sources })

/** Both texts in one: what went in [-…-], what came in {+…+}. */
function wordLines(before: Draft, after: Draft, line: (...spans: Span[]) => void): void {
  const lines: Span[][] = [[]]
  for (const { kind, text } of difference(formatDraft(before), formatDraft(after)).pieces) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part === '') continue
      const shown =
        kind === 'same' ? part : kind === 'new' ? styled('green', `{+${part}+}`) : styled('red', `[-${part}-]`)
      lines.at(-1)?.push(shown)
    }
  }
  for (const spans of lines) line(...spans)
}
