/** Stored milliseconds as the contract's RFC 3339 text. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
