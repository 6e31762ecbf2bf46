import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createNewWords } from './new-words.ts'

test('every word comes at least once, however many share its slot, and each time once', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ minLength: 1, maxLength: 3 }))), texts => {
      const words = createNewWords()
      const taken = texts.flatMap(text => {
        words.note(text)
        const fresh = words.take()
        assert.deepEqual(fresh, [...new Set(fresh)].sort())
        return fresh
      })
      assert.deepEqual([...new Set(taken)].sort(), [...new Set(texts.flat())].sort())
    }),
  )
})

test('a word that came lately is not new; those that others took the place of are', () => {
  const words = createNewWords()
  const first = Array.from({ length: 500_000 }, (_, n) => `w${n}`)
  words.note(first)
  assert.equal(words.take().length, first.length)
  words.note(['w499999', 'another', 'another'])
  assert.deepEqual(words.take(), ['another'])
  words.note(first.slice(0, 1_000))
  assert.ok(words.take().length > 500, 'most of those that came first are new again')
})

test('words too long to be remembered are told each time', () => {
  const words = createNewWords()
  const long = 'w'.repeat(65)
  for (let time = 0; time < 2; time++) {
    words.note([long, 'short'])
    assert.deepEqual(words.take(), time === 0 ? ['short', long] : [long])
  }
})

test('two words of one place do not drive each other out; a third drives out the one that came less lately', () => {
  const words = createNewWords()
  const told = (...noted: string[]): string[] => {
    for (const word of noted) words.note([word])
    return words.take()
  }
  // "Aa", "BB" and "C#" have one hash.
  assert.deepEqual(told('Aa', 'BB', 'Aa', 'BB', 'Aa'), ['Aa', 'BB'])
  assert.deepEqual(told('BB', 'Aa'), [])
  assert.deepEqual(told('C#', 'Aa'), ['C#'])
  assert.deepEqual(told('BB'), ['BB'])
})
