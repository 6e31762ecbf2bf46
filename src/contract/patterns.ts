import { LIMITS } from './limits.ts'

const HEX = '[0-9a-fA-F]'

/** Any UUID of version 1 to 8, the nil UUID and the max UUID, in either case (interface section 2). */
export const UUID_PATTERN = `^(?:${HEX}{8}-${HEX}{4}-[1-8]${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}|0{8}-0{4}-0{4}-0{4}-0{12}|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$`

/** Letters, marks, digits, space and hyphen of any script. */
export const TAG_PATTERN = '^[\\p{L}\\p{M}\\p{N} -]+$'

/** A number of the feed, as text. */
export const DIGITS_PATTERN = `^[0-9]{1,${LIMITS.cursorDigits}}$`
