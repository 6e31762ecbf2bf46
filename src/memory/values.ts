import { hash } from 'node:crypto'
import { UUID_PATTERN } from '../contract/schema.ts'

/** Milliseconds. `Math.floor(at / DAY)` is the number of the day (UTC) of a time, and the same of an hour. */
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** A time in milliseconds as the contract's RFC 3339 text. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

const UUID = new RegExp(UUID_PATTERN)

/** Whether a text is a UUID in the sense of the contract. In a path such a text is an id, any other text a slug. */
export const isUuid = (text: string): boolean => UUID.test(text)

/**
 * The milliseconds of service to add at `clock`. `countedAt` is the last count of any process; `ran` is the running time of this process
 * since its own last count. A jump of the clock adds at most `ran`. Several processes count each moment once.
 */
export const servedSince = (countedAt: number, clock: number, ran: number): number =>
  Math.max(0, Math.min(ran, clock - countedAt))

/** A cursor is `size * SIZE_STEP + offset`. */
const SIZE_STEP = 1_000_000_000n

/**
 * A place in a list that grows at its newest end. `size` is the number of rows when the first page was read; `offset` of them were read.
 */
type OffsetPlace = { size: number; offset: number }

/**
 * Reads a `before` of 1 to 19 digits as an offset cursor. A value below 10^9 is an offset into the present list. A size above `sizeNow` is
 * clamped: every number is valid.
 */
export function placeOf(before: string | undefined, sizeNow: number): OffsetPlace {
  const value = BigInt(before ?? '0')
  const size = value < SIZE_STEP ? sizeNow : Math.min(Number(value / SIZE_STEP), sizeNow)
  return { size, offset: Number(value % SIZE_STEP) }
}

/** The cursor of the rows after the newest `offset` of `size` rows. */
export function offsetCursor({ size, offset }: OffsetPlace): string {
  return String(BigInt(size) * SIZE_STEP + BigInt(offset))
}

/** Reads a `before` of 1 to 19 digits as a sequence. Without `before` the sequence is above every row. */
export function sequenceOf(before: string | undefined): number {
  return before === undefined ? Number.MAX_SAFE_INTEGER : Math.min(Number(before), Number.MAX_SAFE_INTEGER)
}

/** Whether every string in a JSON value, keys included, can be stored: no U+0000 and no lone surrogate. */
export const isCleanText = (value: unknown): boolean => pathOfText(value, isUnclean) === undefined

/** Whether a text cannot be stored. */
export const isUnclean = (text: string): boolean => !text.isWellFormed() || text.includes('\u0000')

/** The path to the first string, or the first object with a key, that `matches`; empty if it is the value itself. */
export function pathOfText(value: unknown, matches: (text: string) => boolean): string[] | undefined {
  if (typeof value === 'string') return matches(value) ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  for (const key of Object.keys(value)) {
    if (!isList && matches(key)) return []
    const path = pathOfText((value as Record<string, unknown>)[key], matches)
    if (path !== undefined) return [key, ...path]
  }
  return undefined
}

/** The length of a short digest: 132 bits in base64url. */
export const SHORT_DIGEST_CHARACTERS = 22

/** The first 132 bits of the SHA-256 of a text or of bytes, in base64url. */
export const shortDigest = (input: string | Uint8Array): string =>
  hash('sha256', input, 'base64url').slice(0, SHORT_DIGEST_CHARACTERS)

/** A table with one byte for each UTF-16 code unit: the value of the row whose characters contain the unit, else 0. */
export function byteTable(rows: readonly (readonly [characters: string, value: number])[]): Uint8Array {
  const table = new Uint8Array(0x10000)
  for (const [characters, value] of rows) {
    for (const character of characters) table[character.charCodeAt(0)] = value
  }
  return table
}

/** A function that computes the result for each key once. */
export function memoized<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return key => {
    if (!known.has(key)) known.set(key, compute(key))
    return known.get(key) as V
  }
}
