import type { Chance } from './chance.ts'

/** Number of terms that are added one by one. The rest of a sum is an integral. */
const EXACT = 1_000
/** Growth factor of the steps of a sum over ranks after the exact terms. */
const GROWTH = 1.02

/** The integral of x^-s from a to b. */
const integral = (a: number, b: number, s: number): number =>
  Math.abs(s - 1) < 1e-9 ? Math.log(b / a) : (b ** (1 - s) - a ** (1 - s)) / (1 - s)

/** The sum of k^-s for k from 1 to n, with a relative error below 10^-6 (Euler and Maclaurin, first terms). */
export function harmonic(n: number, s: number): number {
  let sum = 0
  const exact = Math.min(n, EXACT)
  for (let k = 1; k <= exact; k++) sum += k ** -s
  if (n > exact) sum += integral(exact, n, s) + (n ** -s - exact ** -s) / 2
  return sum
}

/**
 * The mean of a function of the popularity, weighted by Zipf popularity: exact for the first ranks, then over steps that grow with the
 * rank.
 */
export function meanByZipf(n: number, s: number, of: (popularity: number) => number): number {
  const all = harmonic(n, s)
  let sum = 0
  const exact = Math.min(n, EXACT)
  for (let k = 1; k <= exact; k++) sum += k ** -s * of(k ** -s / all)
  for (let from = exact; from < n; ) {
    const to = Math.min(n, from * GROWTH)
    const middle = Math.sqrt(from * to)
    sum += integral(from + 0.5, to + 0.5, s) * of(middle ** -s / all)
    from = to
  }
  return sum / all
}

/** The sum of a function of the popularity over all ranks. */
export function sumOverRanks(n: number, s: number, of: (popularity: number) => number): number {
  return meanByZipf(n, s, popularity => of(popularity) / popularity)
}

/**
 * Draws ranks from 1 to n with a probability proportional to rank^-s, in constant time for any n: rejection-inversion (Hörmann and Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", 1996).
 */
export function zipfRanks(n: number, s: number, chance: Chance): () => number {
  const isLog = Math.abs(s - 1) < 1e-9
  const area = (x: number): number => (isLog ? Math.log(x) : (x ** (1 - s) - 1) / (1 - s))
  const inverse = (y: number): number => (isLog ? Math.exp(y) : (1 + (1 - s) * y) ** (1 / (1 - s)))
  const first = area(1.5) - 1
  const last = area(n + 0.5)
  const sure = 2 - inverse(area(2.5) - 2 ** -s)
  return () => {
    for (;;) {
      const drawn = last + chance() * (first - last)
      const x = inverse(drawn)
      const rank = Math.min(n, Math.max(1, Math.round(x)))
      if (rank - x <= sure || drawn >= area(rank + 0.5) - rank ** -s) return rank
    }
  }
}
