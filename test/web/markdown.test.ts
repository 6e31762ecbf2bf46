import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prose } from '../../src/web/markdown.ts'

const headings = (content: string): string =>
  [...prose(content).markup.matchAll(/<h(\d)>.*<\/h(\d)>/g)].map(([, open, close]) => `${open}${close}`).join(' ')

test('headings of a content stand below that of the page, one level at a time, whichever mark they begin with', () => {
  assert.equal(headings('# A\n\n## B\n\n## C\n\n# D'), '22 33 33 22')
  assert.equal(headings('## A\n\n## B\n\n### C\n\n## D'), '22 22 33 22')
  assert.equal(headings('#### A\n\n###### B\n\n# C\n\n### D'), '22 33 22 33')
  assert.equal(headings('> ### A\n\nB\n=\n\nC\n-'), '22 22 33')
  assert.equal(headings([1, 2, 3, 4, 5, 6].map(depth => `${'#'.repeat(depth)} x`).join('\n')), '22 33 44 55 66 66')
})
