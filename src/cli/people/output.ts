import type { State } from '../../contract/vocabulary.ts'
import type { Sink, Surroundings } from '../command.ts'
import { wrapText } from '../wrap-text.ts'
import { ago } from './time.ts'
import { visible, visibleJson, visibleLine } from './visible.ts'

/** The reader of standard output has ended. The command ends without a message. */
export class ReaderGone extends Error {}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof STYLES
/** A piece of a line, plain or with a style for terminals. */
export type Span = string | number | { style: Style; text: string }

const STATE_STYLES: Record<State, Style> = {
  UNCHECKED: 'dim',
  SUPPORTED: 'green',
  DISPUTED: 'yellow',
  CONTRADICTED: 'red',
  INCONCLUSIVE: 'yellow',
}

/** The colours of states. A server may answer with an unknown state. */
export const stateStyle = (state: string): Style =>
  Object.hasOwn(STATE_STYLES, state) ? STATE_STYLES[state as State] : 'dim'

export const styled = (style: Style, text: string): Span => ({ style, text })

/** The output of a command. All texts are treated as untrusted: they cannot move the cursor, leave their line or change the direction of text. */
export type Output = {
  /** One line. */
  line(...spans: Span[]): void
  /** A text of several lines, each after a bar, so that no line can pose as output of the command. */
  block(text: string): void
  /** One JSON document on one line. */
  json(value: unknown): void
  /** A text unchanged, for a file; on a terminal with invisible characters escaped. */
  whole(text: string): void
  /** A timestamp unchanged; on a terminal as a relative time. */
  time(timestamp: string): string
  /** One line for the person, on standard error. */
  note(...spans: Span[]): void
  /** Waits until all output is written. Throws ReaderGone if the reader has ended. */
  taken(): Promise<void>
}

const BAR = '  │ '
const TAB = '    '
/** The minimum number of columns of a block. Blocks are wrapped here, because a terminal would wrap lines to the first column. */
const NARROWEST = 20

/** Opens the output of a command on the given streams. */
export function openOutput({ stdout, stderr, env, clock }: Surroundings): Output {
  let fault: NodeJS.ErrnoException | undefined
  // Without a listener an error of the stream would end the process.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    fault ??= error
  })
  stderr.on('error', () => {})
  const lineTo = (sink: Sink, spans: readonly Span[]): void => {
    sink.write(`${spans.map(span => shown(span, inColour(sink, env))).join('')}\n`)
  }
  const line = (...spans: Span[]): void => lineTo(stdout, spans)
  return {
    line,
    block: text => {
      const spaced = visible(text).replaceAll('\t', TAB)
      const columns = stdout.isTTY === true ? stdout.columns : undefined
      const lines = columns === undefined ? spaced : wrapText(spaced, blockWidth(columns), { hard: true, trim: false })
      for (const one of lines.split('\n')) line(styled('dim', BAR), one)
    },
    time: timestamp => (stdout.isTTY === true ? ago(timestamp, clock?.now() ?? Date.now()) : timestamp),
    json: value => void stdout.write(`${visibleJson(JSON.stringify(value))}\n`),
    whole: text => void stdout.write(stdout.isTTY === true ? visible(text).replaceAll('\t', TAB) : text),
    note: (...spans) => lineTo(stderr, spans),
    async taken() {
      await new Promise<void>(resolve => {
        if (fault !== undefined) resolve()
        else stdout.write('', () => resolve())
      })
      if (fault === undefined) return
      throw fault.code === 'EPIPE' || fault.code === 'ERR_STREAM_DESTROYED' ? new ReaderGone() : fault
    },
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
