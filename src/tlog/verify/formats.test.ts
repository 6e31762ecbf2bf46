import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { logSigner, witnessSigner } from '../rules/signer.ts'
import { fromBase64, fromDecimal, toBase64 } from './bytes.js'
import { meetsQuorum, parsePolicy } from './policy.js'
import { parseTilePath, tilePath, tileWidth } from './tile.js'
import { formatProof, parseProof } from './tree.js'

const malformed = { name: 'MalformedError' }
const vkeyOfLog = (): string => logSigner('example.com/log', generateKeyPairSync('ed25519').privateKey).vkey
const vkeyOfWitness = (): string => witnessSigner('w.example', generateKeyPairSync('ed25519').privateKey).vkey

test('paths of tiles follow tlog-tiles, and each names one tile', () => {
  assert.equal(tilePath({ level: 0, index: 1_234_067, width: 256 }), 'tile/0/x001/x234/067')
  assert.equal(tilePath({ level: 2, index: 0, width: 1 }), 'tile/2/000.p/1')
  assert.equal(tilePath({ level: 'entries', index: 1000, width: 256 }), 'tile/entries/x001/000')
  const level = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const))
  fc.assert(
    fc.property(level, fc.nat(), fc.integer({ min: 1, max: 256 }), (level, index, width) => {
      assert.deepEqual(parseTilePath(tilePath({ level, index, width })), { level, index, width })
    }),
  )
  for (const bad of [
    '',
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/x000/000',
    'tile/0/001/000',
    'tile/0/x001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/000.p/',
    'tile/0/000/',
    'tile/x/000',
    'tile/0/../000',
    `tile/0/${'x999/'.repeat(9)}999`,
  ]) {
    assert.throws(() => parseTilePath(bad), malformed, bad)
  }
})

test('a tile has as many hashes as the tree has in its range', () => {
  assert.deepEqual([tileWidth(0, 272, 70_000), tileWidth(0, 273, 70_000), tileWidth(0, 274, 70_000)], [256, 112, 0])
  assert.deepEqual([tileWidth(1, 0, 256), tileWidth(1, 0, 255), tileWidth(2, 0, 70_000)], [1, 0, 1])
})

test('base64 and numbers have one spelling', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      assert.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'))
      assert.deepEqual(fromBase64(toBase64(bytes)), Uint8Array.from(bytes))
    }),
  )
  for (const bad of ['A', 'AA', 'AAA', 'AB==', 'AA=A', ' AAAA', 'AA-_']) assert.throws(() => fromBase64(bad), malformed)
  assert.equal(fromDecimal('9007199254740991'), Number.MAX_SAFE_INTEGER)
  for (const bad of ['', '01', '-1', '1e3', '9007199254740992', '1 ']) assert.throws(() => fromDecimal(bad), malformed)
})

test('a proof is written and read again, with and without extra bytes', () => {
  const hashes = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const checkpoint = 'example.com/log\n3\nAAAA\n\n— x y\n'
  const proof = { index: 2, hashes, checkpoint, extra: Uint8Array.of(9) }
  const text = formatProof(proof)
  assert.equal(text, `c2sp.org/tlog-proof@v1\nextra CQ==\nindex 2\n${hashes.map(toBase64).join('\n')}\n\n${checkpoint}`)
  assert.deepEqual(parseProof(text), proof)
  const plain = { index: 0, hashes: [], checkpoint }
  assert.deepEqual(parseProof(formatProof(plain)), plain)
  for (const bad of [
    '',
    text.replace('@v1', '@v2'),
    text.replace('index 2', 'index 02'),
    text.replace('index 2\n', ''),
    text.replace('CQ==', 'CQ'),
    text.replace('\n\n', '\nAAAA\n\n'),
    formatProof({ ...plain, hashes: Array.from({ length: 64 }, () => hashes[0] as Uint8Array<ArrayBuffer>) }),
  ]) {
    assert.throws(() => parseProof(bad), malformed, bad.slice(0, 100))
  }
})

test('a policy defines which cosignatures suffice', async () => {
  const witness = (name: string): string => `witness ${name} ${vkeyOfWitness()}`
  const policy = await parsePolicy(
    [
      '# The example of tlog-policy',
      `log ${vkeyOfLog()} https://example.com/log`,
      ...['X1', 'X2', 'X3'].map(witness),
      'group X-witnesses 2 X1 X2 X3',
      ...['Y1', '\tY2', 'Y3 '].map(witness),
      '',
      'group Y-witnesses any Y1 Y2 Y3',
      'group X-and-Y all X-witnesses Y-witnesses',
      'quorum X-and-Y',
      '',
    ].join('\n'),
  )
  assert.deepEqual([policy.logs.length, policy.witnesses.size, policy.groups.size], [1, 6, 3])
  assert.equal(policy.logs[0]?.url, 'https://example.com/log')
  const meets = (...names: string[]): boolean => meetsQuorum(policy, new Set(names))
  assert.equal(meets('X1', 'X3', 'Y2'), true)
  assert.equal(meets('X1', 'Y1', 'Y2', 'Y3'), false)
  assert.equal(meets('X1', 'X2', 'X3'), false)
  const one = await parsePolicy(`${witness('W')}\nquorum W\n`)
  assert.deepEqual([meetsQuorum(one, new Set(['W'])), meetsQuorum(one, new Set())], [true, false])
  assert.equal(meetsQuorum(await parsePolicy('quorum none\n'), new Set()), true)
})

test('a policy that breaks a rule is refused with the number of the line', async () => {
  const vkey = vkeyOfWitness()
  const log = vkeyOfLog()
  const W = `witness W ${vkey}\n`
  for (const [bad, at] of [
    ['', ''],
    [W, 'quorum'],
    [`${W}quorum V\n`, 'Line 2'],
    [`${W}quorum W\nquorum W\n`, 'Line 3'],
    [`quorum W\n${W}`, 'Line 1'],
    [`${W}${W}quorum W\n`, 'Line 2'],
    [`${W}witness V ${vkey}\nquorum W\n`, 'Line 2'],
    [`witness none ${vkey}\nquorum none\n`, 'Line 1'],
    [`log ${log}\nlog ${log}\nquorum none\n`, 'Line 2'],
    [`${W}group G 2 W\nquorum G\n`, 'Line 2'],
    [`${W}group G 0 W\nquorum G\n`, 'Line 2'],
    [`${W}group G any W W\nquorum G\n`, 'Line 2'],
    [`${W}group G any W\ngroup H any W\nquorum G\n`, 'Line 3'],
    [`${W}group G any none\nquorum G\n`, 'Line 2'],
    [`${W}group G any\nquorum W\n`, 'Line 2'],
    ['frobnicate x\nquorum none\n', 'Line 1'],
    ['quorum none\r\n', 'Line 1'],
    [`witness W ${vkey.replace('+', '-')}\nquorum W\n`, 'Line 1'],
  ] as const) {
    await assert.rejects(parsePolicy(bad), { ...malformed, message: new RegExp(at) }, bad)
  }
})
