import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matches, type Piece, wordDifference } from '../../src/web/browser/difference.js'

const textOf = (pieces: Piece[], ...kinds: Piece['kind'][]): string =>
  pieces.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : [])).join('')
const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
test('a difference holds both texts whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
      const pieces = wordDifference(before, after)
      assert.equal(textOf(pieces, 'same', 'gone'), before)
      assert.equal(textOf(pieces, 'same', 'new'), after)
    }),
  )
  assert.deepEqual(wordDifference('the old house', 'the new house'), [
    { kind: 'same', text: 'the ' },
    { kind: 'gone', text: 'old' },
    { kind: 'new', text: 'new' },
    { kind: 'same', text: ' house' },
  ])
  assert.deepEqual(wordDifference('One way.\nEnd.', 'One way.\nOr another.\nEnd.'), [
    { kind: 'same', text: 'One way.\n' },
    { kind: 'new', text: 'Or another.\n' },
    { kind: 'same', text: 'End.' },
  ])
})

test('what two lists have in common is as long as it can be', () => {
  const longest = (a: string[], b: string[]): number => {
    const row = new Array<number>(b.length + 1).fill(0)
    for (const item of a) {
      let corner = 0
      for (let j = 1; j <= b.length; j += 1) {
        const above = row[j] ?? 0
        row[j] = item === b[j - 1] ? corner + 1 : Math.max(above, row[j - 1] ?? 0)
        corner = above
      }
    }
    return row.at(-1) ?? 0
  }
  fc.assert(
    fc.property(letters, letters, (a, b) => {
      const found = matches(a, b)
      for (const match of found) {
        assert.deepEqual(a.slice(match.a, match.a + match.count), b.slice(match.b, match.b + match.count))
      }
      assert.equal(
        found.reduce((sum, { count }) => sum + count, 0),
        longest(a, b),
      )
    }),
    { numRuns: 300 },
  )
})

test('texts that have nothing in common are told apart without counting every way', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `b${index}`)
  const after = Array.from({ length: 20_000 }, (_, index) => `a${index}`)
  const begun = process.cpuUsage()
  assert.deepEqual(matches(before, after), [])
  const { user, system } = process.cpuUsage(begun)
  assert.ok(user + system < 2_000_000, `${user + system} µs`)
})
