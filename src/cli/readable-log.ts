import { visible } from './people/output.ts'

type Line = { level: number; time: string; msg?: string; err?: { stack?: string } } & Record<string, unknown>

const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }
/** The characters of the longest level. */
const LEVEL_WIDTH = 5
/** The time of day in an ISO time. */
const CLOCK: readonly [number, number] = [11, 19]

/** A line of the log for a terminal: the time of day (UTC), the level, the message, the other members, and the stack of an error. */
export function readableLine(json: string): string {
  const { level, time, msg = '', err, ...members } = JSON.parse(json) as Line
  const named = Object.entries(members).map(([name, value]) => `${name}=${valueText(value)}`)
  const stack = err?.stack === undefined ? '' : `\n${err.stack.replace(/^/gm, '  ')}`
  const head = [time.slice(...CLOCK), (LEVELS[level] ?? String(level)).padEnd(LEVEL_WIDTH), msg, ...named]
  return `${visible(`${head.join(' ')}${stack}`)}\n`
}

const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
