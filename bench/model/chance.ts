import { seeded } from '../seeded.ts'

export type Chance = () => number

/** A generator of numbers from 0 to below 1, reproducible by seed and name. */
export function chanceOf(seed: number, name: string): Chance {
  let mixed = seed
  for (const character of name) mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return seeded(mixed)
}

/** Draws a time until the next event of a Poisson process with this mean time. */
export const exponential = (chance: Chance, mean: number): number => -mean * Math.log(1 - chance())
