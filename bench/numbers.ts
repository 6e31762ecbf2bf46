/** A reproducible random generator (mulberry32) of numbers from 0 to below 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Selects an element of a list at random. */
export const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** The quantile of the values for `part` (0 to 1), by nearest rank; undefined without values. */
export const quantile = (values: readonly number[], part: number): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(part * values.length) - 1)]

/** The median, with an even count the lower of the two middle values; undefined without values. */
export const median = (values: readonly number[]): number | undefined => quantile(values, 0.5)

/** Rounds a figure to its significant digits. */
export const figure = (value: number): number => Number(value.toPrecision(4))
