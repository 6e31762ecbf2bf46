import { diffArrays } from 'diff'
import { type Draft, OPEN_MARKS } from './draft.ts'

/** Milliseconds that one comparison may take; a text that needs longer is taken as changed as a whole. */
const PATIENCE = 500

export type Merged = { text: string; open: number }

/**
 * Merges two changes of one text by lines: what one side alone changed is taken, and so is what both changed alike; what both
 * changed differently stays open, both sides between marks.
 */
export function mergeLines(base: string, theirs: string, mine: string): Merged {
  const lines = { base: linesOf(base), theirs: linesOf(theirs), mine: linesOf(mine) }
  const inTheirs = partners(lines.base, lines.theirs)
  const inMine = partners(lines.base, lines.mine)
  let from = { base: 0, theirs: 0, mine: 0 }
  const parts: string[] = []
  let open = 0
  for (let line = 0; line <= lines.base.length; line += 1) {
    const last = line === lines.base.length
    const theirsAt = last ? lines.theirs.length : inTheirs[line]
    const mineAt = last ? lines.mine.length : inMine[line]
    if (theirsAt === undefined || mineAt === undefined) continue
    const part = mergeWhole(
      lines.base.slice(from.base, line).join(''),
      lines.theirs.slice(from.theirs, theirsAt).join(''),
      lines.mine.slice(from.mine, mineAt).join(''),
    )
    open += part.open
    parts.push(part.text, lines.base[line] ?? '')
    from = { base: line + 1, theirs: theirsAt + 1, mine: mineAt + 1 }
  }
  return { text: parts.join(''), open }
}

/** Merges two changes of a text that has no parts, such as a title. */
export function mergeWhole(base: string, theirs: string, mine: string): Merged {
  if (mine === theirs || theirs === base) return { text: mine, open: 0 }
  if (mine === base) return { text: theirs, open: 0 }
  const whole = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  const { mine: begin, between, theirs: end } = OPEN_MARKS
  return { text: `${begin}\n${whole(mine)}${between}\n${whole(theirs)}${end}\n`, open: 1 }
}

/** Merges two changes of what an entry says; `mine` keeps its reasons. Sources of both are kept. */
export function mergeDrafts(base: Draft, theirs: Draft, mine: Draft): { draft: Draft; open: number } {
  const title = mergeWhole(base.title ?? '', theirs.title ?? '', mine.title ?? '')
  const summary = mergeWhole(base.summary ?? '', theirs.summary ?? '', mine.summary ?? '')
  const content = mergeLines(base.content, theirs.content, mine.content)
  const both = [...(theirs.sources ?? []), ...(mine.sources ?? [])]
  const sources = [...new Map(both.map(one => [`${one.entryId}@${one.revisionId}`, one])).values()]
  return {
    draft: { ...mine, title: title.text, summary: summary.text, content: content.text, sources },
    open: title.open + summary.open + content.open,
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/))

/** For each line the place of the line that it became, undefined where it is gone. */
function partners(before: string[], after: string[]): (number | undefined)[] {
  const found: (number | undefined)[] = new Array<undefined>(before.length).fill(undefined)
  let from = 0
  let to = 0
  for (const { value, added, removed } of diffArrays(before, after, { timeout: PATIENCE }) ?? []) {
    if (!added && !removed) for (let step = 0; step < value.length; step += 1) found[from + step] = to + step
    if (!added) from += value.length
    if (!removed) to += value.length
  }
  return found
}
