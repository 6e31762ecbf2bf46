import { spawn } from 'node:child_process'
import { fstatSync } from 'node:fs'
import type { Sink } from '../command.ts'

/**
 * A signal that aborts when the last reader of a pipe has ended. Without it a command that writes rarely would notice only at its next line.
 * Node cannot poll a pipe for that, but GNU tail does: it writes nothing, and ends by SIGPIPE within a second. Without GNU tail, or if the
 * output is not a pipe, the signal never aborts.
 */
export function readerSignal({ fd }: Sink): { signal: AbortSignal; stop(): void } {
  const gone = new AbortController()
  if (fd === undefined || process.platform === 'win32' || !fstatSync(fd).isFIFO()) {
    return { signal: gone.signal, stop: () => {} }
  }
  // With --pid it ends with this process in all cases.
  const tail = spawn('tail', [`--pid=${process.pid}`, '-f', '/dev/null'], { stdio: ['ignore', fd, 'ignore'] })
  tail.on('error', () => {})
  tail.on('exit', (_, signal) => {
    if (signal === 'SIGPIPE') gone.abort()
  })
  tail.unref()
  return { signal: gone.signal, stop: () => void tail.kill() }
}
