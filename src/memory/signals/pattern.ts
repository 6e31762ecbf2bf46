import type { Signal } from '../../contract/vocabulary.ts'
import { foldWord } from '../../find/rules/words.ts'
import { requiredPhrases } from './triggers.ts'

/** The form of a text that a pattern searches (patterns.ts). */
type SearchedForm = 'code' | 'prose' | 'comment'

export type Pattern = {
  name: string
  signal: Signal
  over: SearchedForm
  expression: RegExp
  /** Each match has a phrase of each of these sets. */
  needs: readonly (readonly string[])[]
  /** A text that it finds, and a similar one without its signal. */
  example: string
  counterexample: string
}

const SECTION = /^\[(\w+) (code|code-any-case|prose|comment|unspaced|comment-unspaced)\]$/
const DEFINITION = /^([A-Z_]+) = (.+)$/
const PATTERN = /^(.+?): (.+)$/
const EXAMPLES = /^ {2}\+ (.+?) {2}- (.+)$/
const REFERENCE = /<(\d+|[A-Z_]+)>/g

/** Up to `words` words of one sentence, in prose. */
const gap = (words: string): string => `(?:[^\\s.:]\\S{0,29} ){0,${words}}`

/** A source whose non-ASCII letters are folded like the searched texts. */
const folded = (source: string): string => source.replace(/[^\x00-\x7f]+/g, foldWord)

const shown = (example: string): string => example.replaceAll('\\n', '\n').replaceAll('\\x60', '`')

/** Reads a list of patterns. Throws on a line that is no section, definition, pattern or pair of examples. */
export function readPatterns(list: string): Pattern[] {
  const patterns: Pattern[] = []
  const defined = new Map<string, string>()
  let signal: Signal | undefined
  let over = ''
  const expanded = (source: string): string =>
    source.replace(REFERENCE, (whole, name: string) => (/\d/.test(name) ? gap(name) : (defined.get(name) ?? whole)))
  const lines = list.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const section = SECTION.exec(line)
    const definition = DEFINITION.exec(line)
    if (line === '') continue
    else if (section !== null) [signal, over] = [section[1] as Signal, section[2] ?? '']
    else if (definition !== null) defined.set(definition[1] ?? '', expanded(definition[2] ?? ''))
    else {
      const [, name, source] = PATTERN.exec(line) ?? []
      const [, example, counterexample] = EXAMPLES.exec(lines[++at] ?? '') ?? []
      if (signal === undefined || name === undefined || source === undefined || !example || !counterexample) {
        throw new Error(`Line ${at} of the patterns is not a pattern with its examples: ${line}`)
      }
      const searched = searchedBy(over, expanded(source))
      patterns.push({ name, signal, ...searched, example: shown(example), counterexample: shown(counterexample) })
    }
  }
  return patterns
}

function searchedBy(over: string, source: string): Pick<Pattern, 'over' | 'expression' | 'needs'> {
  if (over.startsWith('code')) {
    const flags = over === 'code' ? 'm' : 'im'
    return { over: 'code', expression: new RegExp(source, flags), needs: requiredPhrases(source, 'code') }
  }
  const whole = over.includes('unspaced') ? folded(source) : ` (?:${folded(source)})(?= )`
  const form = over.startsWith('comment') ? 'comment' : 'prose'
  const needs = requiredPhrases(folded(source), 'prose')
  return { over: form, expression: new RegExp(whole, 'u'), needs }
}
