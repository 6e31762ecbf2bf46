/** A cursor is size times this, plus the offset. */
const SIZE_STEP = 1_000_000_000n

/** A place in a list that grows at its newest end: `size` rows at the first page, of which `offset` were read. */
export type Place = { size: number; offset: number }

/**
 * Reads a `before` of 1 to 19 digits as an offset cursor. Below 10^9 it is a plain offset into the present list. A size beyond the present
 * is clamped: every number has an answer.
 */
export function placeOf(before: string | undefined, sizeNow: number): Place {
  const value = BigInt(before ?? '0')
  const size = value < SIZE_STEP ? sizeNow : Math.min(Number(value / SIZE_STEP), sizeNow)
  return { size, offset: Number(value % SIZE_STEP) }
}

/** The cursor that continues `offset` rows after the newest of `size`. */
export function offsetCursor({ size, offset }: Place): string {
  return String(BigInt(size) * SIZE_STEP + BigInt(offset))
}

/** Reads a `before` of 1 to 19 digits as a sequence; undefined is beyond every row. */
export function sequenceOf(before: string | undefined): number {
  return before === undefined ? Number.MAX_SAFE_INTEGER : Math.min(Number(before), Number.MAX_SAFE_INTEGER)
}
