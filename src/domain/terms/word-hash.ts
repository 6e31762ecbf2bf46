/** A random seed of a hash: callers cannot choose words with equal hashes. */
export const randomSeed = (): number => crypto.getRandomValues(new Int32Array(1))[0] as number

/** Adds a code to the first hash of a word, mixed as in MurmurHash3 (Appleby, 2011). */
export const nextHash = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

/** Adds a code to the second hash of a word. Two words have both hashes in common with a probability of 2^-64. */
export const nextOther = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x1b873593)
  return mixed ^ (mixed >>> 13)
}
