/** A random starting value of a hash: callers cannot choose words with equal hashes. */
export const randomSeed = (): number => crypto.getRandomValues(new Int32Array(1))[0] as number

/** The first hash of a word after one more code: multiplied and shifted as in MurmurHash3 (Appleby, 2011). */
export const nextHash = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

/** The second hash. Two words have both hashes in common with a probability of 2^-64. */
export const nextOther = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x1b873593)
  return mixed ^ (mixed >>> 13)
}
