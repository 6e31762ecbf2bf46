import { SIGNALS, type Signal } from '../../contract/vocabulary.ts'
import { EVERY_HIDDEN } from '../invisible-characters.js'
import { isAscii } from '../terms/fold.ts'
import { COMMANDS } from './commands.ts'
import { commentsOf, TO_A_READER } from './comments.ts'
import { withDisguised } from './disguised-text.ts'
import { hidesCharacters } from './hidden-characters.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { INSTRUCTIONS_ELSEWHERE } from './instructions-elsewhere.ts'
import { isMixed, proseOf } from './prose.ts'
import { bitsOf, triggersOf } from './triggers.ts'
import { TRUST_CLAIMS } from './trust-claims.ts'

/** Raise it when the same text gets other signals: stores then compute all signals again. */
export const SIGNALS_VERSION = 7

/** The texts of a revision that are searched. */
export type SignalledText = { title: string; summary: string; content: string; rationale: string }

const GROUPS = [...COMMANDS, ...INSTRUCTIONS, ...INSTRUCTIONS_ELSEWHERE, ...TRUST_CLAIMS]
const SEARCHED = GROUPS.map(({ signal, over, needs, patterns }) => ({ signal, over, needs: bitsOf(needs), patterns }))
const EVERY_TRIGGER = -1
const CONTROLS = bitsOf(['controls'])
/** A backslash at the end of a line, after which a command continues. */
const CONTINUED = /(?<=[ \t])\\\r?\n[ \t]*/g

/**
 * The signals of a revision, as bits in the order of SIGNALS. A signal states a fact about the words. It is not a judgement and refuses
 * nothing. Takes time proportional to the text.
 */
export function signalsOf({ title, summary, content, rationale }: SignalledText): number {
  const text = `${title}\n\n${summary}\n\n${content}\n\n${rationale}`
  const ascii = isAscii(text)
  const seen = withDisguised(seenOf(text, ascii))
  let bits = 0
  const add = (signal: Signal): void => {
    bits |= 1 << SIGNALS.indexOf(signal)
  }
  const triggers = !ascii && isMixed(seen) ? EVERY_TRIGGER : triggersOf(seen)
  if ((!ascii || (triggers & CONTROLS) !== 0) && hidesCharacters(text)) add('INVISIBLE_CHARACTERS')
  if (speaksInComments(content)) add('HTML_COMMENT')
  let commands: string | undefined
  let prose: string[] | undefined
  for (const { signal, over, needs, patterns } of SEARCHED) {
    if ((triggers & needs) !== needs || (bits & (1 << SIGNALS.indexOf(signal))) !== 0) continue
    if (over === 'text') commands ??= seen.includes('\\') ? seen.replaceAll(CONTINUED, ' ') : seen
    else prose ??= proseOf(seen)
    const texts = over === 'text' ? [commands ?? seen] : (prose ?? [])
    if (texts.some(one => patterns.some(pattern => pattern.test(one)))) add(signal)
  }
  return bits
}

/** A text as a reader sees it: without invisible characters, in the plain forms of letters (NFKC). */
const seenOf = (text: string, ascii: boolean): string =>
  ascii ? text : text.replace(EVERY_HIDDEN, '').normalize('NFKC')

/** Whether a comment addresses a model. */
function speaksInComments(content: string): boolean {
  const comments = commentsOf(content).join('\n\n')
  if (comments === '') return false
  return proseOf(seenOf(comments, isAscii(comments))).some(one => TO_A_READER.some(pattern => pattern.test(one)))
}

/** The names of stored signals. */
export const signalNames = (bits: number): Signal[] => SIGNALS.filter((_, at) => (bits & (1 << at)) !== 0)
