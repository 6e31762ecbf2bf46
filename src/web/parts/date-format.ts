/** Formats dates in British English, in UTC. Makes the format at its first use, because the first format of a process takes 6 ms. */
export function dateFormat(options: Intl.DateTimeFormatOptions): (date: Date | number) => string {
  let format: Intl.DateTimeFormat | undefined
  return date => {
    format ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    return format.format(date)
  }
}
