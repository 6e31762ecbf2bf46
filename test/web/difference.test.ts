import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { comparison, difference, matches, type Piece } from '../../src/web/browser/difference.js'
import { differenceView, groupsOf, numbering } from '../../src/web/parts/difference.ts'

const textOf = (pieces: Piece[], ...kinds: Piece['kind'][]): string =>
  pieces.flatMap(({ kind, text }) => (kinds.includes(kind) ? [text] : [])).join('')
const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
test('a difference contains both texts completely', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
      const pieces = difference(before, after)
      assert.equal(textOf(pieces, 'same', 'gone'), before)
      assert.equal(textOf(pieces, 'same', 'new'), after)
    }),
  )
  assert.deepEqual(difference('the old house', 'the new house'), [
    { kind: 'same', text: 'the ' },
    { kind: 'gone', text: 'old' },
    { kind: 'new', text: 'new' },
    { kind: 'same', text: ' house' },
  ])
  assert.deepEqual(difference('One way.\nEnd.', 'One way.\nOr another.\nEnd.'), [
    { kind: 'same', text: 'One way.\n' },
    { kind: 'new', text: 'Or another.\n' },
    { kind: 'same', text: 'End.' },
  ])
})

/** A text of 1,700 words, about 10 kB, in which six words of ten differ from the text of another stem. The words repeat. */
const mixed = (stem: string, separator: string): string =>
  Array.from({ length: 1_700 }, (_, n) => {
    const word = (n * n * 31 + n * 7) % 401
    return `${n % 10 < 6 ? stem : 'word'}${word}${n % 100 === 99 ? separator : ' '}`
  }).join('')

for (const [name, separator] of [
  ['one line', ' '],
  ['many lines', '\n'],
] as const) {
  test(`a text of 10 kB in ${name} with 6 kB of changes is compared by words`, () => {
    const [before, after] = [mixed('old', separator), mixed('new', separator)]
    assert.ok(before.length > 10_000)
    const pieces = difference(before, after)
    assert.equal(textOf(pieces, 'same', 'gone'), before)
    assert.equal(textOf(pieces, 'same', 'new'), after)
    const unchanged = textOf(pieces, 'same').match(/word\d+/g) ?? []
    assert.ok(unchanged.length > 660, `${unchanged.length} of 680 words are unchanged`)
  })
}

test('a rewritten paragraph does not hide the changed word of another one', () => {
  const all = (stem: string): string => Array.from({ length: 3_000 }, (_, n) => `${stem}${n}`).join(' ')
  const pieces = difference(`${all('old')}\n\nOne old word.`, `${all('new')}\n\nOne new word.`)
  assert.deepEqual(pieces.slice(-4), [
    { kind: 'same', text: '\n\nOne ' },
    { kind: 'gone', text: 'old' },
    { kind: 'new', text: 'new' },
    { kind: 'same', text: ' word.' },
  ])
})

test('changes that only a sign or a short word separates are one change', () => {
  const gone = (before: string, after: string): string[] =>
    difference(before, after).flatMap(({ kind, text }) => (kind === 'gone' ? [text] : []))
  assert.deepEqual(gone('the small old house', 'the large new house'), ['small old'])
  assert.deepEqual(gone('a small house by the old river', 'a large house by the wide river'), ['small', 'old'])
})

test('texts of scripts without spaces are compared by characters, with their marks', () => {
  assert.deepEqual(difference('東京に行く', '大阪に行く').slice(0, 2), [
    { kind: 'gone', text: '東京' },
    { kind: 'new', text: '大阪' },
  ])
  assert.deepEqual(difference('a👨‍👩‍👧b', 'a👨‍👩‍👦b')[1], { kind: 'gone', text: '👨‍👩‍👧' })
})

test('a comparison of any two texts pauses after a few milliseconds of work', () => {
  const [before, after] = [mixed('old', ' '), mixed('new', ' ')]
  let turns = 0
  for (const steps = comparison(before, after); !steps.next().done; ) turns += 1
  assert.ok(turns > 100, `${turns} turns`)
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

const ended = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

test('a difference shows code apart from the words around it, also where it changed', () => {
  const view = (before: string, after: string): string =>
    ended(differenceView(ended(groupsOf(difference(before, after))), numbering(1), false)).markup
  assert.match(
    view('שלום `a = 0;` סוף', 'שלום `a = 1;` סוף'),
    /שלום <code>`a = <del>0<\/del><ins>1<\/ins>;`<\/code> סוף/,
  )
  const block = '```sql\nSELECT 1;\n```\nסוף `x`'
  assert.match(view(block, `${block}.`), /<code>```sql\nSELECT 1;\n```\n<\/code>/)
  assert.doesNotMatch(view('one ` two', 'one ` three'), /<code>/)
  assert.match(view('```\ngone\n```\nsame', 'new\nsame'), /<code><del>```\ngone\n<\/del><\/code>/)
})
