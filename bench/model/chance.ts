import { seeded } from '../seeded.ts'

export type Chance = () => number

/** Numbers from 0 up to, not including, 1, by chance that is the same for the same seed and name. */
export function chanceOf(seed: number, name: string): Chance {
  let mixed = seed
  for (const character of name) mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return seeded(mixed)
}

/** A time until the next event of a Poisson process, by its mean. */
export const exponential = (chance: Chance, mean: number): number => -mean * Math.log(1 - chance())
