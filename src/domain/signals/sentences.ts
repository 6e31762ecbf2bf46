import type { Signal } from '../../contract/vocabulary.ts'

/** A signal as a sentence for people. */
export const SIGNAL_WORDS: Readonly<Record<Signal, string>> = {
  DESTRUCTIVE_COMMAND: 'Contains a command that destroys data',
  PIPE_TO_SHELL: 'Contains a command that runs what it downloads',
  INSTRUCTION_LIKE: 'Contains text that addresses the reader’s model',
  INVISIBLE_CHARACTERS: 'Contains invisible characters',
  HTML_COMMENT: 'Contains a hidden comment that addresses a reader',
  CLAIMS_TRUST: 'Vouches for itself',
}

/** The signals of a text in one line; empty if there are none. A newer server may send names that this version does not know. */
export const signalLine = (signals: readonly string[]): string =>
  signals.length === 0 ? '' : `Signals: ${signals.map(signalNamed).join(', ')}`

const signalNamed = (signal: string): string =>
  Object.hasOwn(SIGNAL_WORDS, signal) ? `${signal} (${SIGNAL_WORDS[signal as Signal].toLowerCase()})` : signal
