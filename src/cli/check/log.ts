import { type Reader, sql } from '../../engine/database.ts'
import { findMirror } from '../../mirror/rows.ts'
import { type Progress, percent } from '../../progress.ts'
import * as store from '../../tlog/rows.ts'
import { type LoggedRecord, listLogged } from '../../tlog/rows.ts'
import { verifyWithNode } from '../../tlog/rules/signer.ts'
import { commitmentOf, hashOfLeaf, type Leaf } from '../../tlog/rules/statement.ts'
import { appendLeaves, rootOf, type TileReader } from '../../tlog/rules/tree.ts'
import { parseCheckpoint, parseNote } from '../../tlog/verify/note.js'
import { parseVerifierKey, verifySignatures } from '../../tlog/verify/signature.js'
import { TILE_WIDTH } from '../../tlog/verify/tile.js'

/** The result of the check of a public log: a sentence about each fault, or one about the proved size. */
export type LogVerdict = { faults: string[] } | { proved: string }

/** Maximum number of records that are named. */
const NAMED_MAX = 20

/** The tables with the facts of a record. */
const TABLES = {
  revision: 'revision, entry, actor or activity',
  evidence: 'evidence, entry, revision, actor or activity',
  relation: 'relation, actor or activity',
  moderation: 'moderation',
  continuation: 'log_epoch',
} as const

/**
 * Recomputes the public log from the rows of a store, in bounded memory: the commitments of all records, the tiles, the root, and all stored
 * checkpoints. `given` is a signed checkpoint from another source, which the log must continue.
 */
export async function verifyLog(reader: Reader, progress: Progress, given?: string): Promise<LogVerdict> {
  const [log, epochs] = await Promise.all([store.readLog(reader), store.listEpochs(reader)])
  const last = epochs.at(-1)
  if (last === undefined) return { faults: ['The store has no public log yet; a running server creates it.'] }
  progress.phase(`Recomputing the public log of ${log.size} records`)
  const faults: string[] = []
  const tiles = new Map<string, Uint8Array>()
  const computed: TileReader = (level, index) => tiles.get(`${level}/${index}`)
  for (let above = 0; above < log.size; above += TILE_WIDTH) {
    const upTo = Math.min(above + TILE_WIDTH, log.size)
    const bundle = await store.findBundle(reader, above / TILE_WIDTH)
    const leaves = bundle === undefined ? [] : store.leavesOf(bundle, upTo - above)
    if (bundle === undefined || leaves.length < upTo - above)
      return { faults: [...faults, `The log lacks the leaf of record ${above + leaves.length + 1}.`] }
    faults.push(...(await faultsOfRows(reader, epochs, bundle, upTo)))
    const hashed = leaves.map((leaf, at) => hashOfLeaf(above + at + 1, leaf))
    for (const { level, index, hashes } of await appendLeaves(above, hashed, computed)) {
      if (level > 0 || upTo === log.size) tiles.set(`${level}/${index}`, hashes)
    }
    progress.update(() => `${upTo} of ${log.size} records, ${percent(upTo, log.size)}`)
    await new Promise(setImmediate)
  }
  const root = Buffer.from(await rootOf(log.size, computed)).toString('base64')
  const fault =
    (await faultOfErasures(reader)) ??
    (await faultOfTiles(reader, tiles)) ??
    (log.size > 0 && root !== log.root
      ? `The log has the root ${log.root}, and its leaves result in ${root}.`
      : undefined) ??
    (await faultOfCheckpoints(reader, log.size, epochs)) ??
    (given === undefined ? undefined : await faultOfNote(reader, log.size, epochs, given))
  const found = [...firstOf(faults), ...(fault === undefined ? [] : [fault])]
  if (found.length > 0) return { faults: found }
  return {
    proved: `The public log ${last.origin} has ${log.size} records with the root ${root}; its checkpoints are signed and consistent.`,
  }
}

/** The first sentences, and a count of the others. */
const firstOf = (faults: readonly string[]): string[] =>
  faults.length <= NAMED_MAX
    ? [...faults]
    : [...faults.slice(0, NAMED_MAX), `${faults.length - NAMED_MAX} other records differ from the log too.`]

/** A sentence about each record of a bundle, up to `upTo`, whose rows do not result in its leaf. */
async function faultsOfRows(
  reader: Reader,
  epochs: readonly store.Epoch[],
  bundle: store.BundleRow,
  upTo: number,
): Promise<string[]> {
  const range = { above: bundle.number * TILE_WIDTH, upTo }
  const [records, saltOf, mirror, erasures] = await Promise.all([
    listLogged(reader, epochs, range).catch((error: Error) => error),
    store.readSalts(reader, range),
    findMirror(reader),
    store.readErasures(reader, range),
  ])
  if (records instanceof Error) {
    return [`A record from ${range.above + 1} to ${range.upTo} cannot be read (${records.message}).`]
  }
  const rows = new Map(records.map(record => [record.record, record]))
  return store.leavesOf(bundle, upTo - range.above).flatMap((leaf, at) => {
    const number = range.above + at + 1
    const [row, salt, erasure] = [rows.get(number), saltOf(number), erasures.get(number)]
    if (erasure !== undefined) return faultOfErased(leaf, erasure) ?? []
    // A mirror has no acts of moderation, and erases withdrawn records with their salts.
    if (mirror !== undefined && salt === undefined && row?.open !== true) return []
    return faultOfRow(number, leaf, row, salt) ?? []
  })
}

/** The fault of an erased record, of which only the leaf is left. */
const faultOfErased = ({ kind, commitment }: Leaf, erasure: store.ErasureRow): string | undefined =>
  kind === erasure.kind && commitment.toString('base64') === erasure.commitment
    ? undefined
    : `Record ${erasure.record} (${kind}) was erased, and its leaf was changed.`

/** A record that is marked as erased and is not: it still has its salt or a text, or no act erased it. A mirror has no acts. */
async function faultOfErasures(reader: Reader): Promise<string | undefined> {
  const found = await reader.one<{ record: number }>(sql`
    SELECT x.record FROM erasure x
      LEFT JOIN moderation m ON m.number = x.act AND m.action = 'ERASE'
      LEFT JOIN salt a ON a.record = x.record
      LEFT JOIN revision r ON r.number = x.record
      LEFT JOIN evidence v ON v.number = x.record
      LEFT JOIN relation l ON l.number = x.record
    WHERE a.record IS NOT NULL OR r.title <> '' OR r.content <> '' OR v.rationale <> '' OR l.rationale <> ''
      OR (m.number IS NULL AND NOT EXISTS (SELECT 1 FROM mirror))
    ORDER BY x.record LIMIT 1`)
  return found === undefined ? undefined : `Record ${found.record} is marked as erased, and was not erased by an act.`
}

/** The fault of one record; undefined if its rows result in its leaf. */
function faultOfRow(
  number: number,
  leaf: Leaf,
  row: LoggedRecord | undefined,
  salt: Uint8Array | undefined,
): string | undefined {
  if (row === undefined) return `Record ${number} (${leaf.kind}) is in the log, but not in the store.`
  if (salt === undefined) return `The store lacks the salt of record ${number} (${leaf.kind}).`
  if (row.kind === leaf.kind && commitmentOf(salt, row.statement).equals(leaf.commitment)) return undefined
  return `Record ${number} (${leaf.kind}) differs from the log: one of its rows in ${TABLES[leaf.kind]} was changed, or its leaf was.`
}

async function faultOfTiles(reader: Reader, tiles: ReadonlyMap<string, Uint8Array>): Promise<string | undefined> {
  for (const [key, hashes] of tiles) {
    const [level = 0, index = 0] = key.split('/').map(Number)
    if (level === 0) continue
    const stored = Buffer.from((await store.findTile(reader, level, index))?.hashes ?? '', 'base64')
    if (!stored.equals(hashes)) return `Tile ${index} of level ${level} of the log differs from its leaves.`
  }
  return undefined
}

async function faultOfCheckpoints(
  reader: Reader,
  size: number,
  epochs: readonly store.Epoch[],
): Promise<string | undefined> {
  for (const { note } of await store.listCheckpoints(reader)) {
    const fault = await faultOfNote(reader, size, epochs, note)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Compares a signed checkpoint with the log, whose tiles are verified. */
async function faultOfNote(
  reader: Reader,
  size: number,
  epochs: readonly store.Epoch[],
  text: string,
): Promise<string | undefined> {
  let note: ReturnType<typeof parseNote>
  let head: ReturnType<typeof parseCheckpoint>
  try {
    note = parseNote(text)
    head = parseCheckpoint(note.text)
  } catch (error) {
    return `A checkpoint cannot be read (${(error as Error).message})`
  }
  const place = epochs.findIndex(({ origin }) => origin === head.origin)
  const epoch = epochs[place]
  if (epoch === undefined) return `The checkpoint of ${head.origin} belongs to another log.`
  const keys = await Promise.all(epoch.keys.trimEnd().split('\n').map(parseVerifierKey)).catch(() => [])
  if (keys.length === 0) return `The keys of ${head.origin} in log_epoch cannot be read.`
  const { good, bad } = await verifySignatures(note, keys, verifyWithNode)
  if (good.length === 0 || bad.length > 0)
    return `The checkpoint of ${head.origin} at ${head.size} is not signed by its log.`
  const end = Math.min(size, epochs[place + 1]?.size ?? size)
  if (head.size > end) {
    return `${head.origin} signed ${head.size} records, but the store continues only ${end} of them: records were lost.`
  }
  const root = await rootOf(head.size, store.tilesOf(reader))
  return Buffer.from(root).equals(head.root)
    ? undefined
    : `${head.origin} signed another root at ${head.size} records: records were changed.`
}
