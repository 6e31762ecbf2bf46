import { createRequire } from 'node:module'
import { closestMatch } from 'leven'

const require = createRequire(import.meta.url)

/** Wraps text at words. The package compiles the table of all emoji, so the first text to wrap loads it. */
export const wrapText: typeof import('wrap-ansi').default = (text, columns, options) =>
  (require('wrap-ansi') as typeof import('wrap-ansi')).default(text, columns, options)

/** One edit is allowed for each group of this many characters. */
const CHARACTERS_AN_EDIT = 3

/** A question that suggests the word with the most similar spelling, in any case; empty if no word is similar. */
export function didYouMean(given: string, names: readonly string[]): string {
  const lower = new Map(names.map(name => [name.toLowerCase(), name]))
  const maxDistance = Math.max(1, Math.ceil(given.length / CHARACTERS_AN_EDIT))
  const near = closestMatch(given.toLowerCase(), [...lower.keys()], { maxDistance })
  return near === undefined ? '' : ` Did you mean ${lower.get(near)}?`
}
