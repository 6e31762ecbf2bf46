import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { type Leaf, type RecordKind, saltOf, writeHashOfLeaf } from '../domain/log/statement.ts'
import type { TileReader } from '../domain/log/tree.ts'
import { formatEntry } from '../tlog/entry.js'
import { HASH_BYTES, TILE_WIDTH } from '../tlog/tile.js'
import type { RecordRange } from './head.ts'

/** How many records the log has, and the root of their tree: base64, empty for none. */
export type LogHead = { size: number; root: string }

/** Up to 256 leaves: a letter for the kind of each, and their commitments in base64. */
export type BundleRow = { number: number; kinds: string; commitments: string }

const LETTERS = { revision: 'r', evidence: 'e', relation: 'l', moderation: 'm', continuation: 'c' } as const
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter as string, kind as RecordKind]))

/** The kind of a leaf of a bundle; undefined past its last one. */
export const kindAt = ({ kinds }: BundleRow, at: number): RecordKind | undefined => KINDS.get(kinds.charAt(at))

/** A damaged letter is read as another kind. The root of the log then does not match. */
const kindOf = (letter: string): RecordKind => KINDS.get(letter) ?? 'continuation'

/** The bundle with a number that has these leaves. */
export const bundleOf = (number: number, leaves: readonly Leaf[]): BundleRow => ({
  number,
  kinds: leaves.map(({ kind }) => LETTERS[kind]).join(''),
  commitments: Buffer.concat(leaves.map(({ commitment }) => commitment)).toString('base64'),
})

/** The first `width` leaves of a bundle. */
export function leavesOf({ kinds, commitments }: BundleRow, width = kinds.length): Leaf[] {
  const bytes = Buffer.from(commitments, 'base64')
  return Array.from({ length: Math.min(width, kinds.length) }, (_, at) => ({
    kind: kindOf(kinds.charAt(at)),
    commitment: bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  }))
}

/** The entries of the first `width` leaves of a bundle. */
export const entriesOf = (bundle: BundleRow, width?: number): Uint8Array[] =>
  leavesOf(bundle, width).map((leaf, at) => formatEntry({ ...leaf, record: bundle.number * TILE_WIDTH + at + 1 }))

/** The concatenated hashes of the first `width` leaves of a bundle. Creates no object for each leaf: a proof reads several bundles. */
function leafHashesOf({ number, kinds, commitments }: BundleRow, width: number): Buffer {
  const bytes = Buffer.from(commitments, 'base64')
  const hashes = Buffer.alloc(Math.min(width, kinds.length) * HASH_BYTES)
  for (let at = 0; at * HASH_BYTES < hashes.length; at++) {
    const commitment = bytes.toString('base64', at * HASH_BYTES, (at + 1) * HASH_BYTES)
    writeHashOfLeaf(number * TILE_WIDTH + at + 1, kindOf(kinds.charAt(at)), commitment, hashes, at * HASH_BYTES)
  }
  return hashes
}

/** Reads tiles of the log; tiles of leaves come from their bundles. */
export const tilesOf =
  (reader: Reader): TileReader =>
  async (level, index, width) => {
    if (level > 0) {
      const tile = await findTile(reader, level, index)
      return tile === undefined ? undefined : Buffer.from(tile.hashes, 'base64').subarray(0, width * HASH_BYTES)
    }
    const bundle = await findBundle(reader, index)
    return bundle === undefined ? undefined : leafHashesOf(bundle, width)
  }

/** Up to 256 hashes of a level above 0, in base64. */
export type TileRow = { level: number; number: number; hashes: string }

/** Moves the log from one state to a later one: the bundles and tiles that change. */
export type LogStep = { storeEpoch: number; from: LogHead; to: LogHead; bundles: BundleRow[]; tiles: TileRow[] }

/**
 * A log, to which the records from `number` on belong. `size` is the size up to which it agrees with the previous log; `checkpoint` is the
 * last checkpoint of the previous log. The first epoch has number 0 and no record.
 */
export type Epoch = {
  number: number
  origin: string
  storeId: string
  /** Public keys, a line each: Ed25519 first. */
  keys: string
  secret: string
  size: number
  checkpoint: string | null
}

/** A signed note of an epoch. A `permanent` note is not deleted when there is a newer one. */
export type CheckpointRow = { size: number; epoch: number; note: string; createdAt: number; permanent: number }

export async function readLog(reader: Reader): Promise<LogHead & { storeEpoch: number }> {
  const row = await reader.one<LogHead & { storeEpoch: number }>(
    sql`SELECT size, root, history AS "storeEpoch" FROM log WHERE one = 1`,
  )
  if (row === undefined) throw new Error('The store has no row of the log.')
  return row
}

/** Moves the head of the log from one state to another by compare-and-swap; false if it is in another state. */
const advanceLog = async (tx: Transaction, storeEpoch: number, from: LogHead, to: LogHead): Promise<boolean> =>
  (await tx.run(sql`
    UPDATE log SET size = ${to.size}, root = ${to.root}
    WHERE one = 1 AND size = ${from.size} AND root = ${from.root} AND history = ${storeEpoch}`)) > 0

/** Stores the epoch of the store in which the log continues. */
export async function saveStoreEpoch(tx: Transaction, storeEpoch: number): Promise<void> {
  await tx.run(sql`UPDATE log SET history = ${storeEpoch} WHERE one = 1`)
}

export const findBundle = (reader: Reader, number: number) =>
  reader.one<BundleRow>(sql`SELECT number, kinds, commitments FROM log_bundle WHERE number = ${number}`)

async function saveBundle(tx: Transaction, { number, kinds, commitments }: BundleRow): Promise<void> {
  await tx.run(sql`
    INSERT INTO log_bundle (number, kinds, commitments) VALUES (${number}, ${kinds}, ${commitments})
    ON CONFLICT (number) DO UPDATE SET kinds = excluded.kinds, commitments = excluded.commitments`)
}

export const findTile = (reader: Reader, level: number, number: number) =>
  reader.one<TileRow>(sql`SELECT level, number, hashes FROM log_tile WHERE level = ${level} AND number = ${number}`)

async function saveTile(tx: Transaction, { level, number, hashes }: TileRow): Promise<void> {
  await tx.run(sql`
    INSERT INTO log_tile (level, number, hashes) VALUES (${level}, ${number}, ${hashes})
    ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes`)
}

/** Moves the log by a step and stores its bundles and tiles; false if the log is in another state. */
export async function growLog(tx: Transaction, { storeEpoch, from, to, bundles, tiles }: LogStep): Promise<boolean> {
  if (!(await advanceLog(tx, storeEpoch, from, to))) return false
  for (const bundle of bundles) await saveBundle(tx, bundle)
  for (const tile of tiles) await saveTile(tx, tile)
  return true
}

/** Deletes the log except its epochs and checkpoints; it is rebuilt from the records. */
export async function emptyLog(tx: Pick<Transaction, 'run'>): Promise<void> {
  await tx.run(sql`DELETE FROM log_bundle`)
  await tx.run(sql`DELETE FROM log_tile`)
  await tx.run(sql`UPDATE log SET size = 0, root = '' WHERE one = 1`)
}

/** Deletes a log that has no checkpoints, with its epochs. */
export async function forgetLog(tx: Pick<Transaction, 'run'>): Promise<void> {
  await emptyLog(tx)
  await tx.run(sql`DELETE FROM log_epoch`)
}

/** The epochs of the log, oldest first: few, since each begins with a loss or a restoration. */
export const listEpochs = (reader: Reader) =>
  reader.all<Epoch>(sql`
    SELECT number, origin, store_id AS "storeId", keys, secret, size, checkpoint FROM log_epoch ORDER BY number`)

/** The salt of a record, by the secret of the epoch that it belongs to. */
export function saltFor(epochs: readonly Epoch[], record: number): Buffer {
  const epoch = epochs.findLast(({ number }) => number <= record)
  if (epoch === undefined) throw new Error('The log has not begun.')
  return saltOf(Buffer.from(epoch.secret, 'base64'), record)
}

/** The salts of the records above one number and up to another. A mirror has the salts of the records that it shows, and no secret. */
export async function readSalts(
  reader: Reader,
  epochs: readonly Epoch[],
  { above, upTo }: RecordRange,
): Promise<(record: number) => Buffer | undefined> {
  if (epochs.length === 0) return () => undefined
  if (epochs[0]?.secret !== '') return record => saltFor(epochs, record)
  const rows = await reader.all<{ record: number; salt: string }>(sql`
    SELECT record, salt FROM mirror_salt WHERE record > ${above} AND record <= ${upTo} ORDER BY record LIMIT ${upTo - above}`)
  const salts = new Map(rows.map(({ record, salt }) => [record, Buffer.from(salt, 'base64')]))
  return record => salts.get(record)
}

export async function insertEpoch(tx: Transaction, epoch: Epoch): Promise<void> {
  await tx.run(sql`
    INSERT INTO log_epoch (number, origin, store_id, keys, secret, size, checkpoint)
    VALUES (${epoch.number}, ${epoch.origin}, ${epoch.storeId}, ${epoch.keys}, ${epoch.secret}, ${epoch.size}, ${epoch.checkpoint})`)
}

export async function renameEpoch(tx: Transaction, number: number, origin: string, keys: string): Promise<void> {
  await tx.run(sql`UPDATE log_epoch SET origin = ${origin}, keys = ${keys} WHERE number = ${number}`)
}

/** The last signed note, of any epoch. */
export const findCheckpoint = (reader: Reader) =>
  reader.one<CheckpointRow>(sql`
    SELECT size, epoch, note, created_at AS "createdAt", permanent FROM log_checkpoint ORDER BY size DESC LIMIT ${1}`)

/** All notes that are stored, oldest first: a few for each day. */
export const listCheckpoints = (reader: Reader) =>
  reader.all<CheckpointRow>(
    sql`SELECT size, epoch, note, created_at AS "createdAt", permanent FROM log_checkpoint ORDER BY size`,
  )

export async function insertCheckpoint(tx: Transaction, row: CheckpointRow): Promise<void> {
  await tx.run(sql`
    INSERT INTO log_checkpoint (size, epoch, note, created_at, permanent)
    VALUES (${row.size}, ${row.epoch}, ${row.note}, ${row.createdAt}, ${row.permanent})`)
}

/** Marks a note to be retained when there is a newer one. */
export async function keepCheckpoint(tx: Transaction, size: number): Promise<void> {
  await tx.run(sql`UPDATE log_checkpoint SET permanent = 1 WHERE size = ${size}`)
}

/** Deletes a note unless it is marked to be retained. */
export async function forgetCheckpoint(tx: Transaction, size: number): Promise<void> {
  await tx.run(sql`DELETE FROM log_checkpoint WHERE size = ${size} AND permanent = 0`)
}

/** Deletes the notes above a size: their records are lost. */
export async function forgetCheckpointsAbove(tx: Transaction, size: number): Promise<void> {
  await tx.run(sql`DELETE FROM log_checkpoint WHERE size > ${size}`)
}

/** Replaces the note of its size by one with cosignatures, and marks it to be retained. */
export const cosignCheckpoint = async (tx: Transaction, size: number, note: string): Promise<boolean> =>
  (await tx.run(sql`UPDATE log_checkpoint SET note = ${note}, permanent = 1 WHERE size = ${size}`)) > 0
