/** A cursor is `size * SIZE_STEP + offset`. */
const SIZE_STEP = 1_000_000_000n

/**
 * A place in a list that grows at its newest end. `size` is the number of rows when the first page was read; `offset` of them were read.
 */
export type Place = { size: number; offset: number }

/**
 * Reads a `before` of 1 to 19 digits as an offset cursor. A value below 10^9 is an offset into the present list. A size above `sizeNow` is
 * clamped: every number is valid.
 */
export function placeOf(before: string | undefined, sizeNow: number): Place {
  const value = BigInt(before ?? '0')
  const size = value < SIZE_STEP ? sizeNow : Math.min(Number(value / SIZE_STEP), sizeNow)
  return { size, offset: Number(value % SIZE_STEP) }
}

/** The cursor of the rows after the newest `offset` of `size` rows. */
export function offsetCursor({ size, offset }: Place): string {
  return String(BigInt(size) * SIZE_STEP + BigInt(offset))
}

/** Reads a `before` of 1 to 19 digits as a sequence. Without `before` the sequence is above every row. */
export function sequenceOf(before: string | undefined): number {
  return before === undefined ? Number.MAX_SAFE_INTEGER : Math.min(Number(before), Number.MAX_SAFE_INTEGER)
}
