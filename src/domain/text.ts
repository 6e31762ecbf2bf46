/** Whether every string in a JSON value, keys included, can be stored: no U+0000 and no lone surrogate. */
export const isCleanText = (value: unknown): boolean => pathOfText(value, isUnclean) === undefined

/** The path to the first string in a JSON value that cannot be stored; undefined if all can be stored. */
export const uncleanPath = (value: unknown): string[] | undefined => pathOfText(value, isUnclean)

const isUnclean = (text: string): boolean => !text.isWellFormed() || text.includes('\u0000')

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
