import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** Where lines of the log go. Nothing waits for it: lines that it does not take are dropped and counted. */
export type LogFile = {
  /** Takes one line, which ends with a line feed. */
  write(line: string): void
  /** Writes what waits at once, as far as the descriptor takes it. */
  flush(): void
  /** How many lines were dropped so far. */
  dropped(): number
  /** Writes what is left before the process ends, within half a second. */
  close(): void
}

/** Characters of lines that wait to be written; past it, new lines are dropped. */
const WAITING_MAX = 1_048_576
/** Characters that are written without waiting for the interval, and at most by one call of the system. */
const WRITE_LEAST = 4_096
const WRITE_MAX = 65_536
/** Milliseconds after which fewer are written, and after which a write that failed is followed by another. */
const INTERVAL = 200
/** How often, and every how many milliseconds, the last lines are tried while their reader is slow. */
const LAST_TRIES = 50
const LAST_PAUSE = 10
const LINE_FEED = 10

/**
 * Opens a descriptor for a log. `onRestored` gets the number of lines that were dropped since the last time, once all lines that wait are
 * written again.
 */
export function openLogFile(descriptor: number, onRestored: (dropped: number) => void): LogFile {
  const fd = unblocked(descriptor)
  const queue = createQueue()
  let isWriting = false
  let dropped = 0
  let reported = 0

  const next = (): void => {
    if (isWriting) return
    const bytes = queue.next()
    if (bytes === undefined) return
    isWriting = true
    write(fd, bytes, end)
  }
  const end = (error: NodeJS.ErrnoException | null, size: number): void => {
    isWriting = false
    if (error === null) {
      queue.written(size)
      if (queue.size() >= WRITE_LEAST) next()
      else if (queue.size() === 0) report()
    } else if (error.code !== 'EAGAIN') dropped += queue.drop()
  }
  const flush = (): void => {
    if (isWriting) return
    const fault = writeNow(fd, queue)
    if (fault === undefined) report()
    else if (fault !== 'EAGAIN') dropped += queue.drop()
  }
  const report = (): void => {
    const count = dropped - reported
    reported = dropped
    if (count > 0) onRestored(count)
  }
  const timer = setInterval(next, INTERVAL)
  timer.unref()
  return {
    write(line) {
      if (!queue.add(line)) dropped += 1
      else if (queue.size() >= WRITE_LEAST) next()
    },
    flush,
    dropped: () => dropped,
    close() {
      clearInterval(timer)
      // A thread writes these at this moment, and the end of the process waits for it.
      if (isWriting) queue.drop()
      writeLast(fd, queue)
    },
  }
}

type Queue = ReturnType<typeof createQueue>

/** The lines that wait, and of them the bytes that are written next. */
function createQueue() {
  let lines: string[] = []
  let length = 0
  let bytes = Buffer.alloc(0)
  /** Whether the file ends within a line. */
  let isTorn = false
  /** Removes lines of WRITE_MAX characters together, and at least one. */
  const take = (): string => {
    let end = 0
    let size = 0
    while (end < lines.length && (end === 0 || size + (lines[end]?.length ?? 0) <= WRITE_MAX)) {
      size += lines[end++]?.length ?? 0
    }
    const taken = lines.slice(0, end).join('')
    lines = lines.slice(end)
    length -= size
    return taken
  }
  return {
    size: () => length + bytes.length,
    /** False where there is no room. */
    add(line: string): boolean {
      if (length + line.length > WAITING_MAX) return false
      lines.push(line)
      length += line.length
      return true
    },
    next(): Buffer | undefined {
      if (bytes.length === 0 && lines.length > 0) bytes = Buffer.from(`${isTorn ? '\n' : ''}${take()}`)
      return bytes.length === 0 ? undefined : bytes
    },
    written(size: number): void {
      if (size > 0) isTorn = bytes[size - 1] !== LINE_FEED
      bytes = bytes.subarray(size)
    },
    /** Drops the bytes that were next; returns how many lines end in them. */
    drop(): number {
      const count = linesIn(bytes)
      bytes = Buffer.alloc(0)
      return count
    },
  }
}

/** Writes all that waits, in this thread; returns the code of the error that stopped it. */
function writeNow(fd: number, queue: Queue): string | undefined {
  try {
    for (let bytes = queue.next(); bytes !== undefined; bytes = queue.next()) queue.written(writeSync(fd, bytes))
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN'
  }
}

function writeLast(fd: number, queue: Queue): void {
  for (let tries = 0; tries < LAST_TRIES && writeNow(fd, queue) === 'EAGAIN'; tries += 1) pause(LAST_PAUSE)
}

/** The ends of lines in bytes. A line feed at their start ends a line that was dropped before. */
function linesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED, 1); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1
  return count
}

/** A pipe opened anew without blocking, so that a reader that does not read stops no thread; any other descriptor as it is. */
function unblocked(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return descriptor
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
