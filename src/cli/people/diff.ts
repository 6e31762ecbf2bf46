import { structuredPatch } from 'diff'
import type { Client, Entry, Revision } from '../../client/index.ts'
import { difference } from '../../web/browser/difference.js'
import { argument } from '../command.ts'
import { type Draft, formatDraft } from './draft.ts'
import { entryName } from './flags.ts'
import { type Output, type Span, type Style, styled } from './output.ts'
import { type Numbered, revisionName, revisionNumbers, revisionOf } from './revisions.ts'
import type { Session } from './session.ts'

/** After this time the whole texts are shown. */
const COMPARISON_TIMEOUT_MS = 500
const CONTEXT = 3

const STYLE: Readonly<Record<string, Style>> = { '+': 'green', '-': 'red', '@': 'cyan' }

/** The difference between two texts of an entry, as lines of a unified diff; empty if they are equal. */
export function unifiedLines(from: Draft, to: Draft): string[] {
  const [before, after] = [formatDraft(from), formatDraft(to)]
  if (before === after) return []
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, timeout: COMPARISON_TIMEOUT_MS })
  if (patch === undefined) return [...marked('-', before), ...marked('+', after)]
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ])
}

const marked = (mark: string, text: string): string[] => text.split('\n').map(line => mark + line)

/** Writes the lines of a unified diff to standard output or standard error. */
export function writeUnified(write: Output['line'], lines: readonly string[]): void {
  for (const line of lines) {
    const style = STYLE[line[0] ?? '']
    write(style === undefined ? line : styled(style, line))
  }
}

/** Shows the difference between two revisions, by default between the latest and the previous one. */
export async function diff({ invocation, client, out, json }: Session): Promise<void> {
  const [, from, to = 'latest'] = invocation.args
  const entry = await client.readEntry(entryName(argument(invocation, 0)))
  const later = await revisionOf(client, entry, to, 'TO')
  const earlier = await earlierOf(client, entry, from, later.revision)
  if (json) {
    if (earlier !== undefined) out.json(earlier.revision)
    return out.json(later.revision)
  }
  const head = ({ revision, number }: Numbered): string =>
    `${entry.slug} ${revisionName(revision.id, number)} ${out.time(revision.createdAt)}`
  out.line(styled('bold', earlier === undefined ? '--- nothing' : `--- ${head(earlier)}`))
  out.line(styled('bold', `+++ ${head(later)}`))
  const before: Draft = earlier === undefined ? { content: '' } : textOf(earlier.revision)
  if (invocation.switches.has('words')) wordLines(before, textOf(later.revision), out)
  else writeUnified((...spans) => out.line(...spans), unifiedLines(before, textOf(later.revision)))
}

/** The revision to compare with: the named one, otherwise the previous one. */
async function earlierOf(
  client: Client,
  entry: Entry,
  named: string | undefined,
  { previousRevisionId }: Revision,
): Promise<Numbered | undefined> {
  if (named !== undefined) return revisionOf(client, entry, named, 'FROM')
  if (previousRevisionId === null) return undefined
  const numbers = await revisionNumbers(client, entry)
  return {
    revision: await client.readRevision(entry.id, previousRevisionId),
    number: numbers.get(previousRevisionId),
  }
}

/** The texts of a revision, without its ids. */
export const textOf = ({ title, summary, content, sources }: Revision): Draft => ({ title, summary, content, sources })

/** Both texts in one: removed words in [-…-], added words in {+…+}. */
function wordLines(before: Draft, after: Draft, out: Output): void {
  const lines: Span[][] = [[]]
  for (const { kind, text } of difference(formatDraft(before), formatDraft(after))) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part === '') continue
      const shown =
        kind === 'same' ? part : kind === 'new' ? styled('green', `{+${part}+}`) : styled('red', `[-${part}-]`)
      lines.at(-1)?.push(shown)
    }
  }
  for (const spans of lines) out.line(...spans)
}
