/** Whether every string in a JSON value, keys included, can be stored: no U+0000 and no lone surrogate. */
export function isCleanText(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000')
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isCleanText)
  return Object.entries(value).every(([key, member]) => isCleanText(key) && isCleanText(member))
}
