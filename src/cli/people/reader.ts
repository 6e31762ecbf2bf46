import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { Sink } from '../command.ts'

/** How often a silent pipe is looked at, in milliseconds. */
const LOOK = 500

/**
 * A signal that aborts when the last reader of a pipe has gone away. Without it a command that writes rarely would only find
 * out at its next line. Works for the pipes of a shell on Linux; any other stream reports its reader's end at the next write.
 */
export function readerSignal({ fd }: Sink): { signal: AbortSignal; stop(): void } {
  const gone = new AbortController()
  if (fd === undefined || process.platform !== 'linux' || !fstatSync(fd).isFIFO()) {
    return { signal: gone.signal, stop: () => {} }
  }
  const timer = setInterval(() => {
    if (!isRead(fd)) gone.abort()
  }, LOOK)
  timer.unref()
  return { signal: gone.signal, stop: () => clearInterval(timer) }
}

/** Whether a pipe has a reader: fifo(7), opening one to write without blocking fails with ENXIO where it has none. */
function isRead(fd: number): boolean {
  try {
    closeSync(openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENXIO'
  }
}
