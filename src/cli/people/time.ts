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
