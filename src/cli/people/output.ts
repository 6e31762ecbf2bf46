import type { State } from '../../contract/vocabulary.ts'
import { INVISIBLE } from '../../memory/invisible-characters.js'
import type { Sink } from '../../progress.ts'
import type { Surroundings } from '../command.ts'
import { wrapText } from '../words.ts'

/** Characters that a terminal obeys or does not show: the invisible ones, every other control or format character, lone surrogates. */
const UNSEEN = `${INVISIBLE}\\p{Cc}\\p{Cf}\\p{Cs}`
const IN_A_LINE = new RegExp(`[${UNSEEN}]`, 'gu')
const IN_LINES = new RegExp(`(?![\\n\\t])[${UNSEEN}]`, 'gu')
/** JSON is itself a text in lines. Its line breaks stay. */
const IN_JSON = new RegExp(`(?!\\n)[${UNSEEN}]`, 'gu')

const named = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Escapes a text for one line: every invisible character, including line breaks and tabs, is written as `\u{…}`. */
export const visibleLine = (text: string): string => text.replace(IN_A_LINE, named)

/** Escapes a text of several lines: every invisible character except line breaks is written as `\u{…}`. */
export const visible = (text: string): string => text.replaceAll('\r\n', '\n').replace(IN_LINES, named)

/** Escapes a JSON text: strings contain every invisible character as `\uXXXX`, so that the value is the same. */
export const visibleJson = (json: string): string =>
  json.replace(IN_JSON, character =>
    Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
      .map(code => `\\u${code.toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** The reader of standard output has ended. The command ends without a message. */
export class ReaderGoneError extends Error {}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof STYLES
/** A piece of a line, plain or with a style for terminals. */
export type Span = string | number | { style: Style; text: string }

const STATE_STYLES: Record<State, Style> = {
  UNCHECKED: 'dim',
  SUPPORTED: 'green',
  PARTLY_SUPPORTED: 'yellow',
  ANSWERED: 'yellow',
  DISPUTED: 'yellow',
  CONTRADICTED: 'red',
  INCONCLUSIVE: 'yellow',
}

/** The colours of states. A server may answer with an unknown state. */
export const stateStyle = (state: string): Style =>
  Object.hasOwn(STATE_STYLES, state) ? STATE_STYLES[state as State] : 'dim'

export const styled = (style: Style, text: string): Span => ({ style, text })

const BAR = '  │ '
const TAB = '    '
/** The minimum number of columns of a block. Blocks are wrapped here, because a terminal would wrap lines to the first column. */
const NARROWEST = 20

/**
 * The output of a command on standard output and standard error. All texts are treated as untrusted: they cannot move the cursor, leave
 * their line or change the direction of text.
 */
export class Output {
  readonly #surroundings: Surroundings
  /** The first error of standard output. */
  #fault: NodeJS.ErrnoException | undefined

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
    // Without a listener an error of the stream would end the process.
    surroundings.stdout.on('error', (error: NodeJS.ErrnoException) => {
      this.#fault ??= error
    })
    surroundings.stderr.on('error', () => {})
  }

  /** One line. */
  line(...spans: Span[]): void {
    this.#write(this.#surroundings.stdout, spans)
  }

  /** A text of several lines, each after a bar, so that no line can pose as output of the command. */
  block(text: string): void {
    const { stdout } = this.#surroundings
    const spaced = visible(text).replaceAll('\t', TAB)
    const columns = stdout.isTTY === true ? stdout.columns : undefined
    const lines = columns === undefined ? spaced : wrapText(spaced, blockWidth(columns), { hard: true, trim: false })
    for (const one of lines.split('\n')) this.line(styled('dim', BAR), one)
  }

  /** One JSON document on one line. */
  json(value: unknown): void {
    this.#surroundings.stdout.write(`${visibleJson(JSON.stringify(value))}\n`)
  }

  /** A text unchanged, for a file; on a terminal with invisible characters escaped. */
  whole(text: string): void {
    const { stdout } = this.#surroundings
    stdout.write(stdout.isTTY === true ? visible(text).replaceAll('\t', TAB) : text)
  }

  /** A timestamp unchanged; on a terminal as a relative time. */
  time(timestamp: string): string {
    const { stdout, clock } = this.#surroundings
    return stdout.isTTY === true ? ago(timestamp, clock?.now() ?? Date.now()) : timestamp
  }

  /** One line for the person, on standard error. */
  note(...spans: Span[]): void {
    this.#write(this.#surroundings.stderr, spans)
  }

  /** Waits until all output is written. Throws ReaderGoneError if the reader has ended. */
  async taken(): Promise<void> {
    await new Promise<void>(resolve => {
      if (this.#fault !== undefined) resolve()
      else this.#surroundings.stdout.write('', () => resolve())
    })
    const fault = this.#fault
    if (fault === undefined) return
    throw fault.code === 'EPIPE' || fault.code === 'ERR_STREAM_DESTROYED' ? new ReaderGoneError() : fault
  }

  #write(sink: Sink, spans: readonly Span[]): void {
    const coloured = inColour(sink, this.#surroundings.env)
    sink.write(`${spans.map(span => shown(span, coloured)).join('')}\n`)
  }
}

/** Colour is for terminals whose owner has not declined it (no-color.org). */
const inColour = (sink: Sink, env: NodeJS.ProcessEnv): boolean =>
  sink.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'

function shown(span: Span, coloured: boolean): string {
  if (typeof span !== 'object') return visibleLine(String(span))
  const text = visibleLine(span.text)
  return coloured ? `\x1b[${STYLES[span.style]}m${text}\x1b[0m` : text
}

const blockWidth = (columns: number): number => Math.max(NARROWEST, columns - BAR.length - 1)

const SECOND = 1_000
const UNITS = [
  ['year', 31_557_600 * SECOND],
  ['month', 2_629_800 * SECOND],
  ['day', 86_400 * SECOND],
  ['hour', 3_600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
] as const
/** Times closer to now are shown without a number, in milliseconds. */
const JUST_NOW = 10 * SECOND

let relative: Intl.RelativeTimeFormat | undefined

/** A relative time in the largest whole unit: "3 hours ago". Returns an invalid time unchanged. */
export function ago(timestamp: string, now: number): string {
  const passed = now - Date.parse(timestamp)
  if (Number.isNaN(passed)) return timestamp
  if (Math.abs(passed) < JUST_NOW) return 'just now'
  const [unit, length] = UNITS.find(([, milliseconds]) => Math.abs(passed) >= milliseconds) ?? ['second', SECOND]
  // Its data take several milliseconds to load.
  relative ??= new Intl.RelativeTimeFormat('en')
  return relative.format(-Math.trunc(passed / length), unit)
}
