// @ts-check
import { concat, fromBase64, fromDecimal, fromHashLine, MalformedError, sameBytes, sha256, toBase64 } from './bytes.js'

/** @typedef {import('./bytes.js').Bytes} Bytes */
/** The leaves from `start` to `end` - 1. @typedef {{ start: number, end: number }} Range */
/** A part of the tree beside a path to the root, and on which side of the path it is. @typedef {Range & { side: 'left' | 'right' }} Sibling */
/** The tree of the first `size` leaves. @typedef {{ size: number, root: Bytes }} Tree */

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The input of the hash of a leaf (RFC 6962, section 2.1). @param {Uint8Array} entry @returns {Bytes} */
export const leafInput = entry => concat(LEAF, entry)

/** The input of the hash of a node. @param {Uint8Array} left @param {Uint8Array} right @returns {Bytes} */
export const nodeInput = (left, right) => concat(NODE, left, right)

/** The hash of a leaf. @param {Uint8Array} entry @returns {Promise<Bytes>} */
export const hashLeaf = entry => sha256(leafInput(entry))

/** The hash of a node. @param {Uint8Array} left @param {Uint8Array} right @returns {Promise<Bytes>} */
export const hashNode = (left, right) => sha256(nodeInput(left, right))

/**
 * The parts beside the path from a complete node to the root of a tree of `size` leaves, from the node upwards.
 * The node covers the leaves from `node * width` on; `width` is a power of two.
 * @param {number} node
 * @param {number} width
 * @param {number} size
 * @returns {Sibling[]}
 */
function siblingsAbove(node, width, size) {
  /** @type {Sibling[]} */
  const siblings = []
  let last = Math.floor((size - 1) / width)
  for (let at = node, step = width; last > 0; step *= 2) {
    if (at % 2 === 1) siblings.push({ side: 'left', start: (at - 1) * step, end: at * step })
    // The last node of a level may have no sibling; it is then its own parent.
    else if (at < last) siblings.push({ side: 'right', start: (at + 1) * step, end: Math.min((at + 2) * step, size) })
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  return siblings
}

/**
 * The parts whose hashes are the inclusion proof of a leaf (RFC 6962, section 2.1.1), from the leaf upwards.
 * @param {number} index from 0 to `size` - 1
 * @param {number} size
 * @returns {Sibling[]}
 */
export const inclusionSiblings = (index, size) => siblingsAbove(index, 1, size)

/**
 * The parts whose hashes are the consistency proof between two sizes (RFC 6962, section 2.1.2): first the node that ends
 * the older tree, unless that is the whole older tree, then the siblings of its path upwards.
 * @param {number} older from 1 to `size`
 * @param {number} size
 * @returns {{ first: Range | undefined, siblings: Sibling[] }}
 */
export function consistencyParts(older, size) {
  if (older === size) return { first: undefined, siblings: [] }
  let node = older - 1
  let width = 1
  for (; node % 2 === 1; width *= 2) node = (node - 1) / 2
  const first = node === 0 ? undefined : { start: node * width, end: older }
  return { first, siblings: siblingsAbove(node, width, size) }
}

/**
 * The root of the tree of these hashes, each of a leaf or of complete subtrees of one height (the last may be incomplete).
 * @param {readonly Bytes[]} hashes
 * @returns {Promise<Bytes>}
 */
export async function rootOfHashes(hashes) {
  if (hashes.length === 0) return sha256(new Uint8Array())
  let level = hashes
  while (level.length > 1) {
    const below = level
    const pairs = below.flatMap((left, at) => (at % 2 === 0 ? [{ left, right: below[at + 1] }] : []))
    level = await Promise.all(pairs.map(({ left, right }) => (right === undefined ? left : hashNode(left, right))))
  }
  return /** @type {Bytes} */ (level[0])
}

/**
 * Whether a tree has a leaf of this hash at `index`.
 * @param {Tree} tree
 * @param {number} index
 * @param {Bytes} leaf
 * @param {readonly Bytes[]} proof
 * @returns {Promise<boolean>}
 */
export async function verifyInclusion({ size, root }, index, leaf, proof) {
  if (!(index >= 0 && index < size)) return false
  const siblings = inclusionSiblings(index, size)
  if (proof.length !== siblings.length) return false
  let hash = leaf
  for (const [at, { side }] of siblings.entries()) {
    const other = /** @type {Bytes} */ (proof[at])
    hash = side === 'left' ? await hashNode(other, hash) : await hashNode(hash, other)
  }
  return sameBytes(hash, root)
}

/**
 * Whether the newer tree begins with all leaves of the older one, in their order. Every tree begins with the empty one.
 * @param {Tree} older
 * @param {Tree} newer
 * @param {readonly Bytes[]} proof
 * @returns {Promise<boolean>}
 */
export async function verifyConsistency(older, newer, proof) {
  if (older.size > newer.size) return false
  if (older.size === 0) return proof.length === 0 && sameBytes(older.root, await sha256(new Uint8Array()))
  const { first, siblings } = consistencyParts(older.size, newer.size)
  const hashes = first === undefined ? [older.root, ...proof] : proof
  if (hashes.length !== siblings.length + 1) return false
  const [begin, ...rest] = /** @type {[Bytes, ...Bytes[]]} */ (hashes)
  let before = begin
  let now = begin
  for (const [at, { side }] of siblings.entries()) {
    const other = /** @type {Bytes} */ (rest[at])
    if (side === 'left') before = await hashNode(other, before)
    now = side === 'left' ? await hashNode(other, now) : await hashNode(now, other)
  }
  return sameBytes(before, older.root) && sameBytes(now, newer.root)
}

/** A proof that a leaf is in a log: its index, the inclusion proof, the signed checkpoint, and bytes for the application. @typedef {{ index: number, hashes: Bytes[], checkpoint: string, extra?: Bytes }} Proof */

const FORMAT = 'c2sp.org/tlog-proof@v1'
const PROOF_MAX = 524_288
/** Maximum hashes of a proof; a tree of 2^63 leaves needs as many. */
export const HASHES_MAX = 63

/** Writes a proof as a file (c2sp.org/tlog-proof). @param {Proof} proof @returns {string} */
export function formatProof({ index, hashes, checkpoint, extra }) {
  const lines = [FORMAT, ...(extra ? [`extra ${toBase64(extra)}`] : []), `index ${index}`, ...hashes.map(toBase64)]
  return `${lines.join('\n')}\n\n${checkpoint}`
}

/** Reads a proof. Throws MalformedError. Does not parse the checkpoint. @param {string} source @returns {Proof} */
export function parseProof(source) {
  const at = source.indexOf('\n\n')
  if (source.length > PROOF_MAX || at < 0) throw new MalformedError('A proof is too long, or has no checkpoint.')
  const [format, ...lines] = source.slice(0, at).split('\n')
  if (format !== FORMAT) throw new MalformedError(`A proof begins with ${FORMAT}.`)
  const extra = lines[0]?.startsWith('extra ') ? { extra: fromBase64((lines.shift() ?? '').slice(6)) } : {}
  const index = /^index (\d+)$/.exec(lines.shift() ?? '')?.[1]
  if (lines.length > HASHES_MAX) throw new MalformedError('A proof has at most 63 hashes.')
  return { index: fromDecimal(index), hashes: lines.map(fromHashLine), checkpoint: source.slice(at + 2), ...extra }
}
