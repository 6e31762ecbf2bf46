import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'

type Piece = { kind: 'same' | 'gone' | 'new'; text: string }
type Part = { kind: 'settled'; text: string } | { kind: 'open'; base: string; theirs: string; mine: string }
const at = (name: string): string => new URL(`../../src/web/browser/${name}`, import.meta.url).href
const { wordDifference, matches } = (await import(at('difference.js'))) as {
  wordDifference(before: string, after: string): Piece[]
  matches(before: string[], after: string[]): { a: number; b: number; count: number }[]
}
const { merge, mergedText } = (await import(at('merge.js'))) as {
  merge(base: string, theirs: string, mine: string): Part[]
  mergedText(parts: Part[], choices: ('mine' | 'theirs' | 'both')[]): string
}

const textOf = (pieces: Piece[], ...kinds: Piece['kind'][]): string =>
  pieces.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : [])).join('')
const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
const lines = fc
  .array(fc.constantFrom('one\n', 'two\n', 'three\n', 'four\n'), { maxLength: 12 })
  .map(all => all.join(''))

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

test('a merge takes what one side alone changed', () => {
  const base = 'first\nsecond\nthird\n'
  const parts = merge(base, 'first, truly\nsecond\nthird\n', 'first\nsecond\nthird, in part\nfourth\n')
  assert.deepEqual(parts, [{ kind: 'settled', text: 'first, truly\nsecond\nthird, in part\nfourth\n' }])
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      assert.equal(mergedText(merge(before, after, before), []), after)
      assert.equal(mergedText(merge(before, before, after), []), after)
      assert.equal(mergedText(merge(before, after, after), []), after)
    }),
  )
})

test('a merge leaves open what both changed, and nothing is lost whatever is chosen', () => {
  const parts = merge('a\nb\nc', 'a\nthey\nc', 'a\nme\nc')
  assert.deepEqual(
    parts.filter(({ kind }) => kind === 'open'),
    [{ kind: 'open', base: 'b\n', theirs: 'they\n', mine: 'me\n' }],
  )
  assert.equal(mergedText(parts, ['mine']), 'a\nme\nc')
  assert.equal(mergedText(parts, ['theirs']), 'a\nthey\nc')
  assert.equal(mergedText(parts, ['both']), 'a\nthey\nme\nc')
  fc.assert(
    fc.property(lines, lines, lines, (base, theirs, mine) => {
      const all = merge(base, theirs, mine)
      const open = all.filter(({ kind }) => kind === 'open').length
      const both = mergedText(all, new Array<'both'>(open).fill('both'))
      for (const part of all) {
        if (part.kind === 'open') assert.ok(both.includes(part.theirs) && both.includes(part.mine))
        else assert.ok(both.includes(part.text))
      }
    }),
  )
})
