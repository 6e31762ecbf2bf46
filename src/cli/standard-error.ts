import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { openLogFile } from './log-file.ts'

const STANDARD_ERROR = 2

/**
 * Replaces `process.stderr` unless it is a terminal, before it is used: a full disk ends no process, and a reader that does not read stops
 * none. Lines that cannot be written are dropped. A line says how many once lines can be written again.
 */
export function guardStandardError(): void {
  if (isatty(STANDARD_ERROR)) return
  const file = openLogFile(STANDARD_ERROR, dropped => {
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
  process.on('exit', file.close)
}
