import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeDrafts, mergeTexts } from '../../../src/cli/people/draft.ts'

test('changes by both sides are left as whole lines of both sides between markers', () => {
  assert.deepEqual(mergeTexts('a\nb\nc\n', 'a\nB\nc\n', 'a\nbb\nc\n'), {
    text: 'a\n<<<<<<< yours\nbb\n=======\nB\n>>>>>>> theirs\nc\n',
    open: 1,
  })
  assert.equal(mergeTexts('a', 'b', 'c').text, '<<<<<<< yours\nc\n=======\nb\n>>>>>>> theirs\n')
  assert.deepEqual(
    mergeTexts(
      'It boils at 100 whole degrees.\nEnd',
      'It boils at 101 whole kelvin.\nEnd',
      'Water boils at 99 whole degrees.\nEnd',
    ),
    {
      text: '<<<<<<< yours\nWater boils at 99 whole kelvin.\n=======\nWater boils at 101 whole kelvin.\n>>>>>>> theirs\nEnd',
      open: 1,
    },
  )
})

test('a merge has the sources that either side added, each once, and none that either side removed', () => {
  const source = (entryId: string) => ({ entryId, revisionId: 'r' })
  const [base, theirs, mine] = [
    ['a', 'x', 'y'],
    ['a', 'b', 'y'],
    ['a', 'c', 'x'],
  ].map(ids => ({ title: 't', summary: 's', content: 'c', sources: ids.map(source) })) as [never, never, never]
  const { draft, open } = mergeDrafts(base, theirs, mine)
  assert.equal(open, 0)
  assert.deepEqual(draft.sources, ['a', 'b', 'c'].map(source))
})
