import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { requestDigest, retryKeyOf, SEAL_NONCE_BYTES, seal, unseal } from './retry.ts'

const key = retryKeyOf('secret', 'actor 1', 'key')
const retry = { ...key, request: requestDigest(key, 'createEntry', {}, { a: 1, b: [2] }) }
const nonce = () => randomBytes(SEAL_NONCE_BYTES)

test('a key is the same for the same secret, caller and text, and another for any other', () => {
  assert.deepEqual(retryKeyOf('secret', 'actor 1', 'key'), key)
  const others = [
    retryKeyOf('other', 'actor 1', 'key'),
    retryKeyOf('secret', 'actor 11', 'key'),
    retryKeyOf('secret', 'actor 1', '1key'),
    retryKeyOf('secret', 'actor ', '1key'),
    retryKeyOf('secret', 'actor 1', 'KEY'),
  ]
  assert.equal(new Set([key, ...others].map(({ id }) => id)).size, 6)
  assert.equal(new Set([key, ...others].map(one => one.seal)).size, 6)
  assert.match(key.id, /^[\w-]{22}$/)
  assert.match(key.seal, /^[\w-]{43}$/)
})

test('a request is identified by operation, parameters and body, in any order of its members', () => {
  const digest = (...of: [string, object, unknown]) => requestDigest(key, ...of)
  assert.equal(digest('createEntry', {}, { b: [2], a: 1 }), retry.request)
  const all = [
    digest('createEntry', {}, { a: 1, b: [2] }),
    digest('createEntry', {}, { a: 1, b: ['2'] }),
    digest('createEntry', { slug: 'x' }, { a: 1, b: [2] }),
    digest('reviseEntry', {}, { a: 1, b: [2] }),
    requestDigest(retryKeyOf('secret', 'actor 2', 'key'), 'createEntry', {}, { a: 1, b: [2] }),
  ]
  assert.equal(new Set(all).size, all.length)
})

test('a sealed answer opens for its own retry only, and a changed bit is detected', () => {
  const text = 'plm_token ключ 😀'
  const sealed = seal(retry, text, nonce())
  assert.equal(unseal(retry, sealed), text)
  assert.notEqual(seal(retry, text, nonce()), sealed)
  assert.equal(unseal(retry, seal(retry, '', nonce())), '')
  const other = { ...retryKeyOf('other', 'actor 1', 'key'), request: retry.request }
  assert.throws(() => unseal(other, sealed))
  assert.throws(() => unseal({ ...retry, request: 'another' }, sealed))
  assert.throws(() => unseal({ ...retry, id: 'another' }, sealed))
  const bytes = Buffer.from(sealed, 'base64url')
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ 1
    assert.throws(() => unseal(retry, changed.toString('base64url')), `byte ${place}`)
  }
  assert.throws(() => unseal(retry, sealed.slice(0, 20)))
})
