import wrapAnsi from 'wrap-ansi'
import type { State } from '../../contract/words.ts'
import type { Sink, Surroundings } from '../command.ts'
import { ago } from './time.ts'
import { visible, visibleJson, visibleLine } from './visible.ts'

/** The reader of standard output has gone away: nothing is left to do or to report. */
export class ReaderGone extends Error {}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Style = keyof typeof STYLES
/** A piece of a line, by itself or in a style that only a terminal shows. */
export type Span = string | number | { style: Style; text: string }

const STATE_STYLES: Record<State, Style> = {
  UNCHECKED: 'dim',
  SUPPORTED: 'green',
  DISPUTED: 'yellow',
  CONTRADICTED: 'red',
  INCONCLUSIVE: 'yellow',
}

/** How the state of the evidence is coloured; a server may answer with any other word. */
export const stateStyle = (state: string): Style =>
  Object.hasOwn(STATE_STYLES, state) ? STATE_STYLES[state as State] : 'dim'

export const styled = (style: Style, text: string): Span => ({ style, text })

/** What a command says. Whatever is given here may be a stranger's: nothing of it moves the cursor, leaves its line or turns the reading. */
export type Output = {
  /** One line. */
  line(...spans: Span[]): void
  /** A text of several lines, each behind a bar, so that none of them passes for a line of ours. */
  block(text: string): void
  /** One JSON document on one line. */
  json(value: unknown): void
  /** A text as it is, for a file; on a terminal what is unseen is made visible. */
  whole(text: string): void
  /** A timestamp as it is, or on a terminal how long ago it was. */
  time(timestamp: string): string
  /** One line to the person beside the result, on standard error. */
  note(...spans: Span[]): void
  /** Waits until all was taken. Throws ReaderGone when the reader has gone away. */
  taken(): Promise<void>
}

const BAR = '  │ '
const TAB = '    '
/** Columns of a block at least. It is broken by us: a terminal would begin the rest of a line where ours begin. */
const NARROWEST = 20

/** Opens what a command says to the streams given. */
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
      const lines = columns === undefined ? spaced : wrapAnsi(spaced, blockWidth(columns), { hard: true, trim: false })
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
