import { seeded } from '../seeded.ts'

/** Number of first answers that count. */
export const DEPTH = 10
const RESAMPLES = 2_000
const SEED = 20_261

/** nDCG of the first ten with gains of 2^grade - 1 (Järvelin and Kekäläinen 2002): 1 is the best order that the judgments allow. */
export function ndcg(ids: string[], relevant: Map<string, number>): number {
  const gain = (grade: number, rank: number): number => (2 ** grade - 1) / Math.log2(rank + 2)
  const got = ids.slice(0, DEPTH).reduce((sum, id, rank) => sum + gain(relevant.get(id) ?? 0, rank), 0)
  const grades = [...relevant.values()].sort((a, b) => b - a).slice(0, DEPTH)
  const best = grades.reduce((sum, grade, rank) => sum + gain(grade, rank), 0)
  return best === 0 ? 0 : got / best
}

/** 1 divided by the rank of the first relevant answer among the first ten; 0 when none is relevant. */
export function reciprocalRank(ids: string[], relevant: Map<string, number>): number {
  const at = ids.slice(0, DEPTH).findIndex(id => relevant.has(id))
  return at === -1 ? 0 : 1 / (at + 1)
}

/** The share of relevant entries among the first ten. If there are more than ten relevant entries, the share of ten. */
export function recall(ids: string[], relevant: Map<string, number>): number {
  const found = ids.slice(0, DEPTH).filter(id => relevant.has(id)).length
  return found / Math.min(DEPTH, relevant.size)
}

/** Whether an entry of the highest grade is among the first `depth` answers. */
export function isFound(ids: string[], relevant: Map<string, number>, depth: number): boolean {
  const best = Math.max(...relevant.values())
  return ids.slice(0, depth).some(id => relevant.get(id) === best)
}

/** The probability that one of `high` exceeds one of `low`; ties count half (Mann–Whitney U divided by the number of pairs). */
export function areaUnderCurve(high: number[], low: number[]): number {
  const wins = high.reduce(
    (sum, above) => sum + low.reduce((won, below) => won + (above > below ? 1 : above === below ? 0.5 : 0), 0),
    0,
  )
  return wins / (high.length * low.length)
}

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The quantile of the values for `part` (0 to 1), by nearest rank. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

export type Interval = { low: number; high: number }

/** The 95 % interval of mean(a) - mean(b), by resampling the pairs with a fixed seed (percentile bootstrap). */
export function pairedInterval(a: number[], b: number[]): Interval {
  const random = seeded(SEED)
  const differences = a.map((value, at) => value - (b[at] as number))
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let n = 0; n < differences.length; n++) sum += differences[Math.floor(random() * differences.length)] as number
    return sum / differences.length
  })
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) }
}
