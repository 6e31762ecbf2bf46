import { closeSync, constants, fstatSync, openSync, readlinkSync, write, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { blockThread } from '../engine/database.ts'
import { errorCode } from '../operator-error.ts'
import { visible } from './people/output.ts'

/** The maximum of waiting characters. Further lines are dropped. */
const WAITING_MAX = 1_048_576
/** With this many waiting characters the interval is skipped. It is also the maximum of one system call. */
const WRITE_LEAST = 4_096
const WRITE_MAX = 65_536
/** The interval in milliseconds after which fewer characters are written, and after which a failed write is repeated. */
const WRITE_INTERVAL_MS = 200
/** The number of attempts to write the last lines to a slow reader, and their interval in milliseconds. */
const LAST_TRIES = 50
const LAST_RETRY_MS = 10
/** How long the end waits for a thread that writes lines, in milliseconds: on a busy machine it may run late. */
const THREAD_TIMEOUT_MS = 5_000
const LINE_FEED = 10

const STANDARD_ERROR = 2

/** The target of log lines. It never blocks. It drops and counts the lines that it cannot accept. */
export class LogFile {
  static readonly #open = new Set<LogFile>()
  #fd: number
  /** The path of the file at the start; undefined if the lines go elsewhere. */
  readonly #path: string | undefined
  /** A descriptor of a renamed file, which is closed once no thread writes to it. */
  #renamed: number | undefined
  readonly #queue = new LineQueue()
  readonly #onRestored: (dropped: number) => void
  /** Runs only while lines wait. */
  readonly #timer: NodeJS.Timeout
  #isWriting = false
  #dropped = 0
  #reported = 0
  #onIdle: (() => void) | undefined

  /** Calls `onRestored` when all waiting lines are written again, with the number of lines that were dropped since its last call. */
  constructor(descriptor: number, onRestored: (dropped: number) => void) {
    this.#fd = unblocked(descriptor)
    this.#path = pathOf(descriptor)
    LogFile.#open.add(this)
    this.#onRestored = onRestored
    this.#timer = setTimeout(() => this.#next(), WRITE_INTERVAL_MS).unref()
  }

  /** Writes one line, which ends with a line feed. */
  write(line: string): void {
    if (this.#queue.size() === 0) this.#timer.refresh()
    if (!this.#queue.add(line)) this.#dropped += 1
    else if (this.#queue.size() >= WRITE_LEAST) this.#next()
  }

  /** Writes the waiting lines at once, as far as the descriptor accepts them. */
  flush(): void {
    if (this.#isWriting) return
    const fault = writeNow(this.#fd, this.#queue)
    if (fault === undefined) this.#report()
    else if (fault !== 'EAGAIN') this.#dropped += this.#queue.drop()
  }

  /**
   * Opens the files of all logs of the process again by their paths, after a program has renamed them. Returns false if the lines go to no
   * file. Throws the error of the system; then the earlier file gets all lines.
   */
  static reopenAll(): boolean {
    return [...LogFile.#open].map(file => file.#reopen()).includes(true)
  }

  #reopen(): boolean {
    if (this.#path === undefined) return false
    const before = this.#fd
    this.#fd = openSync(this.#path, 'a')
    if (before !== STANDARD_ERROR) this.#renamed = before
    if (!this.#isWriting) this.#closeRenamed()
    return true
  }

  #closeRenamed(): void {
    if (this.#renamed !== undefined) closeSync(this.#renamed)
    this.#renamed = undefined
  }

  /** The number of dropped lines. */
  dropped(): number {
    return this.#dropped
  }

  /** Writes all waiting lines and then the last one, if there is one, and calls back. Waits up to 5 s for a thread that still writes lines. */
  end(last: string | undefined, done: () => void): void {
    const finish = (): void => {
      if (last !== undefined) this.#queue.add(`${last}\n`)
      this.close()
      done()
    }
    if (this.#isWriting) {
      this.#onIdle = finish
      setTimeout(finish, THREAD_TIMEOUT_MS)
    } else finish()
  }

  /** Writes the waiting lines before the process ends, within half a second. */
  close(): void {
    clearTimeout(this.#timer)
    LogFile.#open.delete(this)
    // A thread is writing these lines, and the process waits for it before it ends.
    if (this.#isWriting) this.#queue.drop()
    writeLast(this.#fd, this.#queue)
  }

  /** Lets a thread write the next lines. */
  #next(): void {
    if (this.#isWriting) return
    const bytes = this.#queue.next()
    if (bytes === undefined) return
    this.#isWriting = true
    write(this.#fd, bytes, (error, size) => this.#written(error, size))
  }

  #written(error: NodeJS.ErrnoException | null, size: number): void {
    this.#isWriting = false
    this.#closeRenamed()
    if (error === null) {
      this.#queue.written(size)
      if (this.#queue.size() >= WRITE_LEAST) this.#next()
      else if (this.#queue.size() === 0) this.#report()
    } else if (error.code !== 'EAGAIN') this.#dropped += this.#queue.drop()
    if (this.#queue.size() > 0) this.#timer.refresh()
    if (!this.#isWriting) this.#onIdle?.()
  }

  #report(): void {
    const count = this.#dropped - this.#reported
    this.#reported = this.#dropped
    if (count > 0) this.#onRestored(count)
  }
}

/** The waiting lines, and the bytes of them that are written next. */
class LineQueue {
  #lines: string[] = []
  /** The characters of the lines. */
  #length = 0
  #bytes = Buffer.alloc(0)
  /** Whether the file ends within a line. */
  #isTorn = false

  size(): number {
    return this.#length + this.#bytes.length
  }

  /** Returns false if there is no room. */
  add(line: string): boolean {
    if (this.#length + line.length > WAITING_MAX) return false
    this.#lines.push(line)
    this.#length += line.length
    return true
  }

  next(): Buffer | undefined {
    if (this.#bytes.length === 0 && this.#lines.length > 0) {
      this.#bytes = Buffer.from(`${this.#isTorn ? '\n' : ''}${this.#take()}`)
    }
    return this.#bytes.length === 0 ? undefined : this.#bytes
  }

  written(size: number): void {
    if (size > 0) this.#isTorn = this.#bytes[size - 1] !== LINE_FEED
    this.#bytes = this.#bytes.subarray(size)
  }

  /** Drops the next bytes and returns the number of lines that end in them. */
  drop(): number {
    const count = linesIn(this.#bytes)
    this.#bytes = Buffer.alloc(0)
    return count
  }

  /** Removes lines of WRITE_MAX characters in total, at least one. */
  #take(): string {
    let end = 0
    let size = 0
    for (const { length } of this.#lines) {
      if (end > 0 && size + length > WRITE_MAX) break
      size += length
      end++
    }
    const taken = this.#lines.slice(0, end).join('')
    this.#lines = this.#lines.slice(end)
    this.#length -= size
    return taken
  }
}

/** Writes all waiting lines in this thread. Returns the code of the error that stopped it. */
function writeNow(fd: number, queue: LineQueue): string | undefined {
  try {
    for (let bytes = queue.next(); bytes !== undefined; bytes = queue.next()) queue.written(writeSync(fd, bytes))
    return undefined
  } catch (error) {
    return errorCode(error) ?? 'UNKNOWN'
  }
}

function writeLast(fd: number, queue: LineQueue): void {
  for (let tries = 0; tries < LAST_TRIES && writeNow(fd, queue) === 'EAGAIN'; tries += 1) blockThread(LAST_RETRY_MS)
}

/** The number of line ends in bytes. A line feed at their start ends a line that was dropped earlier. */
function linesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED, 1); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1
  return count
}

/** Reopens a pipe in non-blocking mode, so that a reader that does not read blocks no thread. Returns other descriptors unchanged. */
function unblocked(descriptor: number): number {
  try {
    if (!fstatSync(descriptor).isFIFO()) return descriptor
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return descriptor
  }
}

/** The path of a regular file; undefined for a terminal, a pipe or a socket, or if the sandbox hides the path. */
function pathOf(descriptor: number): string | undefined {
  try {
    return fstatSync(descriptor).isFile() ? readlinkSync(`/proc/self/fd/${descriptor}`) : undefined
  } catch {
    return undefined
  }
}

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
