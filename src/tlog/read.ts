import { Problem } from '../contract/problem.ts'
import type { LogRecord } from '../contract/resources.ts'
import type { Reader } from '../engine/database.ts'
import { LruCache } from '../memory/lru-cache.ts'
import type { ReadOperation, Reads } from '../memory/operation.ts'
import * as store from './rows.ts'
import { findLogged, type LoggedRecord } from './rows.ts'
import { proveInclusion, type TileReader } from './rules/tree.ts'
import { formatBundle } from './verify/entry.js'
import { HASH_BYTES, parseTilePath, TILE_WIDTH, tileWidth } from './verify/tile.js'
import { formatProof } from './verify/tree.js'

/** Maximum number of cached tiles, each with its nodes: 16 kB. A tile of level 1 serves the proofs of 65,536 records. */
const TILES_MAX = 128
const tilesOfReaders = new WeakMap<Reader, LruCache<string, Uint8Array>>()

/** Reads tiles of the log of an epoch, which never change. All are cached except full tiles of leaves. */
function tilesFor(reader: Reader, epoch: number): TileReader {
  const known = tilesOfReaders.get(reader) ?? new LruCache(TILES_MAX)
  tilesOfReaders.set(reader, known)
  const read = store.tilesOf(reader)
  return async (level, index, width) => {
    if (level === 0 && width === TILE_WIDTH) return read(level, index, width)
    const key = `${epoch}/${level}/${index}/${width}`
    const hashes = known.get(key) ?? (await read(level, index, width))
    if (hashes !== undefined && hashes.length === width * HASH_BYTES) known.set(key, hashes)
    return hashes
  }
}

export type LogReads = Pick<Reads, 'reader' | 'persistCheckpoint'>

type Published = { checkpoint: store.CheckpointRow; epochs: store.Epoch[] }

/** The state of the log of the newest published checkpoint. Throws NOT_IN_LOG if there is none. */
async function readPublished(reader: Reader): Promise<Published> {
  const [checkpoint, epochs] = await Promise.all([store.findCheckpoint(reader), store.listEpochs(reader)])
  if (checkpoint === undefined || checkpoint.epoch !== epochs.at(-1)?.number) throw new Problem('NOT_IN_LOG')
  return { checkpoint, epochs }
}

function assertIn(record: number, size: number): void {
  if (record < 1 || record > size) throw new Problem('NOT_IN_LOG')
}

/** The content of a record in the log: its kind, and if it is public also the statement and the salt. */
async function findRecord(
  reader: Reader,
  { checkpoint, epochs }: Published,
  record: number,
): Promise<{ kind: LogRecord['kind']; stated: (LoggedRecord & { salt: Buffer }) | undefined }> {
  assertIn(record, checkpoint.size)
  const bundle = await store.findBundle(reader, Math.floor((record - 1) / TILE_WIDTH))
  const kind = bundle === undefined ? undefined : store.kindAt(bundle, (record - 1) % TILE_WIDTH)
  if (kind === undefined) throw new Problem('NOT_IN_LOG')
  if (kind === 'moderation') return { kind, stated: undefined }
  const [found, saltOf] = await Promise.all([
    findLogged(reader, epochs, kind, record),
    store.readSalts(reader, { above: record - 1, upTo: record }),
  ])
  const salt = found?.open ? saltOf(record) : undefined
  return { kind, stated: found === undefined || salt === undefined ? undefined : { ...found, salt } }
}

/** Reads a record of the log. A withdrawn record and an act of moderation have only their number and kind. */
export const readLogRecord: ReadOperation<'readLogRecord'> = async ({ reader }, { params }) => {
  const record = Number(params.record)
  const { kind, stated } = await findRecord(reader, await readPublished(reader), record)
  const body: LogRecord = { record: String(record), kind }
  if (stated === undefined) return { body }
  return { body: { ...body, salt: stated.salt.toString('base64'), statement: stated.statement } }
}

/** Returns the proof that a record is in the log of the newest checkpoint. `extra` has its salt and statement if they are public. */
export const readLogProof: ReadOperation<'readLogProof'> = async (reads, { params }) => {
  const { reader } = reads
  const record = Number(params.record)
  const published = await readPublished(reader)
  const { size, epoch, note: checkpoint } = published.checkpoint
  assertIn(record, size)
  const [{ stated }, hashes] = await Promise.all([
    findRecord(reader, published, record),
    proveInclusion(record - 1, size, tilesFor(reader, epoch)),
    reads.persistCheckpoint(checkpoint),
  ])
  const extra = stated === undefined ? undefined : Buffer.concat([stated.salt, Buffer.from(stated.statement)])
  const proof = formatProof({
    index: record - 1,
    hashes: hashes.map(hash => Uint8Array.from(hash)),
    checkpoint,
    ...(extra === undefined ? {} : { extra: Uint8Array.from(extra) }),
  })
  return { body: {}, pieces: once(proof) }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

/** The newest checkpoint as a signed note. */
export async function readCheckpoint(reads: LogReads): Promise<string> {
  const { note } = (await readPublished(reads.reader)).checkpoint
  await reads.persistCheckpoint(note)
  return note
}

/** The public keys of the current log, one per line. */
export async function readLogKeys({ reader }: LogReads): Promise<string> {
  const epoch = (await store.listEpochs(reader)).at(-1)
  if (epoch === undefined) throw new Problem('NOT_IN_LOG')
  return epoch.keys
}

/**
 * The bytes of a tile or of a bundle of entries, by its path below /log/. Throws NOT_IN_LOG past the newest checkpoint and for any other
 * path.
 */
export async function readTile({ reader }: LogReads, path: string): Promise<Buffer> {
  const { level, index, width } = tileAt(path)
  const height = level === 'entries' ? 0 : level
  const { checkpoint } = await readPublished(reader)
  if (tileWidth(height, index, checkpoint.size) < width) throw new Problem('NOT_IN_LOG')
  if (level === 'entries') {
    const bundle = await store.findBundle(reader, index)
    if (bundle === undefined) throw new Problem('NOT_IN_LOG')
    return Buffer.from(formatBundle(store.entriesOf(bundle, width)))
  }
  const tile = await store.tilesOf(reader)(height, index, width)
  if (tile === undefined) throw new Problem('NOT_IN_LOG')
  return Buffer.from(tile)
}

function tileAt(path: string): ReturnType<typeof parseTilePath> {
  try {
    return parseTilePath(path)
  } catch {
    throw new Problem('NOT_IN_LOG')
  }
}
