import type { Bound } from './bounds.ts'
import { KINDS } from './collection.ts'
import type { CollectionResult, Figures } from './measure.ts'

const HEAD = ['kind', 'system', 'n', 'nDCG@10', 'found@3', 'zero', 'answerable', 'failed', 'p50 ms', 'p99 ms']

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

const percent = (share: number | undefined): string => (share === undefined ? '-' : `${(100 * share).toFixed(1)} %`)

function rowOf(kind: string, system: string, figures: Figures): string[] {
  const { taken, questions, ndcg, found, zero, answerable, failed, p50, p99 } = figures
  const count = taken === questions ? String(taken) : `${taken} of ${questions}`
  if (taken === 0) return [kind, system, count, ...HEAD.slice(3).map(() => 'n/a')]
  const shares = kind === 'foreign' ? ['-', '-'] : [ndcg, found].map(value => value.toFixed(3))
  const rest = [percent(zero), percent(answerable), String(failed), p50.toFixed(1), p99.toFixed(1)]
  return [kind, system, count, ...shares, ...rest]
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

/** One line for each bound. */
export function boundTable(bounds: Bound[]): string {
  const rows = bounds.map(({ name, measured, target, held, note }) => [
    held ? 'held' : 'MISSED',
    name,
    measured,
    target,
    note,
  ])
  return aligned([['', 'bound', 'measured', 'target', 'rests on'], ...rows])
}
