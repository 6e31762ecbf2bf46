/** Milliseconds. */
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** The number of whole hours between 1970 (UTC) and a time in milliseconds. */
export const hourNumber = (at: number): number => Math.floor(at / HOUR)

/** The number of whole days between 1970 (UTC) and a time in milliseconds. */
export const dayNumber = (at: number): number => Math.floor(at / DAY)

/** A time in milliseconds as the contract's RFC 3339 text. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
