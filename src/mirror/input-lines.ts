import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { OperatorError, systemFault } from '../operator-error.ts'

const LINE_BYTES_MAX = 1_048_576
const NEWLINE = 10

/** One line of the input, and the number of bytes of the input up to its end. */
export type Line = { number: number; bytes: Buffer; read: number }
export type Input = {
  lines: AsyncIterable<Line>
  /** The size in bytes, if the input is a file. */
  size: number | undefined
  /** Makes the next line throw, also while it is awaited. */
  stop(): void
}

/** Opens a file, or standard input if it is named -, as the lines that a command reads. */
export function openLines(from: string, stdin: NodeJS.ReadableStream, command: string): Input {
  if (from === '-') return inputOf(stdin as Readable, undefined, command)
  try {
    const stats = statSync(from)
    if (stats.isDirectory()) throw new Error('it is a directory')
    return inputOf(createReadStream(from), stats.isFile() ? stats.size : undefined, command)
  } catch (error) {
    throw new OperatorError(`${from} cannot be read (${systemFault(error)}); name a file of lines of JSON.`)
  }
}

const inputOf = (stream: Readable, size: number | undefined, command: string): Input => ({
  lines: linesOf(stream),
  size,
  stop: () => stream.destroy(new OperatorError(`The ${command} was stopped.`)),
})

/** Splits bytes at newlines. Blank lines are counted and skipped. Uses the memory of one line and one chunk. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const line = new PartialLine()
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end))
      start = end + 1
      const whole = line.end(1)
      if (!isBlank(whole.bytes)) yield whole
    }
    line.add(chunk.subarray(start))
  }
  const last = line.end(0)
  if (!isBlank(last.bytes)) yield last
}

/** The bytes of the line that is being read. */
class PartialLine {
  #parts: Buffer[] = []
  #length = 0
  #number = 1
  /** The number of bytes of the input so far. */
  #read = 0

  add(part: Buffer): void {
    this.#read += part.length
    this.#length += part.length
    if (this.#length > LINE_BYTES_MAX) {
      throw new OperatorError(`line ${this.#number}: it is longer than ${LINE_BYTES_MAX} bytes`)
    }
    if (part.length > 0) this.#parts.push(part)
  }

  /** Ends the line after a newline of some bytes, and begins the next one. */
  end(newlineBytes: number): Line {
    this.#read += newlineBytes
    const line = { number: this.#number, bytes: Buffer.concat(this.#parts), read: this.#read }
    this.#parts = []
    this.#length = 0
    this.#number += 1
    return line
  }
}

const SPACES = new Set([9, 13, 32])
const isBlank = (bytes: Buffer): boolean => bytes.every(byte => SPACES.has(byte))
