import { clientError } from '../client/problem.ts'

/** One piece of a text and its replacement. */
export type Replacement = { old: string; new: string }

/** Replaces each piece, one after another. Throws INVALID_ARGUMENT if a piece does not occur exactly once. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  let result = text
  for (const [place, { old, new: next }] of replacements.entries()) {
    const at = result.indexOf(old)
    if (at < 0) {
      throw clientError(
        'INVALID_ARGUMENT',
        `replace.${place}.old does not occur in the content; read it again and copy the piece exactly.`,
      )
    }
    if (result.indexOf(old, at + 1) >= 0) {
      throw clientError(
        'INVALID_ARGUMENT',
        `replace.${place}.old occurs more than once in the content; make it longer until it is unique.`,
      )
    }
    result = result.slice(0, at) + next + result.slice(at + old.length)
  }
  return result
}
