import { structuredPatch } from 'diff'
import type { Draft } from './draft.ts'
import { formatDraft } from './draft.ts'
import { type Output, type Style, styled } from './output.ts'

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
