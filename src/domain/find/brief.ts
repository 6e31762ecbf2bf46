import type { Found, FoundList } from '../../contract/resources.ts'
import { standingLine } from '../evidence/standing-line.ts'
import { plain } from '../invisible-characters.js'
import { signalLine } from '../signals/sentences.ts'

/** Bytes of UTF-8 that count as a token of a model: the average of English prose. */
const BYTES_PER_MODEL_TOKEN = 4
/** The maximum characters of an excerpt in a shortened row, and in the shortest row. */
const SHORT_EXCERPT = 120
const SHORTEST_EXCERPT = 60
/** The maximum characters of a summary and of an objection, and the maximum tags, in the shortest row. */
const SHORTEST_TEXT = 120
const SHORTEST_TAGS = 2
/** Bytes of the fence around Markdown. */
const FENCE_BYTES = 300

type Frame = Omit<FoundList, 'items'>
type Size = { frame(frame: Frame): number; row(row: Found): number }

const JSON_SIZE: Size = {
  frame: frame => Buffer.byteLength(JSON.stringify({ items: [], ...frame })),
  row: row => Buffer.byteLength(JSON.stringify(row)) + 1,
}
const MARKDOWN_SIZE: Size = {
  frame: frame => Buffer.byteLength(plain(markdownOf({ items: [], ...frame }))) + FENCE_BYTES,
  row: row => Buffer.byteLength(plain(sectionOf(row))) + 2,
}

/** The best rows whose JSON, including the frame, takes at most `tokens` tokens. A row that does not fit is shortened or left out. */
export const bestThatFit = (rows: readonly Found[], frame: Frame, tokens: number): FoundList =>
  fitting(rows, frame, tokens * BYTES_PER_MODEL_TOKEN, JSON_SIZE)

/** The best rows as Markdown that takes at most `tokens` tokens including its fence. The caller adds the fence. */
export const markdownThatFits = (rows: readonly Found[], frame: Frame, tokens: number): string =>
  markdownOf(fitting(rows, frame, tokens * BYTES_PER_MODEL_TOKEN, MARKDOWN_SIZE))

function fitting(rows: readonly Found[], frame: Frame, bytes: number, size: Size): FoundList {
  let left = bytes - size.frame(frame)
  const items: Found[] = []
  for (const row of rows) {
    const shown = [row, shortened(row), shortest(row)].find(one => size.row(one) <= left)
    if (shown === undefined) continue
    items.push(shown)
    left -= size.row(shown)
  }
  return { items, ...frame }
}

const cut = (text: string, most: number): string =>
  [...text].length > most ? `${[...text].slice(0, most).join('')}…` : text

/** A row with its first objection only, and with the beginning of its excerpt. */
const shortened = ({ objections, ...row }: Found): Found => ({
  ...row,
  excerpt: cut(row.excerpt, SHORT_EXCERPT),
  ...(objections === undefined ? {} : { objections: objections.slice(0, 1) }),
})

/** A row with the beginnings of its texts. */
const shortest = ({ objections, ...row }: Found): Found => ({
  ...row,
  summary: cut(row.summary, SHORTEST_TEXT),
  excerpt: cut(row.excerpt, SHORTEST_EXCERPT),
  tags: row.tags.slice(0, SHORTEST_TAGS),
  ...(objections === undefined
    ? {}
    : { objections: objections.slice(0, 1).map(one => ({ ...one, rationale: cut(one.rationale, SHORTEST_TEXT) })) }),
})

/** The remark in an answer that leaves out every found entry. */
export const NONE_FITS = 'Entries were found, and none fits into so few tokens. Ask for more tokens.'
/** Whether entries were found and none is in the answer. */
export const noneFits = ({ items, coverage }: Pick<FoundList, 'items' | 'coverage'>): boolean =>
  items.length === 0 && coverage !== 'NONE'

/** Found entries as Markdown for a model. All texts in it are untrusted: serve it fenced. */
export function markdownOf(found: FoundList): string {
  const { items, coverage, answerable, missing, corrected } = found
  const remarks = [
    ...(noneFits(found) ? [NONE_FITS] : []),
    ...(answerable ? [] : ['Nothing here is clearly about the question: do not trust these as an answer.']),
    ...(coverage === 'NONE' ? ['Nothing was found.'] : []),
    ...corrected.map(({ from, to }) => `Searched for "${to}" in place of "${from}".`),
    ...(missing.length === 0 ? [] : [`No entry has: ${missing.join(', ')}.`]),
  ]
  return [...remarks, ...items.map(sectionOf)].join('\n\n')
}

function sectionOf({
  slug,
  title,
  summary,
  excerpt,
  currentRevisionId,
  updatedAt,
  standing,
  signals,
  objections = [],
}: Found): string {
  return [
    `## ${oneLine(title)}`,
    `${standingLine(standing)} · ${slug}@${currentRevisionId} · ${updatedAt.slice(0, 10)}`,
    ...(signals.length === 0 ? [] : [signalLine(signals)]),
    // Quoted, because a summary could imitate a heading or a standing.
    `> ${oneLine(summary)}`,
    excerpt
      .split('\n')
      .map(line => `> ${line}`)
      .join('\n'),
    ...objections.map(({ rationale }) => `Objection: ${oneLine(rationale)}`),
  ].join('\n')
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()
