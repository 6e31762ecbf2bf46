import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { difference, matches, type Piece } from '../../src/web/browser/difference.js'
import { differenceView } from '../../src/web/parts/difference.ts'

const textOf = (pieces: Piece[], ...kinds: Piece['kind'][]): string =>
  pieces.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : [])).join('')
const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
test('a difference contains both texts completely', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
      const { pieces } = difference(before, after)
      assert.equal(textOf(pieces, 'same', 'gone'), before)
      assert.equal(textOf(pieces, 'same', 'new'), after)
    }),
  )
  assert.deepEqual(difference('the old house', 'the new house').pieces, [
    { kind: 'same', text: 'the ' },
    { kind: 'gone', text: 'old' },
    { kind: 'new', text: 'new' },
    { kind: 'same', text: ' house' },
  ])
  assert.deepEqual(difference('One way.\nEnd.', 'One way.\nOr another.\nEnd.').pieces, [
    { kind: 'same', text: 'One way.\n' },
    { kind: 'new', text: 'Or another.\n' },
    { kind: 'same', text: 'End.' },
  ])
})

const COUNT = 3_000
/** Distinct words, on this many lines. */
const words = (prefix: string, perLine: number): string =>
  Array.from({ length: COUNT }, (_, n) => `${prefix}${n}${n % perLine === perLine - 1 ? '\n' : ' '}`).join('')

test('texts with too many different words are compared by lines, and past that not at all', () => {
  const [same, before, after] = [words('same', 100), words('old', 100), words('new', 100)]
  assert.equal(difference(same, same.replace('same7 ', 'other ')).by, 'words')
  const byLines = difference(same + before, same + after)
  assert.equal(byLines.by, 'lines')
  assert.deepEqual(byLines.pieces[0], { kind: 'same', text: same })
  const whole = difference(words('old', 1), words('new', 1))
  assert.deepEqual([whole.by, whole.pieces.map(({ kind }) => kind)], ['whole', ['gone', 'new']])
})

test('the common subsequence of two lists has the maximum length', () => {
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

test('texts without common lines are compared in bounded time', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `b${index}`)
  const after = Array.from({ length: 20_000 }, (_, index) => `a${index}`)
  const begun = process.cpuUsage()
  assert.deepEqual(matches(before, after), [])
  const { user, system } = process.cpuUsage(begun)
  assert.ok(user + system < 2_000_000, `${user + system} µs`)
})

test('a difference shows code apart from the words around it, also where it changed', () => {
  const view = (before: string, after: string): string => differenceView(difference(before, after)).markup
  assert.match(
    view('שלום `a = 0;` סוף', 'שלום `a = 1;` סוף'),
    /שלום <code>`a = <del>0<\/del><ins>1<\/ins>;`<\/code> סוף/,
  )
  const block = '```sql\nSELECT 1;\n```\nסוף `x`'
  assert.match(view(block, `${block}.`), /<code>```sql\n<\/code><code>SELECT 1;\n<\/code><code>```\n<\/code>/)
  assert.doesNotMatch(view('one ` two', 'one ` three'), /<code>/)
})
