import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { assertNoSecret, holdsSecret, TOKEN_BYTES, tokenOf } from './rules.ts'

/** Written in parts: scanners of repositories look for the whole line. */
const HEADER = `-----BEGIN ${'PRIVATE'} KEY-----`
const TOKEN = tokenOf(randomBytes(TOKEN_BYTES))
/** The token as it is written where a page shows it. */
const SHOWN = ['\\_', '&#95;', '&#0095;', '&#x5f;', '&#X5F;', '&lowbar;'].map(one => TOKEN.replace('_', one))

test('a token with a valid checksum is found anywhere in a text, and no similar text is', () => {
  for (const text of [
    TOKEN,
    `a ${TOKEN} b`,
    `x${TOKEN}y`,
    `plm_plm_${TOKEN}`,
    `plm_${TOKEN}`,
    `"${TOKEN}"\n`,
    ...SHOWN,
  ]) {
    assert.ok(holdsSecret(text), text)
  }
  const last = TOKEN.at(-1) === 'a' ? 'b' : 'a'
  for (const text of [
    `${TOKEN.slice(0, -1)}${last}`,
    TOKEN.slice(0, -1),
    TOKEN.slice(4),
    'plm_',
    'plm_'.repeat(5_000),
  ]) {
    assert.ok(!holdsSecret(text), text.slice(0, 60))
  }
})

test('a private key in PEM is found, quoted, indented or escaped, and a text about keys is not', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const sec1 = privateKey.export({ type: 'sec1', format: 'pem' }).toString()
  const sealed = pkcs8.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY')
  const fields = sec1.replace('-----\n', '-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n')
  const quoted = pkcs8.replaceAll(/^/gm, '> ')
  const indented = pkcs8.replaceAll(/^/gm, '    ')
  for (const text of [pkcs8, sec1, sealed, fields, quoted, indented, JSON.stringify({ key: pkcs8 }), `A\n${pkcs8}`]) {
    assert.ok(holdsSecret(text), text)
  }
  const publicKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('PRIVATE', 'PUBLIC')
  for (const text of [
    HEADER,
    `A file that begins with ${HEADER} is a key.`,
    `${HEADER}\n...\n`,
    publicKey,
    'BEGIN PRIVATE KEY',
  ]) {
    assert.ok(!holdsSecret(text), text)
  }
})

test('a long text of incomplete secrets has none', () => {
  for (const text of ['plm_'.repeat(5_000), `${HEADER}\n`.repeat(700), '-----BEGIN '.repeat(1_800)]) {
    assert.ok(!holdsSecret(text))
  }
})

test('the member with the secret is named', () => {
  assert.doesNotThrow(() => assertNoSecret({ title: 'a', tags: ['b'] }))
  assert.throws(() => assertNoSecret({ title: 'a', tags: ['b', TOKEN] }), {
    code: 'SECRET_IN_TEXT',
    detail: { member: 'tags.1' },
  })
})
