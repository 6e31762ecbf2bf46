/** The interval of updates on a terminal and in a log, in milliseconds. */
const TERMINAL_INTERVAL = 200
const LOG_INTERVAL = 5_000

/** A stream for people: a terminal, or a file. */
export type Sink = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; fd?: number }

export type Progress = {
  /** Begins a phase. It is always shown. */
  phase(text: string): void
  /** The progress of the phase. It is shown, and formatted, only once per interval. */
  update(text: () => string): void
  /** Clears the line of the terminal. */
  end(): void
}

/** Shows the progress of a long run on standard error, the stream: in place on a terminal, as lines in a log. */
export function createProgress(stream: Sink, logInterval = LOG_INTERVAL): Progress & Disposable {
  const interval = stream.isTTY ? TERMINAL_INTERVAL : logInterval
  let updated = performance.now()
  let shown = false
  const show = (text: string): void => {
    updated = performance.now()
    shown = true
    stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  const end = (): void => {
    if (stream.isTTY && shown) stream.write('\r\x1b[K')
    shown = false
  }
  return {
    phase: text => show(`${text} …`),
    update(text) {
      if (performance.now() - updated >= interval) show(text())
    },
    end,
    [Symbol.dispose]: end,
  }
}

export const percent = (done: number, all: number): string =>
  all === 0 ? '100 %' : `${Math.floor((done / all) * 100)} %`

/** Formats bytes with a unit. */
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

/** Seconds from which a time is given in minutes. */
const MINUTES_FROM = 100

/** The rate and the time left, as "9100/s, 42 s left", of a run that has done `done` of `all` units since `began` (performance.now()). */
export function pace(done: number, all: number, began: number): string {
  const rate = done / Math.max((performance.now() - began) / 1_000, 0.001)
  const left = Math.ceil((all - done) / Math.max(rate, 0.001))
  return `${Math.round(rate)}/s, ${left < MINUTES_FROM ? `${left} s` : `${Math.ceil(left / 60)} min`} left`
}
