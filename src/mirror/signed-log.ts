import { RECORD_KINDS } from '../contract/vocabulary.ts'
import type { Reader } from '../engine/database.ts'
import { OperatorError } from '../operator-error.ts'
import { stepOf } from '../tlog/extend.ts'
import { type LogStep, type readLog, tilesOf } from '../tlog/rows.ts'
import { verifyWithNode } from '../tlog/rules/signer.ts'
import type { Leaf } from '../tlog/rules/statement.ts'
import { proveConsistency, rootOf, type TileReader } from '../tlog/rules/tree.ts'
import { fromUtf8, MalformedError, sameBytes } from '../tlog/verify/bytes.js'
import { parseBundle, parseEntry } from '../tlog/verify/entry.js'
import { type Checkpoint, type Note, parseCheckpoint, parseNote } from '../tlog/verify/note.js'
import { formatVerifierKey, parseVerifierKey, renameKey, verifySignatures } from '../tlog/verify/signature.js'
import { HASH_BYTES, TILE_WIDTH, tilePath, tileWidth } from '../tlog/verify/tile.js'
import { verifyConsistency } from '../tlog/verify/tree.js'

export type Bytes = Uint8Array<ArrayBuffer>
/** A checkpoint that the trusted key signed. */
export type SignedCheckpoint = Checkpoint & { text: string; note: Note }

/** An answer of the original contradicts its signed log. Moderation between two of its reads may do that once. */
export class Mismatch extends OperatorError {}

/** The original signed a history that does not continue the one that the mirror verified. `note` is the checkpoint that proves it. */
export class Forked extends OperatorError {
  readonly note: string

  constructor({ origin, size, text }: SignedCheckpoint, stored: number, record: number | undefined) {
    const named = record === undefined ? '' : `: record ${record} is another one`
    super(
      `FORK: the checkpoint of ${origin} at ${size} records does not continue the ${stored} records of the log that this mirror verified${named}. Nothing of it was stored. Keep this directory, whose file log-fork has that checkpoint, ask the operator of the original, and make a new mirror in an empty directory.`,
    )
    this.note = text
  }
}

/** Verifier keys that a log may list. */
const KEYS_MAX = 64

/** Calls `read`. Converts a parse error to a sentence about `what`. */
async function wellFormed<T>(what: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof MalformedError) throw new OperatorError(`${what} cannot be read: ${error.message}`)
    throw error
  }
}

/** The checkpoint in a note. */
export function checkpointIn(text: string): SignedCheckpoint {
  const note = parseNote(text)
  return { text, note, ...parseCheckpoint(note.text) }
}

/** Verifies that the trusted key signed a checkpoint, of any origin. Throws OperatorError. */
export function verifyNote(url: string, bytes: Bytes, trusted: string): Promise<SignedCheckpoint> {
  return wellFormed(`The checkpoint of ${url}`, async () => {
    const checkpoint = checkpointIn(fromUtf8(bytes))
    const { note, origin } = checkpoint
    const key = await renameKey(await parseVerifierKey(trusted), origin)
    const { good } = await verifySignatures(note, [key], verifyWithNode)
    if (good.length > 0) return checkpoint
    throw new OperatorError(
      `The checkpoint of ${origin} is not signed by the key that this mirror trusts, ${trusted}; if the operator of ${url} confirms another key, name it with --key.`,
    )
  })
}

/** The verifier keys that a log lists, one per line. The trusted key must be among them, under the origin. Throws OperatorError. */
export function verifyKeys(url: string, bytes: Bytes, origin: string, trusted: string): Promise<string> {
  return wellFormed(`The keys of ${url}`, async () => {
    const lines = fromUtf8(bytes).trimEnd().split('\n').slice(0, KEYS_MAX)
    await Promise.all(lines.map(parseVerifierKey))
    const own = formatVerifierKey(await renameKey(await parseVerifierKey(trusted), origin))
    if (lines.includes(own)) return lines.map(line => `${line}\n`).join('')
    throw new OperatorError(`${url}/log/keys does not list ${own}, which signs its log.`)
  })
}

/** Reads files of the original's log by their path. */
export type ReadFile = (path: string) => Promise<Bytes>

const tilesAt =
  (file: ReadFile): TileReader =>
  async (level, index, width) => {
    const path = tilePath({ level, index, width })
    const hashes = await file(path)
    if (hashes.length === width * HASH_BYTES) return hashes
    throw new OperatorError(
      `The original answers /log/${path} with ${hashes.length} bytes, and not ${width * HASH_BYTES}.`,
    )
  }

/**
 * Extends the stored log by the entries of the original, up to `upTo` and the end of its bundle, and verifies that the checkpoint begins with
 * the stored and the new entries. Throws OperatorError otherwise.
 */
export async function growTo(
  reader: Reader,
  file: ReadFile,
  log: Awaited<ReturnType<typeof readLog>>,
  checkpoint: SignedCheckpoint,
  upTo: number,
): Promise<LogStep | undefined> {
  const { origin, size: signed, root } = checkpoint
  const size = Math.min(signed, Math.ceil(upTo / TILE_WIDTH) * TILE_WIDTH)
  if (size <= log.size) return undefined
  const leaves: Leaf[] = []
  for (let start = log.size - (log.size % TILE_WIDTH); start < size; start += TILE_WIDTH) {
    const width = Math.min(TILE_WIDTH, signed - start)
    const path = tilePath({ level: 'entries', index: start / TILE_WIDTH, width })
    const bundle = await wellFormed(`${origin} ${path}`, async () => leavesIn(await file(path), start, width))
    leaves.push(...bundle.slice(Math.max(0, log.size - start), size - start))
  }
  const step = await stepOf(reader, log, leaves)
  const reached = { size, root: Uint8Array.from(Buffer.from(step.to.root, 'base64')) }
  const proof = size === signed ? [] : await proveConsistency(size, signed, tilesAt(file))
  const continues =
    size === signed ? sameBytes(reached.root, root) : await verifyConsistency(reached, checkpoint, ownBytes(proof))
  if (continues) return step
  const differs = log.size === 0 ? undefined : await firstDifference(log.size, tilesOf(reader), tilesAt(file))
  if (differs !== undefined) throw new Forked(checkpoint, log.size, differs)
  throw new Mismatch(
    `The entries of the records ${log.size + 1} to ${size} of ${origin} are not those of the checkpoint that it signed at ${signed}; nothing of them was stored. Its operator must repair the log.`,
  )
}

const ownBytes = (hashes: readonly Uint8Array[]): Bytes[] => hashes.map(hash => Uint8Array.from(hash))

/** The leaves of a bundle. Throws MalformedError if one belongs to another record than its position. */
function leavesIn(bundle: Bytes, start: number, width: number): Leaf[] {
  return parseBundle(bundle, width).map((bytes, at) => {
    const { record, kind: named, commitment } = parseEntry(bytes)
    if (record !== start + at + 1) throw new MalformedError(`Leaf ${start + at} is of record ${record}.`)
    const kind = RECORD_KINDS.find(known => known === named)
    if (kind === undefined)
      throw new MalformedError(`Record ${record} is a ${named}, which this version does not know.`)
    return { kind, commitment: Buffer.from(commitment) }
  })
}

/** Throws OperatorError unless a checkpoint that is at most as large as the stored log has the same root. */
export async function assertSameRoot(
  reader: Reader,
  file: ReadFile,
  log: { size: number },
  checkpoint: SignedCheckpoint,
): Promise<void> {
  const { size, root } = checkpoint
  if (sameBytes(Uint8Array.from(await rootOf(size, tilesOf(reader))), root)) return
  throw new Forked(checkpoint, log.size, await firstDifference(size, tilesOf(reader), tilesAt(file)))
}

/** The first record that differs in two logs of a size, found from the root downwards; undefined if their tiles are the same. */
async function firstDifference(size: number, own: TileReader, other: TileReader): Promise<number | undefined> {
  let level = 0
  while (TILE_WIDTH ** (level + 1) < size) level++
  let index = 0
  for (; level >= 0; level--) {
    const width = tileWidth(level, index, size)
    const [one, two] = width === 0 ? [] : await Promise.all([own(level, index, width), other(level, index, width)])
    let at = 0
    while (at < width && sameAt(one, two, at)) at++
    // The subtree after the complete ones is in a tile of its own, one level below.
    index = index * TILE_WIDTH + at
    if (level === 0) return at < width ? index + 1 : undefined
  }
  return undefined
}

function sameAt(one: Uint8Array | undefined, two: Uint8Array | undefined, at: number): boolean {
  if (one === undefined || two === undefined) return false
  const part = [at * HASH_BYTES, (at + 1) * HASH_BYTES] as const
  return sameBytes(one.subarray(...part), two.subarray(...part))
}
