import type { EvidenceItem } from '../../client/index.ts'
import { type Span, styled } from './output.ts'

/** How often each thing was said of one revision. */
export type Marks = { supported: number; unsupported: number; inconclusive: number; contradicted: number }

const NONE: Marks = { supported: 0, unsupported: 0, inconclusive: 0, contradicted: 0 }
const SAYING = { SUPPORTED: 'supported', UNSUPPORTED: 'unsupported', INCONCLUSIVE: 'inconclusive' } as const

/** Counts evidence by the revision that it is about. */
export function marksOf(evidence: readonly EvidenceItem[]): Map<string, Marks> {
  const marks = new Map<string, Marks>()
  for (const item of evidence) {
    const counted = marks.get(item.revisionId) ?? { ...NONE }
    const said = item.kind === 'contradiction' ? 'contradicted' : SAYING[item.result]
    counted[said] += 1
    marks.set(item.revisionId, counted)
  }
  return marks
}

const STYLE = { supported: 'green', unsupported: 'red', inconclusive: 'yellow', contradicted: 'red' } as const

/** What was said of a revision, in words; nothing at all is said too. */
export function marksLine(marks: Marks = NONE): Span[] {
  const said = (Object.keys(STYLE) as (keyof Marks)[]).filter(name => marks[name] > 0)
  if (said.length === 0) return [styled('dim', 'no evidence')]
  return said.flatMap((name, index) => [index === 0 ? '' : ', ', styled(STYLE[name], `${name} ${marks[name]}`)])
}
