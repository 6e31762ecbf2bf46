import type { CheckedLine } from '../contract/resources.ts'
import type { Reader } from '../engine/database.ts'
import { OperatorError } from '../operator-error.ts'
import { stepOf } from '../tlog/extend.ts'
import { readLog } from '../tlog/rows.ts'
import type { Leaf } from '../tlog/rules/statement.ts'
import { membersOf } from './check.ts'
import { leafOfLine } from './exported-line.ts'
import type { Line } from './input-lines.ts'
import type { MirroredLog } from './keep.ts'
import { continuationIn } from './original-log.ts'
import { ANSWER_MAX, assertKnownFormat } from './source.ts'

/** How the last line of an answer begins. */
const END = Buffer.from('{"type":"end"')

/** One answer of the export in a dump: its lines, and the number of bytes of the dump up to its end. */
type DumpedAnswer = { texts: readonly Buffer[]; read: number }

/** The answers that a dump consists of. Throws OperatorError if it is not a dump, or ends within an answer. */
export async function* answersOf(lines: AsyncIterable<Line>): AsyncGenerator<DumpedAnswer> {
  let texts: Buffer[] = []
  let size = 0
  let first = true
  for await (const { bytes, read } of lines) {
    if (first) {
      assertFormat(bytes)
      first = false
      continue
    }
    texts.push(bytes)
    size += bytes.length
    if (size > ANSWER_MAX) throw new OperatorError(`An answer of the file is longer than ${ANSWER_MAX} bytes.`)
    if (!bytes.subarray(0, END.length).equals(END)) continue
    yield { texts, read }
    texts = []
    size = 0
  }
  if (texts.length > 0) throw incomplete()
}

export const incomplete = (): OperatorError =>
  new OperatorError('The file is incomplete: it does not end with the newest row; export the store again.')

/** Throws OperatorError unless the first line of a file names the format that this version reads. */
function assertFormat(bytes: Buffer): void {
  const { type, format } = membersOf(bytes.toString('utf8'))
  if (type !== 'export') {
    throw new OperatorError(
      'The file does not begin with the line of an export that names its format; write it with "palimpsest export", or read records of your own with "palimpsest load".',
    )
  }
  assertKnownFormat('The file', format)
}

/** The name of the log of a dump if no key names it. */
const UNKNOWN = 'unknown'

/** The public log of a dump: the leaves that its lines result in. No checkpoint was compared with them. */
export class DumpLog {
  readonly #reader: Reader
  readonly #origin: string
  readonly #keys: string
  /** Leaves that follow a record whose line was not read yet. */
  readonly #ahead = new Map<number, Leaf>()
  #begun = false

  /** `key` is the verifier key of the log, if the operator named it. */
  constructor(reader: Reader, key: { name: string; text: string } | undefined) {
    this.#reader = reader
    this.#origin = key?.name ?? UNKNOWN
    this.#keys = key === undefined ? '' : `${key.text}\n`
  }

  /** The leaves of an answer, after those that are stored; undefined if the exported store had no log. Lines may be repeated. */
  async grow(lines: readonly CheckedLine[]): Promise<MirroredLog | undefined> {
    const log = await readLog(this.#reader)
    for (const line of lines) {
      const leaf = leafOfLine(line)
      if (leaf === undefined) continue
      this.#begun = true
      if (Number(line.record) > log.size) this.#ahead.set(Number(line.record), leaf)
    }
    if (!this.#begun) return undefined
    const leaves: Leaf[] = []
    for (let next = log.size + 1; ; next++) {
      const leaf = this.#ahead.get(next)
      if (leaf === undefined) break
      leaves.push(leaf)
      this.#ahead.delete(next)
    }
    return {
      step: leaves.length === 0 ? undefined : await stepOf(this.#reader, log, leaves),
      continuations: lines.filter(line => line.type === 'continuation').map(line => continuationIn(line, this.#origin)),
      ...{ origin: this.#origin, keys: this.#keys, note: '', size: 0, record: 0, ahead: [] },
    }
  }
}
