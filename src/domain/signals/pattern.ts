import type { Signal } from '../../contract/vocabulary.ts'
import { foldWord } from '../terms/fold.ts'
import type { TriggerName } from './triggers.ts'

/**
 * Patterns of one signal over flattened prose or over the original text. A text is searched only if it has a word of each set in `needs`.
 */
export type Group = {
  signal: Signal
  over: 'prose' | 'text'
  needs: readonly TriggerName[]
  patterns: readonly RegExp[]
}

/*
 * Every pattern takes time proportional to the text: the text between two words is bounded, and no repetition is nested in another one
 * that could match the same characters.
 */

/** Up to `words` words of one sentence, in flattened prose. */
export const gap = (words: number): string => `(?:[^\\s.:]\\S{0,29} ){0,${words}}`

/** A pattern source whose non-ASCII letters are folded like the searched texts. */
const folded = (source: string): string => source.replace(/[^\x00-\x7f]+/g, foldWord)

/** A pattern over flattened prose, in which words have single spaces between them. It begins and ends at a word. */
export const prose = (...sources: string[]): RegExp => new RegExp(` (?:${sources.map(folded).join('|')})(?= )`, 'u')

/** A pattern over scripts that are written without spaces. */
export const unspaced = (...sources: string[]): RegExp => new RegExp(sources.map(folded).join('|'), 'u')
