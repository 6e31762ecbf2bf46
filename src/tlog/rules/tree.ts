import { hash } from 'node:crypto'
import { HASH_BYTES, TILE_WIDTH, tileWidth } from '../verify/tile.js'
import { consistencyParts, inclusionSiblings, leafInput, nodeInput } from '../verify/tree.js'

/*
 * The tree and the commitments of the log exist twice. The service computes them here, with node:crypto: its functions are synchronous and
 * several times as fast for short inputs. src/tlog computes them for verifiers with WebCrypto, which browsers have, and whose functions are
 * asynchronous.
 */

/** Node returns a digest as a string in a third of the time that a buffer takes. */
const digestOf = (input: Uint8Array | string): string => hash('sha256', input, 'binary')

/** SHA-256 of bytes, or of the UTF-8 form of a text. */
export const sha256 = (input: Uint8Array | string): Buffer<ArrayBuffer> => Buffer.from(digestOf(input), 'binary')

/** Writes the SHA-256 of bytes, or of the UTF-8 form of a text, into `target` at offset `at`. */
function writeSha256(input: Uint8Array | string, target: Buffer, at: number): void {
  target.write(digestOf(input), at, 'binary')
}

/** Tile `index` of a tile level: the first `width` of its 256 hashes, concatenated. */
type HashTile = { level: number; index: number; width: number; hashes: Uint8Array }

/**
 * Reads the first `width` hashes of a tile; returns undefined if the tile is missing. A proof calls it once for each tile and starts all
 * reads in one turn of the event loop. Do not change a returned array: the nodes above its hashes are cached for this array.
 */
export type TileReader = (
  level: number,
  index: number,
  width: number,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>

const LEVEL_BITS = 8

/** SHA-256 of a leaf (RFC 6962, section 2.1). `entry` is bytes or ASCII text. */
export const leafHash = (entry: Uint8Array | string): Buffer =>
  sha256(typeof entry === 'string' ? `\0${entry}` : leafInput(entry))

/** Writes the hash of a leaf, whose entry is ASCII text, into `target` at offset `at`. */
export const writeLeafHash = (entry: string, target: Buffer, at: number): void => writeSha256(`\0${entry}`, target, at)

/** A reused buffer for the input of a node hash: a proof hashes several hundred nodes. */
const node = Buffer.from(nodeInput(new Uint8Array(HASH_BYTES), new Uint8Array(HASH_BYTES)))

/** SHA-256 of a node with two children, of 32 bytes each. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return sha256(node)
}

/**
 * The complete nodes of tiles by height, from their hashes (0) to the root of 256 hashes (8), concatenated. Freed together with the hashes.
 */
const nodesOfTiles = new WeakMap<Uint8Array, Uint8Array[]>()

function nodesOf(hashes: Uint8Array): Uint8Array[] {
  const known = nodesOfTiles.get(hashes)
  if (known !== undefined) return known
  const nodes = [hashes]
  for (let below = hashes; below.length >= 2 * HASH_BYTES; below = nodes.at(-1) as Uint8Array) {
    const above = Buffer.alloc(Math.floor(below.length / (2 * HASH_BYTES)) * HASH_BYTES)
    for (let at = 0; at < above.length; at += HASH_BYTES) {
      node.set(below.subarray(2 * at, 2 * at + 2 * HASH_BYTES), 1)
      writeSha256(node, above, at)
    }
    nodes.push(above)
  }
  nodesOfTiles.set(hashes, nodes)
  return nodes
}

/** The root of a tree without leaves: SHA-256 of the empty string (RFC 6962, section 2.1). */
export const EMPTY_ROOT: Buffer = sha256('')

/** The root of at least one hash, in order. The last hash of a level, if it has no sibling, moves up unchanged. */
function rootOfHashes(hashes: Uint8Array[]): Uint8Array {
  let level = hashes
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = level.slice(at, at + 2) as [Uint8Array, Uint8Array?]
      above.push(right === undefined ? left : nodeHash(left, right))
    }
    level = above
  }
  return level[0] as Uint8Array
}

const split = (joined: Uint8Array): Uint8Array[] =>
  Array.from({ length: joined.length / HASH_BYTES }, (_, at) => joined.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))

async function readTile(read: TileReader, level: number, index: number, width: number): Promise<Uint8Array> {
  const hashes = await read(level, index, width)
  if (hashes === undefined || hashes.length < width * HASH_BYTES) {
    throw new Error(`The log lacks tile ${index} of level ${level} with ${width} hashes.`)
  }
  return hashes.length === width * HASH_BYTES ? hashes : hashes.subarray(0, width * HASH_BYTES)
}

/**
 * The tiles of all levels that change when `leaves` follow the first `size` leaves. Each has all hashes up to its new width; at width 256
 * it is final. Reads the partial tiles of the tree of `size` leaves, one for each level.
 */
export async function appendLeaves(size: number, leaves: readonly Uint8Array[], read: TileReader): Promise<HashTile[]> {
  const tiles: HashTile[] = []
  let start = size
  let added = leaves
  for (let level = 0; added.length > 0; level += 1) {
    const first = Math.floor(start / TILE_WIDTH)
    const before = start % TILE_WIDTH
    const kept = before === 0 ? [] : split(await readTile(read, level, first, before))
    const hashes = [...kept, ...added]
    const above: Uint8Array[] = []
    for (let at = 0; at < hashes.length; at += TILE_WIDTH) {
      const part = hashes.slice(at, at + TILE_WIDTH)
      tiles.push({ level, index: first + at / TILE_WIDTH, width: part.length, hashes: Buffer.concat(part) })
      if (part.length === TILE_WIDTH) above.push(rootOfHashes(part))
    }
    start = first
    added = above
  }
  return tiles
}

/** The largest complete subtrees that leaves from `start` to `end` consist of; `start` is a multiple of the largest. */
function completeSubtrees(start: number, end: number): { height: number; index: number }[] {
  const subtrees: { height: number; index: number }[] = []
  for (let at = start; at < end; ) {
    const height = Math.floor(Math.log2(end - at))
    subtrees.push({ height, index: at / 2 ** height })
    at += 2 ** height
  }
  return subtrees
}

/** Computes hashes of a tree of `size` leaves from its tiles, each of which is read once. */
function hasherOf(size: number, read: TileReader): (start: number, end: number) => Promise<Uint8Array> {
  const known = new Map<string, Promise<Uint8Array>>()
  const tile = (level: number, index: number): Promise<Uint8Array> => {
    const key = `${level}/${index}`
    const reading = known.get(key) ?? readTile(read, level, index, tileWidth(level, index, size))
    known.set(key, reading)
    return reading
  }
  const complete = async ({ height, index }: { height: number; index: number }): Promise<Uint8Array> => {
    const across = TILE_WIDTH / 2 ** (height % LEVEL_BITS)
    const hashes = await tile(Math.floor(height / LEVEL_BITS), Math.floor(index / across))
    const from = (index % across) * HASH_BYTES
    return (nodesOf(hashes)[height % LEVEL_BITS] as Uint8Array).subarray(from, from + HASH_BYTES)
  }
  return async (start, end) => {
    const subtrees = await Promise.all(completeSubtrees(start, end).map(complete))
    return subtrees.reduceRight((right, left) => nodeHash(left, right))
  }
}

/** The root of the tree of the first `size` leaves. */
export const rootOf = async (size: number, read: TileReader): Promise<Uint8Array> =>
  size === 0 ? EMPTY_ROOT : hasherOf(size, read)(0, size)

/**
 * The hashes that prove that leaf `index` (0 to `size` - 1) is in the tree of `size` leaves, from the leaf upwards (RFC 6962, section
 * 2.1.1).
 */
export function proveInclusion(index: number, size: number, read: TileReader): Promise<Uint8Array[]> {
  const hashOf = hasherOf(size, read)
  return Promise.all(inclusionSiblings(index, size).map(({ start, end }) => hashOf(start, end)))
}

/**
 * The hashes that prove that the tree of `size` leaves begins with the tree of `older` leaves (RFC 6962, section 2.1.2); none if `older` is
 * 0.
 */
export async function proveConsistency(older: number, size: number, read: TileReader): Promise<Uint8Array[]> {
  if (older === 0) return []
  const hashOf = hasherOf(size, read)
  const { first, siblings } = consistencyParts(older, size)
  const parts = first === undefined ? siblings : [first, ...siblings]
  return Promise.all(parts.map(({ start, end }) => hashOf(start, end)))
}
