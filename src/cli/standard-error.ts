import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { LogFile } from './log-file.ts'

const STANDARD_ERROR = 2

/**
 * Replaces `process.stderr` before its first use, unless it is a terminal: neither a full disk nor a reader that does not read can stop the
 * process. Lines that cannot be written are dropped. A later line reports their number.
 */
export function guardStandardError(): void {
  if (isatty(STANDARD_ERROR)) return
  const file = new LogFile(STANDARD_ERROR, dropped => {
    file.write(`${dropped} lines were dropped here because they could not be written.\n`)
    file.flush()
  })
  const guarded = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      file.write(chunk.toString())
      file.flush()
      done()
    },
  })
  Object.defineProperty(process, 'stderr', { configurable: true, enumerable: true, get: () => guarded })
  process.on('exit', () => file.close())
}
