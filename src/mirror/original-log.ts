import type { CheckedLine, ExportLine } from '../contract/resources.ts'
import type { Reader } from '../engine/database.ts'
import { LruCache } from '../memory/lru-cache.ts'
import { OperatorError } from '../operator-error.ts'
import { type BundleRow, findBundle, leavesOf, listEpochs, readLog } from '../tlog/rows.ts'
import { commitmentOf, type Leaf } from '../tlog/rules/statement.ts'
import { SALT_BYTES } from '../tlog/verify/entry.js'
import { isKeyName } from '../tlog/verify/note.js'
import { TILE_WIDTH } from '../tlog/verify/tile.js'
import { membersOf, refusal } from './check.ts'
import { kindOfLine, statementOfLine } from './exported-line.ts'
import type { Continuation, MirroredLog } from './keep.ts'
import { findMirrorLog, type MirrorLog } from './rows.ts'
import {
  assertSameRoot,
  type Bytes,
  checkpointIn,
  growTo,
  Mismatch,
  type SignedCheckpoint,
  verifyKeys,
  verifyNote,
} from './signed-log.ts'
import type { Source } from './source.ts'

/**
 * Number of lines of later records after which a record without a line counts as missing. The units of work of one commit, at most 2,000 with
 * at most 10 records each, take record and sequence numbers in different orders.
 */
const AHEAD_MAX = 20_000
/** Maximum number of cached tiles of the original: 8 kB each. A tile of level 1 serves 65,536 records. */
const TILES_MAX = 256

/**
 * Lines that were compared with their leaves. `cut` is true if further lines follow that no checkpoint covers yet, `waits` if the original
 * has such records. `log` is undefined until there is a checkpoint.
 */
export type VerifiedLines = { lines: CheckedLine[]; cut: boolean; waits: boolean; log: MirroredLog | undefined }

type Answer = { lines: CheckedLine[]; head: ExportLine['head'] | null }

/** Compares the export of the original with its public log, whose checkpoints the trusted key must have signed. */
export class OriginalLog {
  readonly #reader: Reader
  readonly #source: Source
  readonly #tiles = new LruCache<string, Bytes>(TILES_MAX)
  /** The last listed keys of the original, and the checkpoint that they were requested for. */
  #listed: { origin: string; signers: string; keys: string } | undefined
  /**
   * A checkpoint that lines did not match yet. An answer of the export can be older than the checkpoint and then lacks salts; one that is
   * requested after the checkpoint has them.
   */
  #ahead: SignedCheckpoint | undefined

  constructor(reader: Reader, source: Source) {
    this.#reader = reader
    this.#source = source
  }

  /**
   * Verifies the lines of an answer, and that none is missing up to the newest row if the answer reached it. Undefined if the mirror was
   * made without the log. Throws OperatorError that names the record, and NoAnswer if the original cannot be asked.
   */
  async verify({ lines, head }: Answer): Promise<VerifiedLines | undefined> {
    const known = await findMirrorLog(this.#reader)
    if (known === undefined) return undefined
    const log = await readLog(this.#reader)
    const newest = lines.reduce((most, line) => Math.max(most, Number(line.record ?? 0)), Number(head?.record ?? 0))
    const checkpoint = await this.#checkpointFor(known, log, newest)
    const logged = checkpoint?.size ?? 0
    const end = lines.findIndex(({ record }) => Number(record ?? 0) > logged)
    const kept = end < 0 ? lines : lines.slice(0, end)
    const waiting = { lines: kept, cut: end >= 0, waits: newest > logged }
    if (checkpoint === undefined) return { ...waiting, log: undefined }
    const numbers = kept.flatMap(({ record }) => (record === undefined ? [] : [Number(record)]))
    const step = await growTo(this.#reader, this.#file, log, checkpoint, Math.max(0, ...numbers))
    await this.#assertLeaves(kept, step?.bundles ?? [], step?.to.size ?? log.size)
    const accounted = account(known, numbers)
    const last = end < 0 && head ? Math.min(Number(head.record), logged) : 0
    if (accounted.ahead.length > AHEAD_MAX || accounted.record < last) throw missing(checkpoint, accounted.record + 1)
    const { origin, size, text: note } = checkpoint
    const keys = await this.#keysOf(checkpoint, known.key)
    const continuations = kept.filter(line => line.type === 'continuation').map(line => continuationIn(line, origin))
    this.#ahead = undefined
    return { ...waiting, log: { ...accounted, note, origin, size, keys, step, continuations } }
  }

  /** The published checkpoint, if the original has added signatures to it. Throws OperatorError if the original shows another history. */
  async refreshed(): Promise<{ size: number; note: string } | undefined> {
    const known = await findMirrorLog(this.#reader)
    const log = await readLog(this.#reader)
    const before = known?.note ? checkpointIn(known.note) : undefined
    if (known === undefined || before === undefined) return undefined
    const newest = await this.#newest(known.key)
    if (newest === undefined) return undefined
    if (newest.size <= log.size) await assertSameRoot(this.#reader, this.#file, log, newest)
    const { note, text, size } = newest
    return note.text === before.note.text && text !== before.text ? { size, note: text } : undefined
  }

  readonly #file = async (path: string): Promise<Bytes> => {
    const known = this.#tiles.get(path)
    if (known !== undefined) return known
    const file = await this.#source.file(path)
    if (file === undefined) throw new OperatorError(`${this.#source.url} has no /log/${path}.`)
    if (!path.startsWith('tile/entries/')) this.#tiles.set(path, file)
    return file
  }

  /** The newest checkpoint; undefined until the original has signed one. */
  async #newest(key: string): Promise<SignedCheckpoint | undefined> {
    const bytes = await this.#source.file('checkpoint')
    return bytes === undefined ? undefined : verifyNote(this.#source.url, bytes, key)
  }

  /**
   * The checkpoint to compare lines with, up to a record. The known one is used until its last leaf is stored; the next must continue it.
   */
  async #checkpointFor(known: MirrorLog, log: { size: number }, newest: number): Promise<SignedCheckpoint | undefined> {
    const before = known.note === null ? undefined : checkpointIn(known.note)
    if (before !== undefined && (log.size < before.size || newest <= before.size)) return before
    const next = this.#ahead ?? (await this.#newest(known.key))
    this.#ahead = next
    if (before === undefined || next === undefined || next.size > before.size) return next ?? before
    await assertSameRoot(this.#reader, this.#file, log, next)
    return before
  }

  /** The keys of a log. They are read once, and again if another key signs. */
  async #keysOf({ origin, note }: SignedCheckpoint, trusted: string): Promise<string> {
    const signers = note.signatures.map(({ name, id }) => `${name}+${id}`).join('\n')
    if (this.#listed?.origin === origin && this.#listed.signers === signers) return this.#listed.keys
    const last = (await listEpochs(this.#reader)).at(-1)
    const isKnown = last?.origin === origin && signers.split('\n').every(signer => last.keys.includes(`${signer}+`))
    const { url } = this.#source
    const keys = isKnown ? last.keys : await this.#readKeys(url, origin, trusted)
    this.#listed = { origin, signers, keys }
    return keys
  }

  async #readKeys(url: string, origin: string, trusted: string): Promise<string> {
    const bytes = await this.#source.file('keys')
    if (bytes === undefined) throw new OperatorError(`${url} has no /log/keys, and a checkpoint.`)
    return verifyKeys(url, bytes, origin, trusted)
  }

  /** Throws OperatorError unless each line matches its leaf. The leaves of `bundles` are not stored yet. */
  async #assertLeaves(lines: readonly CheckedLine[], bundles: readonly BundleRow[], size: number): Promise<void> {
    const known = new Map(bundles.map(bundle => [bundle.number, leavesOf(bundle)]))
    const leafOf = async (record: number): Promise<Leaf> => {
      const number = Math.floor((record - 1) / TILE_WIDTH)
      const stored = known.has(number) ? undefined : await findBundle(this.#reader, number)
      if (stored !== undefined) known.set(number, leavesOf(stored))
      const leaf = known.get(number)?.[(record - 1) % TILE_WIDTH]
      if (leaf === undefined) throw new Error(`The mirror lacks the leaf of record ${record}.`)
      return leaf
    }
    for (const line of lines) {
      if (line.record === undefined) continue
      const fault = faultOf(line, await leafOf(Number(line.record))) ?? (await faultOfAct(line, size, leafOf))
      if (fault !== undefined) throw refusedLine(line, fault)
    }
  }
}

const refusedLine = (line: CheckedLine, fault: string): Mismatch =>
  new Mismatch(`${refusal(line, fault).message} Run "palimpsest check --log" at the original.`)

const missing = ({ origin }: SignedCheckpoint, record: number): Mismatch =>
  new Mismatch(
    `Record ${record} is in the public log ${origin}, and the export has no line for it; nothing of this answer was kept. Run "palimpsest check --log" at the original.`,
  )

/** The difference between a line and its leaf; undefined if there is none. */
function faultOf(line: CheckedLine, leaf: Leaf): string | undefined {
  const kind = kindOfLine(line)
  if (kind !== leaf.kind) return `is a line of a ${kind}, and its leaf in the public log is of a ${leaf.kind}`
  const statement = statementOfLine(line)
  const given = Buffer.from((statement === undefined ? line.commitment : line.salt) ?? '', 'base64')
  if (statement === undefined && line.commitment === undefined) return 'lacks commitment'
  if (statement !== undefined && given.length !== SALT_BYTES) return 'lacks the salt of its leaf'
  const commitment = statement === undefined ? given : commitmentOf(given, statement)
  return commitment.equals(leaf.commitment) ? undefined : `(${kind}) does not match its leaf in the public log`
}

/** The fault of the act that withdraws a record; undefined if there is none. An act that is not in the log yet is compared later. */
async function faultOfAct(
  { type, moderation }: CheckedLine,
  size: number,
  leafOf: (record: number) => Promise<Leaf>,
): Promise<string | undefined> {
  if (type !== 'withdrawn') return undefined
  if (moderation === undefined) return 'is withdrawn by no act of moderation'
  const act = Number(moderation)
  const found = act >= 1 && act <= size ? (await leafOf(act)).kind : 'moderation'
  return found === 'moderation' ? undefined : `is withdrawn by record ${act}, which is a ${found}`
}

/** The records that these numbers account for. */
function account(known: MirrorLog, numbers: readonly number[]): Pick<MirrorLog, 'record' | 'ahead'> {
  let { record } = known
  const ahead = new Set([...known.ahead, ...numbers])
  while (ahead.has(record + 1)) record++
  return { record, ahead: [...ahead].filter(number => number > record).sort((a, b) => a - b) }
}

/**
 * Parses the record with which the log of `origin` continues another log. Its leaf matches it, but the original may have signed any text.
 */
export function continuationIn(line: CheckedLine<'continuation'>, origin: string): Continuation {
  const { previousOrigin, size, checkpoint } = membersOf(line.statement)
  const fits = typeof previousOrigin === 'string' && isKeyName(previousOrigin) && previousOrigin !== origin
  if (!fits || !Number.isSafeInteger(size) || typeof checkpoint !== 'string')
    throw refusal(line, 'names no log that it continues')
  return { record: Number(line.record), previousOrigin, size: size as number, checkpoint }
}
