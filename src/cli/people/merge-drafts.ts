import { merge, mergeSets, wholeLines } from '../../web/browser/three-way.js'
import { type Draft, OPEN_MARKS } from './draft.ts'

export type Merged = { text: string; open: number }

/** Merges two changes of one text. Different changes of the same words stay as whole lines between markers; `open` is their number. */
export function mergeTexts(base: string, theirs: string, mine: string): Merged {
  const parts = wholeLines(merge(base, theirs, mine))
  return {
    text: parts.map(part => (part.kind === 'settled' ? part.text : marked(part))).join(''),
    open: parts.filter(({ kind }) => kind === 'open').length,
  }
}

function marked({ theirs, mine }: { theirs: string; mine: string }): string {
  const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  const { mine: begin, between, theirs: end } = OPEN_MARKS
  return `${begin}\n${ended(mine)}${between}\n${ended(theirs)}${end}\n`
}

/** Merges two changes of the texts of an entry. The result has the change type and rationale of `mine`. */
export function mergeDrafts(base: Draft, theirs: Draft, mine: Draft): { draft: Draft; open: number } {
  const title = mergeTexts(base.title ?? '', theirs.title ?? '', mine.title ?? '')
  const summary = mergeTexts(base.summary ?? '', theirs.summary ?? '', mine.summary ?? '')
  const content = mergeTexts(base.content, theirs.content, mine.content)
  const lists = [base, theirs, mine].map(({ sources = [] }) => sources)
  const [before = [], other = [], own = []] = lists
  const sources = mergeSets(before, other, own, ({ entryId, revisionId }) => `${entryId}@${revisionId}`)
  return {
    draft: { ...mine, title: title.text, summary: summary.text, content: content.text, sources },
    open: title.open + summary.open + content.open,
  }
}
