import type { Bound } from './bounds.ts'
import { KINDS } from './collection.ts'
import type { Calibration, CollectionResult, Figures } from './measure.ts'

/** Maximum number of characters of a question that are shown. */
const SHOWN = 90
const HEAD = ['kind', 'system', 'n', 'nDCG@10', 'MRR', 'recall@10', 'found@3', 'zero', 'failed', 'p50 ms', 'p99 ms']

/** Aligns columns; numbers to the right. */
export function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map(row => row[at]?.length ?? 0)))
  const isNumber = (cell: string): boolean => /^[-\d]/.test(cell)
  const line = (row: string[]): string =>
    row
      .map((cell, at) => (isNumber(cell) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

function rowOf(kind: string, system: string, figures: Figures): string[] {
  const { taken, questions, ndcg, mrr, recall, found, zero, failed, p50, p99 } = figures
  const count = taken === questions ? String(taken) : `${taken} of ${questions}`
  if (taken === 0) return [kind, system, count, ...HEAD.slice(3).map(() => 'n/a')]
  const shares = kind === 'foreign' ? ['-', '-', '-', '-'] : [ndcg, mrr, recall, found].map(value => value.toFixed(3))
  return [kind, system, count, ...shares, percent(zero), String(failed), p50.toFixed(1), p99.toFixed(1)]
}

/** One collection: a row for each kind and system. */
export function figureTable({ name, entries, systems }: CollectionResult): string {
  const rows = [...KINDS, 'all' as const].flatMap(kind =>
    systems.flatMap(system => {
      const figures = system.kinds[kind]
      return figures === undefined ? [] : [rowOf(kind, system.name, figures)]
    }),
  )
  return `${name}: ${entries} entries\n${aligned([HEAD, ...rows])}`
}

/** How `match` and `answerable` distinguish foreign questions from the others, for the systems that have them. */
export function calibrationTable({ name, systems }: CollectionResult): string {
  const shown = (value: number | undefined, text: (value: number) => string): string =>
    value === undefined ? 'n/a' : text(value)
  const balanced = ({ kept, refused }: Calibration): number | undefined =>
    kept === undefined || refused === undefined ? undefined : (kept + refused) / 2
  const rows = systems
    .filter(({ calibration: { area, kept } }) => area !== undefined || kept !== undefined)
    .map(({ name: system, calibration }) => [
      system,
      String(calibration.foreign),
      shown(calibration.area, area => area.toFixed(3)),
      shown(calibration.kept, percent),
      shown(calibration.refused, percent),
      shown(balanced(calibration), percent),
    ])
  if (rows.length === 0) return `${name}: no system says how well its answers match`
  const head = ['system', 'foreign', 'AUC of match', 'answerable of judged', 'not of foreign', 'balanced accuracy']
  return `${name}: match and answerable\n${aligned([head, ...rows])}`
}

/** The questions whose best entry is not among the first answers, and the first answer of the service. */
export function missTable({ systems }: CollectionResult): string {
  const service = systems[0]
  const missed = (service?.asked ?? []).filter(one => one.question.kind !== 'foreign' && one.answer && !one.found)
  const rows = missed.map(({ question, answer }) => [
    question.kind,
    question.text.replace(/\s+/g, ' ').slice(0, SHOWN),
    [...question.relevant.keys()][0] ?? '',
    answer?.ids[0] ?? 'nothing',
  ])
  return aligned([['missed', `question to ${service?.name}`, 'wanted', 'answered first'], ...rows])
}

/** One line for each bound. */
export function boundTable(bounds: Bound[]): string {
  const word = (held: boolean | null): string => (held === null ? 'n/a' : held ? 'held' : 'MISSED')
  const rows = bounds.map(({ name, measured, target, held, note }) => [word(held), name, measured, target, note])
  return aligned([['', 'bound', 'measured', 'target', 'rests on'], ...rows])
}
