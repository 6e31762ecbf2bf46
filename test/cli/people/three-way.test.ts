import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergeDrafts, mergeLines, mergeWhole } from '../../../src/cli/people/three-way.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 12 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''))

test('a change that one side alone made is taken as it is, and so is one that both made', t => {
  t.diagnostic(`SEED=${SEED}`)
  fc.assert(
    fc.property(text, text, (base, changed) => {
      for (const [theirs, mine] of [
        [changed, base],
        [base, changed],
        [changed, changed],
      ] as const) {
        assert.deepEqual(mergeLines(base, theirs, mine), { text: changed, open: 0 })
      }
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('changes in different places meet, and no line of either side is lost where they do not', t => {
  t.diagnostic(`SEED=${SEED}`)
  const base = Array.from({ length: 12 }, (_, line) => `line ${line}\n`)
  const changed = (places: number[], word: string): string =>
    base.map((line, at) => (places.includes(at) ? `${word} ${at}\n` : line)).join('')
  const places = fc.uniqueArray(fc.nat(11), { maxLength: 4 })
  fc.assert(
    fc.property(places, places, (theirs, mine) => {
      const { text: merged, open } = mergeLines(base.join(''), changed(theirs, 'theirs'), changed(mine, 'mine'))
      for (const at of theirs) assert.match(merged, new RegExp(`^theirs ${at}$`, 'm'))
      for (const at of mine) assert.match(merged, new RegExp(`^mine ${at}$`, 'm'))
      const near = theirs.some(one => mine.some(other => one === other))
      if (near) assert.ok(open > 0)
      const apart = theirs.every(one => mine.every(other => Math.abs(one - other) > 1))
      if (apart) assert.equal(open, 0)
    }),
    { seed: SEED, numRuns: 300 },
  )
})

test('what both changed stays open, both sides between marks', () => {
  assert.deepEqual(mergeLines('a\nb\nc\n', 'a\nB\nc\n', 'a\nbb\nc\n'), {
    text: 'a\n<<<<<<< yours\nbb\n=======\nB\n>>>>>>> theirs\nc\n',
    open: 1,
  })
  assert.equal(mergeWhole('a', 'b', 'c').text, '<<<<<<< yours\nc\n=======\nb\n>>>>>>> theirs\n')
})

test('sources of both sides are kept, each once', () => {
  const source = (entryId: string) => ({ entryId, revisionId: 'r' })
  const [base, theirs, mine] = [['a'], ['a', 'b'], ['a', 'c']].map(ids => ({
    title: 't',
    summary: 's',
    content: 'c',
    sources: ids.map(source),
  })) as [never, never, never]
  const { draft, open } = mergeDrafts(base, theirs, mine)
  assert.equal(open, 0)
  assert.deepEqual(draft.sources, ['a', 'b', 'c'].map(source))
})
