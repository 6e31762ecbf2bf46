import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isCleanText } from './values.ts'

test('text is clean without U+0000 and lone surrogates, in keys and at any depth', () => {
  for (const clean of ['', 'fox', '\u{1f98a}', '\u0001\u200b\u202e', { a: ['b', { c: null }] }, 7, true, null]) {
    assert.ok(isCleanText(clean), JSON.stringify(clean))
  }
  for (const text of ['\u0000', 'a\u0000b', '\ud83e', '\udd8a', '\udd8a\ud83e']) {
    for (const unclean of [text, [text], { a: [{ b: text }] }, { [text]: 1 }, { a: { [text]: 1 } }]) {
      assert.ok(!isCleanText(unclean), JSON.stringify(unclean))
    }
  }
})

test('clean text survives UTF-8', () => {
  const unit = fc.nat(0xffff).map(code => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), text => {
      const survives = Buffer.from(text, 'utf8').toString('utf8') === text
      assert.equal(isCleanText(text), survives && !text.includes('\u0000'))
    }),
  )
})
