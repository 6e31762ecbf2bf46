/** A reproducible random generator. Its seed is SEED or derived from the clock, and is printed so that a failure can be reproduced. */
export function seededRandom(label: string): {
  seed: number
  next(): number
  below(n: number): number
  pick<T>(from: readonly T[]): T
} {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  process.stdout.write(`# ${label}: SEED=${seed}\n`)
  let state = seed >>> 0
  // Mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { seed, next, below, pick: from => from[below(from.length)] as never }
}
