/** Units of a relative time, the largest first, each in seconds. */
const UNITS = /** @type {const} */ ([
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
])
const format = new Intl.RelativeTimeFormat('en-GB')

/**
 * A time as its age, such as "5 minutes ago".
 * @param {string} iso
 * @param {number} now milliseconds since 1970
 */
export function relativeTime(iso, now = Date.now()) {
  const seconds = (now - Date.parse(iso)) / 1_000
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? []
  return unit === undefined ? 'just now' : format.format(-Math.floor(seconds / size), unit)
}
