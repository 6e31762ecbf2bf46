import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TILE_WIDTH, tileWidth } from '../verify/tile.js'
import { rootOfHashes, verifyConsistency, verifyInclusion } from '../verify/tree.js'
import { appendLeaves, EMPTY_ROOT, leafHash, nodeHash, proveConsistency, proveInclusion, rootOf } from './tree.ts'

type Bytes = Uint8Array<ArrayBuffer>
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const own = (bytes: Uint8Array): Bytes => Uint8Array.from(bytes)

/** The entries, roots and proofs of the reference implementation of RFC 6962 (google/certificate-transparency). */
const ENTRIES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(entry => Buffer.from(entry, 'hex'))
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const LEAVES_0_1 = ROOTS[2] as string
const LEAVES_0_3 = ROOTS[4] as string
const LEAVES_2_3 = '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e'
const LEAVES_4_7 = '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4'
const LEAVES_4_5 = '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a'
const LEAVES_6_7 = 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0'
const LEAF_0 = ROOTS[1] as string
const LEAF_1 = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'
const LEAF_4 = 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b'

/** A log in memory: tiles as they were last written, partial ones too. */
class Log {
  size = 0
  leaves: Buffer[] = []
  tiles = new Map<string, Uint8Array>()
  read = (level: number, index: number, width: number): Uint8Array | undefined =>
    this.tiles.get(`${level}/${index}`)?.subarray(0, width * 32)

  async append(leaves: Buffer[]): Promise<this> {
    for (const { level, index, width, hashes } of await appendLeaves(this.size, leaves, this.read)) {
      assert.equal(hashes.length, width * 32)
      assert.equal(width, tileWidth(level, index, this.size + leaves.length))
      const before = this.tiles.get(`${level}/${index}`)
      if (before !== undefined) assert.deepEqual(Buffer.from(hashes.subarray(0, before.length)), Buffer.from(before))
      this.tiles.set(`${level}/${index}`, hashes)
    }
    this.size += leaves.length
    this.leaves.push(...leaves)
    return this
  }
}

/** RFC 6962, section 2.1, word by word. */
const powerBelow = (n: number): number => 2 ** Math.floor(Math.log2(n - 1))
function naiveRoot(leaves: Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return EMPTY_ROOT
  if (leaves.length === 1) return leaves[0] as Uint8Array
  const k = powerBelow(leaves.length)
  return nodeHash(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}
function naivePath(m: number, leaves: Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return []
  const k = powerBelow(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m < k ? [...naivePath(m, left), naiveRoot(right)] : [...naivePath(m - k, right), naiveRoot(left)]
}
function naiveSubproof(m: number, leaves: Uint8Array[], whole: boolean): Uint8Array[] {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)]
  const k = powerBelow(leaves.length)
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m <= k
    ? [...naiveSubproof(m, left, whole), naiveRoot(right)]
    : [...naiveSubproof(m - k, right, false), naiveRoot(left)]
}

const numbered = (from: number, count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => leafHash(Buffer.from(String(from + at))))

test('the roots and proofs of the reference vectors of RFC 6962 come out', async () => {
  const log = new Log()
  assert.equal(hex(await rootOf(0, log.read)), ROOTS[0])
  for (const [at, entry] of ENTRIES.entries()) {
    await log.append([leafHash(entry)])
    assert.equal(hex(await rootOf(at + 1, log.read)), ROOTS[at + 1])
    assert.equal(hex(await rootOfHashes(log.leaves.map(own))), ROOTS[at + 1])
  }
  const inclusion = async (index: number, size: number): Promise<string[]> =>
    (await proveInclusion(index, size, log.read)).map(hex)
  assert.deepEqual(await inclusion(0, 1), [])
  assert.deepEqual(await inclusion(0, 8), [LEAF_1, LEAVES_2_3, LEAVES_4_7])
  assert.deepEqual(await inclusion(5, 8), [LEAF_4, LEAVES_6_7, LEAVES_0_3])
  assert.deepEqual(await inclusion(2, 3), [LEAVES_0_1])
  assert.deepEqual(await inclusion(1, 5), [LEAF_0, LEAVES_2_3, LEAF_4])
  const consistency = async (older: number, size: number): Promise<string[]> =>
    (await proveConsistency(older, size, log.read)).map(hex)
  assert.deepEqual(await consistency(1, 1), [])
  assert.deepEqual(await consistency(1, 8), [LEAF_1, LEAVES_2_3, LEAVES_4_7])
  assert.deepEqual(await consistency(6, 8), [LEAVES_4_5, LEAVES_6_7, LEAVES_0_3])
  assert.deepEqual(await consistency(2, 5), [LEAVES_2_3, LEAF_4])
})

test('roots and proofs equal the recursive definition, in any order of appends', async () => {
  const chunks = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(), fc.nat(), async (counts, some, other) => {
      const log = new Log()
      for (const count of counts) await log.append(numbered(log.size, count))
      const size = 1 + (other % log.size)
      const leaves = log.leaves.slice(0, size)
      const root = own(await rootOf(size, log.read))
      assert.equal(hex(root), hex(naiveRoot(leaves)))
      assert.equal(hex(await rootOfHashes(leaves.map(own))), hex(root))

      const index = some % size
      const proof = await proveInclusion(index, size, log.read)
      assert.deepEqual(proof.map(hex), naivePath(index, leaves).map(hex))
      assert.ok(await verifyInclusion({ size, root }, index, own(leaves[index] as Buffer), proof.map(own)))

      const older = { size: index + 1, root: own(naiveRoot(leaves.slice(0, index + 1))) }
      const path = await proveConsistency(older.size, size, log.read)
      assert.deepEqual(path.map(hex), naiveSubproof(older.size, leaves, true).map(hex))
      assert.ok(await verifyConsistency(older, { size, root }, path.map(own)))
    }),
    { numRuns: 60 },
  )
})

test('a proof with one changed, missing or extra hash, for another leaf or another size, does not verify', async () => {
  const log = await new Log().append(numbered(0, 300))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 300 }), fc.nat(), fc.nat(), async (size, some, bit) => {
      const tree = { size, root: own(await rootOf(size, log.read)) }
      const index = some % size
      const leaf = own(log.leaves[index] as Buffer)
      const proof = (await proveInclusion(index, size, log.read)).map(own)
      const flipped = proof.map(own)
      const hash = flipped[bit % proof.length] as Bytes
      hash[bit % 32] = (hash[bit % 32] as number) ^ (1 << (bit % 8))
      const [extra = leaf] = proof
      for (const wrong of [flipped, proof.slice(1), proof.slice(0, -1), [...proof, extra]]) {
        assert.equal(await verifyInclusion(tree, index, leaf, wrong), false)
      }
      assert.equal(await verifyInclusion(tree, (index + 1) % size, leaf, proof), false)
      assert.equal(await verifyInclusion(tree, -1, leaf, proof), false)
      assert.equal(await verifyInclusion(tree, size, leaf, proof), false)

      const older = { size: 1 + (some % (size - 1)), root: own(await rootOf(1 + (some % (size - 1)), log.read)) }
      const path = (await proveConsistency(older.size, size, log.read)).map(own)
      assert.equal(await verifyConsistency(older, tree, path.slice(1)), false)
      assert.equal(await verifyConsistency(older, tree, [...path, extra]), false)
      assert.equal(await verifyConsistency({ ...older, root: tree.root }, tree, path), false)
      assert.equal(await verifyConsistency(tree, older, path), false)
    }),
    { numRuns: 60 },
  )
})

test('every tree begins with the empty one, and with itself', async () => {
  const log = await new Log().append(numbered(0, 5))
  const tree = { size: 5, root: own(await rootOf(5, log.read)) }
  const empty = { size: 0, root: own(EMPTY_ROOT) }
  assert.deepEqual(await proveConsistency(0, 5, log.read), [])
  assert.equal(await verifyConsistency(empty, tree, []), true)
  assert.equal(await verifyConsistency({ ...empty, root: tree.root }, tree, []), false)
  assert.equal(await verifyConsistency(tree, tree, []), true)
  assert.equal(await verifyConsistency({ ...tree, root: empty.root }, tree, []), false)
})

test('a tree of 70,000 leaves has the tiles of the example of tlog-tiles, and proofs read few of them', async () => {
  const log = await new Log().append(numbered(0, 70_000))
  const widths = (level: number): number[] =>
    [...log.tiles].filter(([key]) => key.startsWith(`${level}/`)).map(([, hashes]) => hashes.length / 32)
  const count = (level: number, width: number): number => widths(level).filter(one => one === width).length
  assert.deepEqual([count(0, TILE_WIDTH), count(0, 112), widths(0).length], [273, 1, 274])
  assert.deepEqual([count(1, TILE_WIDTH), count(1, 17), widths(1).length], [1, 1, 2])
  assert.deepEqual(widths(2), [1])

  const root = own(await rootOf(70_000, log.read))
  assert.equal(hex(root), hex(naiveRoot(log.leaves)))
  let reads = 0
  const read: typeof log.read = (level, index, width) => {
    reads += 1
    return log.read(level, index, width)
  }
  const proof = (await proveInclusion(65_530, 70_000, read)).map(own)
  assert.ok(reads <= 5, `${reads} tiles`)
  assert.ok(await verifyInclusion({ size: 70_000, root }, 65_530, own(log.leaves[65_530] as Buffer), proof))
})

test('a tile that is missing or too short is named', async () => {
  const log = await new Log().append(numbered(0, 300))
  await assert.rejects(
    rootOf(300, (level, index, width) => (level === 1 ? undefined : log.read(level, index, width))),
    /lacks tile 0 of level 1 with 1 hashes/,
  )
  await assert.rejects(
    rootOf(300, (level, index, width) => log.read(level, index, width - 1)),
    /lacks tile/,
  )
})
