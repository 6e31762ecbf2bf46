import type { Reader } from '../database/database.ts'
import { entryOf } from '../domain/log/statement.ts'
import { appendLeaves, leafHash, rootOf, type TileReader } from '../domain/log/tree.ts'
import { readHead } from '../store/head.ts'
import * as store from '../store/log.ts'
import { listLogged } from '../store/log-records.ts'
import { parseCheckpoint } from '../tlog/checkpoint.js'
import { parseNote } from '../tlog/note.js'
import { TILE_WIDTH } from '../tlog/tile.js'

/** The entries of the records above one number and up to another. Throws where a record has no row. */
export async function entriesFromRows(
  reader: Reader,
  epochs: readonly store.Epoch[],
  above: number,
  upTo: number,
): Promise<Uint8Array[]> {
  const records = await listLogged(reader, epochs, { above, upTo })
  return records.map(({ record, kind, statement }, at) => {
    if (record !== above + at + 1)
      throw new Error(`Record ${above + at + 1} is missing, or record ${record} is there twice.`)
    return entryOf(record, kind, store.saltFor(epochs, record), statement)
  })
}

/**
 * Computes the next step of the log, with at most `most` records; undefined if the log has all of them or has not begun. `onBundle` is
 * called after each 256 records.
 */
export async function nextStep(reader: Reader, most: number, onBundle = () => {}): Promise<store.LogStep | undefined> {
  const [log, { record }, epochs] = await Promise.all([
    store.readLog(reader),
    readHead(reader),
    store.listEpochs(reader),
  ])
  const { size } = log
  if (epochs.length === 0 || record <= size) return undefined
  const to = Math.min(record, size + most)
  const entries: Uint8Array[] = []
  for (let above = size; above < to; above += TILE_WIDTH) {
    entries.push(...(await entriesFromRows(reader, epochs, above, Math.min(above + TILE_WIDTH, to))))
    onBundle()
  }
  if (entries.length !== to - size) throw new Error(`Record ${size + entries.length + 1} is missing.`)
  return stepOf(reader, log, entries)
}

/** The step that appends entries to the stored log, whose state is `log`. */
export async function stepOf(
  reader: Reader,
  { size, root, storeEpoch }: Awaited<ReturnType<typeof store.readLog>>,
  entries: readonly Uint8Array[],
): Promise<store.LogStep> {
  const to = size + entries.length
  const stored = store.tilesOf(reader)
  const grown = await appendLeaves(size, entries.map(leafHash), stored)
  const known = new Map(grown.map(tile => [`${tile.level}/${tile.index}`, tile.hashes]))
  const read: TileReader = (level, index, width) => known.get(`${level}/${index}`) ?? stored(level, index, width)
  return {
    storeEpoch,
    from: { size, root },
    to: { size: to, root: Buffer.from(await rootOf(to, read)).toString('base64') },
    bundles: await bundlesOf(reader, size, entries),
    tiles: grown
      .filter(({ level }) => level > 0)
      .map(({ level, index, hashes }) => ({ level, number: index, hashes: Buffer.from(hashes).toString('base64') })),
  }
}

/** The leaf of an entry of this process. `parseEntry` of tlog is for entries of other programs, and slower. */
function leafOfEntry(entry: Uint8Array): store.Leaf {
  const [, numberAndKind = '', commitment = ''] = Buffer.from(entry).toString('latin1').split('\n')
  const kind = numberAndKind.slice(numberAndKind.indexOf(' ') + 1) as store.Leaf['kind']
  return { kind, commitment: Uint8Array.from(Buffer.from(commitment, 'base64')) }
}

/** The bundles that entries appended to a log of a size make or change. */
async function bundlesOf(reader: Reader, size: number, entries: readonly Uint8Array[]): Promise<store.BundleRow[]> {
  const first = Math.floor(size / TILE_WIDTH)
  const begun = size % TILE_WIDTH === 0 ? undefined : await store.findBundle(reader, first)
  const leaves = [...(begun === undefined ? [] : store.leavesOf(begun, size % TILE_WIDTH)), ...entries.map(leafOfEntry)]
  return Array.from({ length: Math.ceil(leaves.length / TILE_WIDTH) }, (_, at) =>
    store.bundleOf(first + at, leaves.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH)),
  )
}

/**
 * The record up to which the stored log and the rows of the store agree, and both have the roots of the signed checkpoints: those that are
 * stored, and the notes `signed`. Reads all of it.
 */
export async function agreedSize(reader: Reader, signed: readonly string[], onBundle = () => {}): Promise<number> {
  const agreed = await agreedWithRows(reader, onBundle)
  const notes = [...(await store.listCheckpoints(reader)).map(({ note }) => note), ...signed]
  const heads = notes.map(note => parseCheckpoint(parseNote(note).text)).filter(({ size }) => size <= agreed)
  let last = 0
  for (const { size, root } of heads.sort((a, b) => a.size - b.size)) {
    if (!Buffer.from(await rootOf(size, store.tilesOf(reader))).equals(root)) return last
    last = size
  }
  return agreed
}

async function agreedWithRows(reader: Reader, onBundle: () => void): Promise<number> {
  const [{ size }, { record }, epochs] = await Promise.all([
    store.readLog(reader),
    readHead(reader),
    store.listEpochs(reader),
  ])
  const last = Math.min(size, record)
  for (let above = 0; above < last; above += TILE_WIDTH) {
    const bundle = await store.findBundle(reader, above / TILE_WIDTH)
    const rows = await entriesFromRows(reader, epochs, above, Math.min(above + TILE_WIDTH, last)).catch(() => [])
    const stored = bundle === undefined ? [] : store.entriesOf(bundle)
    const differs = rows.findIndex((entry, at) => !Buffer.from(entry).equals(stored[at] ?? Buffer.alloc(0)))
    if (differs >= 0) return above + differs
    if (rows.length < Math.min(TILE_WIDTH, last - above)) return above + rows.length
    onBundle()
  }
  return last
}
