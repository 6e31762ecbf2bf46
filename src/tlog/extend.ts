import { randomBytes } from 'node:crypto'
import type { Awaitable, Reader } from '../engine/database.ts'
import { readHead } from '../memory/head-rows.ts'
import type { LogQuestion } from './append.ts'
import * as store from './rows.ts'
import { listLogged } from './rows.ts'
import { hashOfLeaf, type Leaf, leafOf } from './rules/statement.ts'
import { appendLeaves, rootOf, type TileReader } from './rules/tree.ts'
import { sameBytes } from './verify/bytes.js'
import { SALT_BYTES } from './verify/entry.js'
import { parseSignedCheckpoint } from './verify/note.js'
import { TILE_WIDTH } from './verify/tile.js'

type OnBundle = () => Awaitable<void>

type Leaves = { leaves: Leaf[]; drawn: store.SaltRow[]; erased: number }

/**
 * The leaves of the records above one number and up to another, and the salts that were drawn for records without one. Throws if a record
 * has no row.
 */
async function leavesFromRows(
  reader: Reader,
  epochs: readonly store.Epoch[],
  above: number,
  upTo: number,
): Promise<Leaves> {
  const range = { above, upTo }
  const [records, saltOf, erasures] = await Promise.all([
    listLogged(reader, epochs, range),
    store.readSalts(reader, range),
    store.readErasures(reader, range),
  ])
  const random = randomBytes(SALT_BYTES * records.length)
  const drawn: store.SaltRow[] = []
  const leaves = records.map(({ record, kind, statement }, at) => {
    if (record !== above + at + 1)
      throw new Error(`Record ${above + at + 1} is missing, or record ${record} is there twice.`)
    const erasure = erasures.get(record)
    if (erasure !== undefined) return store.leafOfErased(erasure)
    const known = saltOf(record)
    const salt = known ?? random.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES)
    if (known === undefined) drawn.push({ record, salt: salt.toString('base64') })
    return leafOf(kind, salt, statement)
  })
  return { leaves, drawn, erased: erasures.size }
}

/**
 * Computes the next step of the log, with at most `most` records; undefined if the log has all of them or has not begun. `onBundle` is
 * called after each 256 records.
 */
export async function nextStep(
  reader: Reader,
  most: number,
  onBundle: OnBundle = () => {},
): Promise<store.LogStep | undefined> {
  const [log, { record }, epochs] = await Promise.all([
    store.readLog(reader),
    readHead(reader),
    store.listEpochs(reader),
  ])
  const { size } = log
  if (epochs.length === 0 || record <= size) return undefined
  const to = Math.min(record, size + most)
  const leaves: Leaf[] = []
  const salts: store.SaltRow[] = []
  let erased = 0
  for (let above = size; above < to; above += TILE_WIDTH) {
    const some = await leavesFromRows(reader, epochs, above, Math.min(above + TILE_WIDTH, to))
    leaves.push(...some.leaves)
    salts.push(...some.drawn)
    erased += some.erased
    await onBundle()
  }
  if (leaves.length !== to - size) throw new Error(`Record ${size + leaves.length + 1} is missing.`)
  return { ...(await stepOf(reader, log, leaves)), salts, erased }
}

/** The step that appends leaves to the stored log, whose state is `log`. */
export async function stepOf(
  reader: Reader,
  { size, root, storeEpoch }: Awaited<ReturnType<typeof store.readLog>>,
  leaves: readonly Leaf[],
): Promise<store.LogStep> {
  const to = size + leaves.length
  const stored = store.tilesOf(reader)
  const grown = await appendLeaves(
    size,
    leaves.map((leaf, at) => hashOfLeaf(size + at + 1, leaf)),
    stored,
  )
  const known = new Map(grown.map(tile => [`${tile.level}/${tile.index}`, tile.hashes]))
  const read: TileReader = (level, index, width) => known.get(`${level}/${index}`) ?? stored(level, index, width)
  return {
    storeEpoch,
    from: { size, root },
    to: { size: to, root: Buffer.from(await rootOf(to, read)).toString('base64') },
    bundles: await bundlesOf(reader, size, leaves),
    tiles: grown
      .filter(({ level }) => level > 0)
      .map(({ level, index, hashes }) => ({ level, number: index, hashes: Buffer.from(hashes).toString('base64') })),
    salts: [],
    erased: 0,
  }
}

/** The bundles that are added or changed when leaves are appended to a log of this size. */
async function bundlesOf(reader: Reader, size: number, added: readonly Leaf[]): Promise<store.BundleRow[]> {
  const first = Math.floor(size / TILE_WIDTH)
  const begun = size % TILE_WIDTH === 0 ? undefined : await store.findBundle(reader, first)
  const leaves = [...(begun === undefined ? [] : store.leavesOf(begun, size % TILE_WIDTH)), ...added]
  return Array.from({ length: Math.ceil(leaves.length / TILE_WIDTH) }, (_, at) =>
    store.bundleOf(first + at, leaves.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH)),
  )
}

/**
 * The record up to which the stored log agrees with the rows of the store and with the signed checkpoints: the stored ones and the notes
 * `signed`. Reads the whole log.
 */
export async function agreedSize(
  reader: Reader,
  signed: readonly string[],
  onBundle: OnBundle = () => {},
): Promise<number> {
  const agreed = await agreedWithRows(reader, onBundle)
  const notes = [...(await store.listCheckpoints(reader)).map(({ note }) => note), ...signed]
  const heads = notes.map(parseSignedCheckpoint).filter(({ size }) => size <= agreed)
  let last = 0
  for (const { size, root } of heads.sort((a, b) => a.size - b.size)) {
    if (!Buffer.from(await rootOf(size, store.tilesOf(reader))).equals(root)) return last
    last = size
  }
  return agreed
}

async function agreedWithRows(reader: Reader, onBundle: OnBundle): Promise<number> {
  const [{ size }, { record }, epochs] = await Promise.all([
    store.readLog(reader),
    readHead(reader),
    store.listEpochs(reader),
  ])
  const last = Math.min(size, record)
  for (let above = 0; above < last; above += TILE_WIDTH) {
    const bundle = await store.findBundle(reader, above / TILE_WIDTH)
    const upTo = Math.min(above + TILE_WIDTH, last)
    const rows = await leavesFromRows(reader, epochs, above, upTo).then(
      ({ leaves }) => leaves,
      () => [],
    )
    const stored = bundle === undefined ? [] : store.leavesOf(bundle)
    const differs = rows.findIndex((leaf, at) => !isSame(leaf, stored[at]))
    if (differs >= 0) return above + differs
    if (rows.length < upTo - above) return above + rows.length
    await onBundle()
  }
  return last
}

const isSame = (leaf: Leaf, other: Leaf | undefined): boolean =>
  leaf.kind === other?.kind && sameBytes(leaf.commitment, other.commitment)

/** Sends a question to the thread that computes the log. Resolves with the answer. */
type AskLog = (question: LogQuestion) => Promise<unknown>

/** Returns a function that stores a checkpoint in the file of this node, once for each note. It resolves when the checkpoint is stored. */
export function createMemory(ask: AskLog): (note: string) => Promise<void> {
  let last: { note: string; kept: Promise<unknown> } | undefined
  return async note => {
    if (last?.note !== note) {
      const keeping = { note, kept: ask({ ask: 'keep', note }) }
      last = keeping
      keeping.kept.catch(() => {
        if (last === keeping) last = undefined
      })
    }
    await last.kept
  }
}
