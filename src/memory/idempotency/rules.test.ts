import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { idempotencyKeyOf, requestDigest, SEAL_NONCE_BYTES, seal, unseal } from './rules.ts'

const key = idempotencyKeyOf('secret', 'actor 1', 'key')
const idempotency = { ...key, request: requestDigest(key, 'createEntry', {}, { a: 1, b: [2] }) }
const nonce = () => randomBytes(SEAL_NONCE_BYTES)

test('a key is the same for the same secret, caller and text, and another for any other', () => {
  assert.deepEqual(idempotencyKeyOf('secret', 'actor 1', 'key'), key)
  const others = [
    idempotencyKeyOf('other', 'actor 1', 'key'),
    idempotencyKeyOf('secret', 'actor 11', 'key'),
    idempotencyKeyOf('secret', 'actor 1', '1key'),
    idempotencyKeyOf('secret', 'actor ', '1key'),
    idempotencyKeyOf('secret', 'actor 1', 'KEY'),
  ]
  assert.equal(new Set([key, ...others].map(({ id }) => id)).size, 6)
  assert.equal(new Set([key, ...others].map(one => one.seal)).size, 6)
  assert.match(key.id, /^[\w-]{22}$/)
  assert.match(key.seal, /^[\w-]{43}$/)
})

test('a request is identified by operation, parameters and body, in any order of its members', () => {
  const digest = (...of: [string, object, unknown]) => requestDigest(key, ...of)
  assert.equal(digest('createEntry', {}, { b: [2], a: 1 }), idempotency.request)
  const all = [
    digest('createEntry', {}, { a: 1, b: [2] }),
    digest('createEntry', {}, { a: 1, b: ['2'] }),
    digest('createEntry', { slug: 'x' }, { a: 1, b: [2] }),
    digest('reviseEntry', {}, { a: 1, b: [2] }),
    requestDigest(idempotencyKeyOf('secret', 'actor 2', 'key'), 'createEntry', {}, { a: 1, b: [2] }),
  ]
  assert.equal(new Set(all).size, all.length)
})

test('a sealed answer opens for its own retry only, and a changed bit is detected', () => {
  const text = 'plm_token ключ 😀'
  const sealed = seal(idempotency, text, nonce())
  assert.equal(unseal(idempotency, sealed), text)
  assert.notEqual(seal(idempotency, text, nonce()), sealed)
  assert.equal(unseal(idempotency, seal(idempotency, '', nonce())), '')
  const other = { ...idempotencyKeyOf('other', 'actor 1', 'key'), request: idempotency.request }
  assert.throws(() => unseal(other, sealed))
  assert.throws(() => unseal({ ...idempotency, request: 'another' }, sealed))
  assert.throws(() => unseal({ ...idempotency, id: 'another' }, sealed))
  const bytes = Buffer.from(sealed, 'base64url')
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ 1
    assert.throws(() => unseal(idempotency, changed.toString('base64url')), `byte ${place}`)
  }
  assert.throws(() => unseal(idempotency, sealed.slice(0, 20)))
})
