import type { DataClass } from '../contract/vocabulary.ts'
import { type Reader, type Sql, sql, type Transaction } from '../engine/database.ts'
import { observedOf } from '../memory/evidence/rows.ts'
import type { RecordRange } from '../memory/head-rows.ts'
import { isoTime } from '../memory/values.ts'
import { type Facts, type Leaf, type RecordKind, statementOf, writeHashOfLeaf } from './rules/statement.ts'
import type { TileReader } from './rules/tree.ts'
import { formatEntry } from './verify/entry.js'
import { HASH_BYTES, TILE_WIDTH } from './verify/tile.js'

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
type TileRow = { level: number; number: number; hashes: string }

/** The salt of a record, in base64. */
export type SaltRow = { record: number; salt: string }

/** Moves the log from one state to a later one: the bundles and tiles that change, and the salts of its new records. */
export type LogStep = {
  storeEpoch: number
  from: LogHead
  to: LogHead
  bundles: BundleRow[]
  tiles: TileRow[]
  salts: SaltRow[]
  /** How many of the new records were erased when the step was computed. */
  erased: number
}

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

/** Moves the log by a step and stores its bundles, tiles and salts; false if the log is in another state. */
export async function growLog(tx: Transaction, step: LogStep): Promise<boolean> {
  const { storeEpoch, from, to, bundles, tiles, salts } = step
  if (!(await advanceLog(tx, storeEpoch, from, to))) return false
  for (let at = 0; at < salts.length; at += SALTS_AT_ONCE) await insertSalts(tx, salts.slice(at, at + SALTS_AT_ONCE))
  for (const bundle of bundles) await saveBundle(tx, bundle)
  for (const tile of tiles) await saveTile(tx, tile)
  return true
}

/** Salts that one statement inserts. */
const SALTS_AT_ONCE = 64

async function insertSalts(tx: Transaction, salts: readonly SaltRow[]): Promise<void> {
  const rows = salts.map(({ record, salt }) => sql`(CAST(${record} AS BIGINT), ${salt})`)
  const all = rows.reduce((before, row) => sql`${before}, ${row}`)
  await tx.run(sql`INSERT INTO salt (record, salt) VALUES ${all}`)
}

/** Deletes the log except its epochs, checkpoints and salts; it is rebuilt from the records. */
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
    SELECT number, origin, store_id AS "storeId", keys, size, checkpoint FROM log_epoch ORDER BY number`)

/** The salts of the records above one number and up to another. A mirror has those of the records that it shows. */
export async function readSalts(
  reader: Reader,
  { above, upTo }: RecordRange,
): Promise<(record: number) => Buffer | undefined> {
  const rows = await reader.all<SaltRow>(sql`
    SELECT record, salt FROM salt WHERE record > ${above} AND record <= ${upTo} ORDER BY record LIMIT ${upTo - above}`)
  const salts = new Map(rows.map(({ record, salt }) => [record, Buffer.from(salt, 'base64')]))
  return record => salts.get(record)
}

/** The leaf of an erased record, with its commitment in base64, and the record of the act that erased it. */
export type ErasureRow = { record: number; kind: RecordKind; commitment: string; act: number }

/** The erased records above one number and up to another. */
export async function readErasures(
  reader: Reader,
  { above, upTo }: RecordRange,
): Promise<ReadonlyMap<number, ErasureRow>> {
  const rows = await reader.all<ErasureRow>(sql`
    SELECT record, kind, commitment, act FROM erasure WHERE record > ${above} AND record <= ${upTo} ORDER BY record LIMIT ${upTo - above}`)
  return new Map(rows.map(row => [row.record, row]))
}

export const leafOfErased = ({ kind, commitment }: ErasureRow): Leaf => ({
  kind,
  commitment: Buffer.from(commitment, 'base64'),
})

export async function insertEpoch(tx: Transaction, epoch: Epoch): Promise<void> {
  await tx.run(sql`
    INSERT INTO log_epoch (number, origin, store_id, keys, size, checkpoint)
    VALUES (${epoch.number}, ${epoch.origin}, ${epoch.storeId}, ${epoch.keys}, ${epoch.size}, ${epoch.checkpoint})`)
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

/** A permanent record as the log has it. Only the statement of an `open` record is public. */
export type LoggedRecord = { record: number; kind: RecordKind; statement: string; open: boolean }

/** The members that records of actors share; the feed row of a record has its sequence and data class. */
type ActedRow = {
  record: number
  actor_id: string
  sequence: number | null
  data_class: DataClass | null
  withdrawn: number
}
const ACTED: Sql = sql`a.id AS actor_id, s.sequence, s.data_class`

const numeral = (number: number | null): string => String(number ?? '')
const actedOfRow = (row: ActedRow) => ({
  record: numeral(row.record),
  actorId: row.actor_id,
  sequence: numeral(row.sequence),
  dataClass: row.data_class ?? '',
})

const logged = <Kind extends RecordKind>(
  kind: Kind,
  { record, facts, open }: { record: number; facts: Facts[Kind]; open: boolean },
): LoggedRecord => ({
  record,
  kind,
  statement: statementOf(kind, facts),
  open,
})

type RevisionRow = ActedRow & {
  entry: number
  entry_id: string
  evidence_hash: string
  ordinal: number
  slug: string
  tags: string
}

async function listRevisions(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<RevisionRow>(sql`
    SELECT r.number AS record, ${ACTED}, e.number AS entry, e.id AS entry_id, r.evidence_hash, r.ordinal, e.slug, e.tags, e.withdrawn
    FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor
      LEFT JOIN activity s ON s.revision = r.number AND s.subject IS NULL AND s.hour IS NULL
    WHERE r.number > ${above} AND r.number <= ${upTo} ORDER BY r.number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts = {
      ...actedOfRow(row),
      entryRecord: numeral(row.entry),
      entryId: row.entry_id,
      evidenceHash: row.evidence_hash,
    }
    const first = row.ordinal === 1 ? { slug: row.slug, tags: JSON.parse(row.tags) as string[] } : {}
    return logged('revision', { record: row.record, facts: { ...facts, ...first }, open: row.withdrawn === 0 })
  })
}

type EvidenceRow = ActedRow & {
  id: string
  entry: number
  entry_id: string
  revision_id: string
  ordinal: number
  kind: 'VERIFY' | 'CONTRADICT'
  result: string | null
  confidence: number | null
  rationale: string
  quote: string | null
  observed_on: string | null
  source_entry: number | null
  created_at: number
}

async function listEvidence(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<EvidenceRow>(sql`
    SELECT v.number AS record, ${ACTED}, v.id, e.number AS entry, e.id AS entry_id, r.id AS revision_id, v.ordinal, v.kind, v.result,
      v.confidence, v.rationale, v.quote, v.observed_on, v.source_entry, v.created_at, CASE WHEN v.withdrawn = 1 OR e.withdrawn = 1 THEN 1 ELSE 0 END AS withdrawn
    FROM evidence v JOIN entry e ON e.number = v.entry JOIN revision r ON r.number = v.revision JOIN actor a ON a.number = v.actor
      LEFT JOIN activity s ON s.subject = v.number AND s.hour IS NULL
    WHERE v.number > ${above} AND v.number <= ${upTo} ORDER BY v.number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts: Facts['evidence'] = {
      ...actedOfRow(row),
      id: row.id,
      entryRecord: numeral(row.entry),
      entryId: row.entry_id,
      revisionId: row.revision_id,
      ordinal: row.ordinal,
      action: row.kind,
      result: row.result,
      confidence: row.confidence,
      rationale: row.rationale,
      ...(row.quote === null ? {} : { quote: row.quote }),
      ...(row.observed_on === null ? {} : { observedOn: observedOf(row.observed_on) }),
      sourceRecord: row.source_entry === null ? null : numeral(row.source_entry),
      createdAt: isoTime(row.created_at),
    }
    return logged('evidence', { record: row.record, facts, open: row.withdrawn === 0 })
  })
}

type RelationRow = ActedRow & {
  id: string
  relation_type: string
  source_entry: number
  target_entry: number
  rationale: string
  created_at: number
}

async function listRelations(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<RelationRow>(sql`
    SELECT l.number AS record, ${ACTED}, l.id, l.relation_type, l.source_entry, l.target_entry, l.rationale, l.created_at, l.withdrawn
    FROM relation l JOIN actor a ON a.number = l.actor LEFT JOIN activity s ON s.subject = l.number AND s.hour IS NULL
    WHERE l.number > ${above} AND l.number <= ${upTo} ORDER BY l.number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts: Facts['relation'] = {
      ...actedOfRow(row),
      id: row.id,
      relationType: row.relation_type,
      sourceEntryRecord: numeral(row.source_entry),
      targetEntryRecord: numeral(row.target_entry),
      rationale: row.rationale,
      createdAt: isoTime(row.created_at),
    }
    return logged('relation', { record: row.record, facts, open: row.withdrawn === 0 })
  })
}

type ModerationRow = {
  record: number
  id: string
  target_type: string
  target_id: string
  action: string
  reason: string
  changed: number
  created_at: number
}

async function listModerations(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<ModerationRow>(sql`
    SELECT number AS record, id, target_type, target_id, action, reason, changed, created_at
    FROM moderation WHERE number > ${above} AND number <= ${upTo} ORDER BY number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts: Facts['moderation'] = {
      record: numeral(row.record),
      id: row.id,
      targetType: row.target_type,
      targetId: row.target_id,
      action: row.action,
      reason: row.reason,
      changed: row.changed === 1,
      createdAt: isoTime(row.created_at),
    }
    return logged('moderation', { record: row.record, facts, open: false })
  })
}

/** The records by which the epochs of a range begin. */
const listContinuations = (epochs: readonly Epoch[], { above, upTo }: RecordRange): LoggedRecord[] =>
  epochs.flatMap((epoch, place) => {
    const previous = epochs[place - 1]
    if (previous === undefined || epoch.number <= above || epoch.number > upTo) return []
    const before = { previousOrigin: previous.origin, size: epoch.size, checkpoint: epoch.checkpoint ?? '' }
    const facts = { record: numeral(epoch.number), ...before }
    return [logged('continuation', { record: epoch.number, facts, open: true })]
  })

/** All records of a range in order. Their statements depend on immutable columns only, and not on moderation. */
export async function listLogged(
  reader: Reader,
  epochs: readonly Epoch[],
  range: RecordRange,
): Promise<LoggedRecord[]> {
  const kinds = await Promise.all([
    listRevisions(reader, range),
    listEvidence(reader, range),
    listRelations(reader, range),
    listModerations(reader, range),
  ])
  return [...kinds.flat(), ...listContinuations(epochs, range)].sort((a, b) => a.record - b.record)
}

/** The records of a range without a row of activity, in order: acts of moderation, and the records by which epochs begin. */
export async function listUnlisted(
  reader: Reader,
  epochs: readonly Epoch[],
  range: RecordRange,
): Promise<LoggedRecord[]> {
  const acts = await listModerations(reader, range)
  return [...acts, ...listContinuations(epochs, range)].sort((a, b) => a.record - b.record)
}

const LISTS = { revision: listRevisions, evidence: listEvidence, relation: listRelations, moderation: listModerations }

/** One record of a kind; undefined where its row is missing. */
export async function findLogged(
  reader: Reader,
  epochs: readonly Epoch[],
  kind: RecordKind,
  record: number,
): Promise<LoggedRecord | undefined> {
  const range = { above: record - 1, upTo: record }
  const found = kind === 'continuation' ? listContinuations(epochs, range) : await LISTS[kind](reader, range)
  return found[0]
}
