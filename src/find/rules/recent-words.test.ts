import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RecentWords } from './recent-words.ts'

const word = fc.stringMatching(/^[a-c0é漢]{1,3}$/u)
const gap = fc.constantFrom(' ', '. ', '-', '\n', ', "')

test('every word comes at least once, however many share its place, and each time once', () => {
  fc.assert(
    fc.property(fc.array(fc.array(word)), gap, (texts, between) => {
      const words = new RecentWords()
      const taken = texts.flatMap(text => {
        words.note(text.join(between))
        const fresh = words.take()
        assert.deepEqual(fresh, [...new Set(fresh)].sort())
        return fresh
      })
      assert.deepEqual([...new Set(taken)].sort(), [...new Set(texts.flat())].sort())
    }),
  )
})

test('a recently seen word is not new; a replaced one is new again', () => {
  const words = new RecentWords()
  const first = Array.from({ length: 500_000 }, (_, n) => `w${n}`)
  words.note(first.join(' '))
  assert.equal(words.take().length, first.length)
  words.note('w499999 another another')
  assert.deepEqual(words.take(), ['another'])
  words.note(first.slice(0, 1_000).join(' '))
  assert.ok(words.take().length > 500, 'most of those that came first are new again')
})

test('a word is not taken for one that it begins with, nor that begins with it', () => {
  const words = new RecentWords()
  const freshOf = (text: string): string[] => {
    words.note(text)
    return words.take()
  }
  const long = 'w'.repeat(200)
  assert.deepEqual(freshOf(`${long} ${long.slice(1)}`), [long.slice(1), long])
  assert.deepEqual(freshOf(`${long}x`), [`${long}x`])
  assert.deepEqual(freshOf(`${long.slice(1)} ${long}`), [])
})

test('one place stores two words; a third replaces the one that was seen less recently', () => {
  const words = new RecentWords(1)
  const freshOf = (...noted: string[]): string[] => {
    for (const one of noted) words.note(one)
    return words.take()
  }
  assert.deepEqual(freshOf('one', 'two', 'one', 'two', 'one'), ['one', 'two'])
  assert.deepEqual(freshOf('two', 'one'), [])
  assert.deepEqual(freshOf('three', 'one'), ['three'])
  assert.deepEqual(freshOf('two'), ['two'])
})
