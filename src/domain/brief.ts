import type { Found, FoundList } from '../contract/resources.ts'
import { signalLine } from './signal-words.ts'
import { standingLine } from './standing-words.ts'

/** Bytes of UTF-8 that count as a token. */
const TOKEN_BYTES = 4
/** Characters that an excerpt is cut to if the row does not fit. */
const SHORT_EXCERPT = 120

/** The best rows whose JSON takes at most so many tokens, with the frame around them; the last may be cut short. */
export function bestThatFit(rows: readonly Found[], frame: Omit<FoundList, 'items'>, tokens: number): FoundList {
  let left = tokens * TOKEN_BYTES - sizeOf({ items: [], ...frame })
  const items: Found[] = []
  for (const row of rows) {
    const shown = [row, shortened(row)].find(one => sizeOf(one) + 1 <= left)
    if (shown === undefined) break
    items.push(shown)
    left -= sizeOf(shown) + 1
  }
  return { items, ...frame }
}

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))

/** A row without objections but the first, and with the beginning of its excerpt. */
const shortened = ({ objections, ...row }: Found): Found => ({
  ...row,
  excerpt:
    [...row.excerpt].length > SHORT_EXCERPT ? `${[...row.excerpt].slice(0, SHORT_EXCERPT).join('')}…` : row.excerpt,
  ...(objections === undefined ? {} : { objections: objections.slice(0, 1) }),
})

/** Found entries as Markdown for a model. All texts in it are untrusted: serve it fenced. */
export function markdownOf({ items, coverage, answerable, missing, corrected }: FoundList): string {
  const remarks = [
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
    oneLine(summary),
    excerpt
      .split('\n')
      .map(line => `> ${line}`)
      .join('\n'),
    ...objections.map(({ rationale }) => `Objection: ${oneLine(rationale)}`),
  ].join('\n')
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()
