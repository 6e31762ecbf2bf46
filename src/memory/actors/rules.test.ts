import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isToken, TOKEN_BYTES, tokenHash, tokenOf } from './rules.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const random = fc.uint8Array({ minLength: TOKEN_BYTES, maxLength: TOKEN_BYTES })

test('a token is the prefix, 27 characters of secret and 6 of checksum, one per random value', () => {
  assert.equal(TOKEN_BYTES, 20)
  fc.assert(
    fc.property(random, random, (one, other) => {
      const token = tokenOf(one)
      assert.match(token, /^plm_[0-9A-Za-z]{33}$/)
      assert.ok(isToken(token))
      assert.equal(tokenOf(one) === tokenOf(other), Buffer.from(one).equals(other))
    }),
  )
  assert.match(tokenOf(new Uint8Array(20)), /^plm_0{27}/)
  assert.equal(tokenOf(new Uint8Array(20).fill(255)).length, 37)
})

test('every change of a single character is refused', () => {
  fc.assert(
    fc.property(random, bytes => {
      const token = tokenOf(bytes)
      for (let place = 0; place < token.length; place++) {
        for (const letter of ALPHABET) {
          if (letter === token[place]) continue
          assert.ok(!isToken(token.slice(0, place) + letter + token.slice(place + 1)))
        }
        assert.ok(!isToken(token.slice(0, place) + token.slice(place + 1)))
      }
    }),
    { numRuns: 20 },
  )
})

test('every exchange of two neighbours is refused', () => {
  fc.assert(
    fc.property(random, bytes => {
      const token = tokenOf(bytes)
      for (let place = 0; place + 1 < token.length; place++) {
        const [a, b] = [token.charAt(place), token.charAt(place + 1)]
        if (a !== b) assert.ok(!isToken(token.slice(0, place) + b + a + token.slice(place + 2)))
      }
    }),
  )
})

test('a token is stored as its SHA-256', () => {
  assert.equal(tokenHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
