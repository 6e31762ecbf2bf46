import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { logSigner, signCheckpoint, verifyWithNode, witnessSigner } from '../rules/signer.ts'
import { formatCheckpoint, formatNote, parseCheckpoint, parseNote } from './note.js'
import { parseVerifierKey, verifySignatures } from './signature.js'

/** The example of c2sp.org/signed-note. */
const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const NOTE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`
const ORIGIN = 'example.com/log/0198f0c2'
const TEXT = formatCheckpoint({ origin: ORIGIN, size: 743, root: new Uint8Array(32).fill(5) })
const ed25519 = (): ReturnType<typeof logSigner> => logSigner(ORIGIN, generateKeyPairSync('ed25519').privateKey)

test('the example of signed-note verifies, and is written again byte for byte', async () => {
  const key = await parseVerifierKey(VKEY)
  const note = parseNote(NOTE)
  assert.equal(note.text, 'This is an example message.\n')
  assert.equal(formatNote(note), NOTE)
  assert.deepEqual((await verifySignatures(note, [key])).good, [{ key }])
  assert.deepEqual((await verifySignatures(note, [key], verifyWithNode)).good, [{ key }])
  const forged = parseNote(NOTE.replace('example message', 'exemple message'))
  assert.deepEqual(await verifySignatures(forged, [key]), { good: [], bad: [key], unchecked: [] })
})

test('a checkpoint is signed by a log and cosigned by witnesses, with Ed25519 and ML-DSA-44', async () => {
  const signers = [
    ed25519(),
    logSigner(ORIGIN, generateKeyPairSync('ml-dsa-44').privateKey),
    witnessSigner('w.example/1', generateKeyPairSync('ed25519').privateKey),
    witnessSigner('w.example/2', generateKeyPairSync('ml-dsa-44').privateKey),
  ]
  const time = 1_790_000_000
  const signed = signCheckpoint(TEXT, signers, time)
  const note = parseNote(signed)
  assert.deepEqual(parseCheckpoint(note.text), { origin: ORIGIN, size: 743, root: new Uint8Array(32).fill(5) })
  const keys = await Promise.all(signers.map(({ vkey }) => parseVerifierKey(vkey)))
  assert.deepEqual(
    keys,
    signers.map(({ key }) => key),
  )
  const { good, bad, unchecked } = await verifySignatures(note, keys, verifyWithNode)
  assert.deepEqual(
    good.map(({ key, time }) => [key.type, time]),
    [
      [1, undefined],
      [6, time],
      [4, time],
      [6, time],
    ],
  )
  assert.deepEqual([bad, unchecked], [[], []])
  for (const key of keys) {
    const other = { ...note, text: TEXT.replace('743', '744') }
    assert.deepEqual((await verifySignatures(other, [key], verifyWithNode)).bad, [key])
    const line = note.signatures.find(({ id }) => id === key.id)
    assert.ok(line)
    const changed = line.signature.map((byte, at) => (at === 7 ? byte ^ 1 : byte))
    const later = { ...note, signatures: [{ ...line, signature: changed }] }
    assert.deepEqual((await verifySignatures(later, [key], verifyWithNode)).bad, [key])
  }
})

test('signatures by other keys are ignored, and those that this machine cannot verify are unchecked', async () => {
  const log = ed25519()
  const stranger = ed25519()
  const mldsa = logSigner(ORIGIN, generateKeyPairSync('ml-dsa-44').privateKey)
  const note = parseNote(signCheckpoint(TEXT, [stranger, log, mldsa], 1))
  assert.deepEqual((await verifySignatures(note, [log.key])).good, [{ key: log.key }])
  const none = await verifySignatures(note, [ed25519().key])
  assert.deepEqual(none, { good: [], bad: [], unchecked: [] })
  const lacking = await verifySignatures(note, [mldsa.key], async () => undefined)
  assert.deepEqual(lacking.unchecked, [mldsa.key])
  const unknown = await verifySignatures(note, [{ ...log.key, type: 99 }])
  assert.equal(unknown.unchecked.length, 1)
})

test('a text that is not a note is refused with the violated rule', () => {
  const line = NOTE.slice(NOTE.indexOf('—'))
  for (const bad of [
    '',
    'text\n',
    'text\n\n',
    line,
    NOTE.slice(0, -1),
    NOTE.replace('— ', '- '),
    NOTE.replace('foo Uw', 'foo  Uw'),
    NOTE.replace('com/foo', 'com/f+oo'),
    NOTE.replace('com/foo', 'com/f\u00a0oo'),
    NOTE.replace('aQM=', 'aQN='),
    NOTE.replace('aQM=', 'aQM'),
    NOTE.replace('example message', 'example\tmessage'),
    NOTE.replace('example message', 'example\ud800message'),
    `text\n\n${line.repeat(33)}`,
    `${'x'.repeat(131_072)}${NOTE}`,
    'text\n\n— name AAAA\n',
  ]) {
    assert.throws(() => parseNote(bad), { name: 'MalformedError' }, JSON.stringify(bad.slice(0, 200)))
  }
  assert.equal(parseNote(`text\n\n${line.repeat(32)}`).signatures.length, 32)
  assert.equal(parseNote(`one\n\ntwo\n\n${line}`).text, 'one\n\ntwo\n')
})

test('a text that is not a checkpoint is refused', () => {
  assert.equal(parseCheckpoint(`${TEXT}extension\n`).size, 743)
  for (const bad of [
    '',
    TEXT.slice(0, -1),
    `${TEXT}\n`,
    TEXT.replace('743', '0743'),
    TEXT.replace('743', '-1'),
    TEXT.replace('743', '9007199254740993'),
    TEXT.replace('=', ''),
    TEXT.replace(ORIGIN, ''),
    'a\n1\n',
    'a\n1\nAAAA\n',
  ]) {
    assert.throws(() => parseCheckpoint(bad), { name: 'MalformedError' }, JSON.stringify(bad))
  }
})

test('a verifier key whose id, length or name does not fit is refused', async () => {
  for (const bad of [
    '',
    'example.com/foo',
    VKEY.replace('530d903a', '530d903b'),
    VKEY.replace('530d903a', '530D903A'),
    VKEY.replace('example.com/foo', 'example.com/fou'),
    VKEY.replace('example.com/foo', 'example.com/f oo'),
    VKEY.slice(0, -4),
    `${VKEY}\n`,
  ]) {
    await assert.rejects(parseVerifierKey(bad), { name: 'MalformedError' }, bad)
  }
})
