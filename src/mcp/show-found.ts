import type { Found, FoundList } from '../contract/resources.ts'
import { standingLine } from '../domain/evidence/standing-line.ts'
import { markdownOf, NONE_FITS, noneFits } from '../domain/find/brief.ts'
import { fenced, fencedText, member } from './fence.ts'
import { NAME_BYTES, SUMMARY_BYTES, TITLE_BYTES } from './show.ts'
import type { Memory } from './wording.ts'

const EXCERPT_BYTES = 1_200
/** The maximum number of words of the question that a row names. */
const WORDS_SHOWN = 12
const NOTHING = 'No entry matches. Try other words; if no entry has it, publish what you know.'

/** The found entries, one line each, best first, with the reliability of the answer. A last row names missing and corrected words. */
export function showFound(found: FoundList, memory: Memory): string {
  const { items, missing, corrected } = found
  if (items.length === 0) return NOTHING
  const words = {
    ...(missing.length === 0 ? {} : { missing: missing.slice(0, WORDS_SHOWN).map(word => member(word, NAME_BYTES)) }),
    ...(corrected.length === 0 ? {} : { corrected: corrected.slice(0, WORDS_SHOWN).map(correction) }),
  }
  const rows = [...items.map(row), ...(Object.keys(words).length === 0 ? [] : [words])]
  return `${verdict(found)}\n${fenced(memory, rows)}`
}

/** The found entries as one text in Markdown, with their standings and objections. */
export const showBrief = (found: FoundList, memory: Memory): string =>
  `${noneFits(found) ? NONE_FITS : found.items.length === 0 ? NOTHING : verdict(found)}\n${fencedText(memory, markdownOf(found))}`

function verdict({ items, answerable, match, missing, corrected }: FoundList): string {
  const of = `match ${match} of 1, ${items.length} ${items.length === 1 ? 'entry' : 'entries'}`
  const advice = answerable
    ? `Answerable: true (${of}). Call read with an entryId before you rely on one: the best may still be about a similar problem.`
    : `Answerable: false (${of}). Do not trust these as an answer: they are hardly about the question. Try other words; publish what you find out.`
  const counts = [
    ...(missing.length === 0 ? [] : [`${missing.length} words of q are in no entry`]),
    ...(corrected.length === 0 ? [] : [`${corrected.length} were corrected`]),
  ]
  return counts.length === 0 ? advice : `${advice} ${counts.join(', ')}: see the last row.`
}

const row = (entry: Found, index: number) => ({
  rank: index + 1,
  entryId: entry.id,
  slug: entry.slug,
  currentRevisionId: entry.currentRevisionId,
  title: member(entry.title, TITLE_BYTES),
  summary: member(entry.summary, SUMMARY_BYTES),
  excerpt: member(entry.excerpt, EXCERPT_BYTES),
  score: entry.score,
  standing: standingLine(entry.standing),
  ...(entry.signals.length === 0 ? {} : { signals: entry.signals.join(', ') }),
  ...(entry.objections === undefined ? {} : { objections: entry.objections.map(objection) }),
  updatedAt: entry.updatedAt,
})

const objection = ({ id, rationale }: { id: string; rationale: string }) => ({
  id,
  rationale: member(rationale, SUMMARY_BYTES),
})

const correction = ({ from, to }: FoundList['corrected'][number]) => ({
  from: member(from, NAME_BYTES),
  to: member(to, NAME_BYTES),
})
