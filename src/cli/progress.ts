import type { Sink } from './command.ts'

/** How often a terminal and a log are told, in milliseconds. */
const TERMINAL_INTERVAL = 200
const LOG_INTERVAL = 5_000

export type Progress = {
  /** Begins a phase; always shown. */
  phase(text: string): void
  /** How far the phase is; shown now and then, and made only when it is. */
  tell(text: () => string): void
  /** Leaves the terminal's line clean. */
  end(): void
}

/** Tells on standard error how far a long run is: in place on a terminal, by a line now and then in a log. */
export function createProgress(logInterval = LOG_INTERVAL, stream: Sink = process.stderr): Progress {
  const interval = stream.isTTY ? TERMINAL_INTERVAL : logInterval
  let told = performance.now()
  let shown = false
  const show = (text: string): void => {
    told = performance.now()
    shown = true
    stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  return {
    phase: text => show(`${text} …`),
    tell(text) {
      if (performance.now() - told >= interval) show(text())
    },
    end() {
      if (stream.isTTY && shown) stream.write('\r\x1b[K')
      shown = false
    },
  }
}

export const percent = (done: number, all: number): string =>
  all === 0 ? '100 %' : `${Math.floor((done / all) * 100)} %`

/** Bytes in the unit that a person would use. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  let size = bytes
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000
    unit++
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}
