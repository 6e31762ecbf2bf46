import { quantile, seeded } from '../numbers.ts'

/** Number of first answers that count. */
const DEPTH = 10
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

/** Whether an entry of the highest grade is among the first `depth` answers. */
export function isFound(ids: string[], relevant: Map<string, number>, depth: number): boolean {
  const best = Math.max(...relevant.values())
  return ids.slice(0, depth).some(id => relevant.get(id) === best)
}

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The 95 % interval of mean(a) - mean(b), by resampling the pairs with a fixed seed (percentile bootstrap). */
export function pairedInterval(a: number[], b: number[]): { low: number; high: number } {
  const random = seeded(SEED)
  const differences = a.map((value, at) => value - (b[at] as number))
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let n = 0; n < differences.length; n++) sum += differences[Math.floor(random() * differences.length)] as number
    return sum / differences.length
  })
  return { low: quantile(means, 0.025) ?? 0, high: quantile(means, 0.975) ?? 0 }
}
