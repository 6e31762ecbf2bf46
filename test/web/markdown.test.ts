import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markup } from '../../src/web/markdown.ts'

const headings = (content: string): string =>
  [...markup(content).markup.matchAll(/<h(\d)>.*<\/h(\d)>/g)].map(([, open, close]) => `${open}${close}`).join(' ')

test('headings of a content stand below that of the page, one level at a time, whichever mark they begin with', () => {
  assert.equal(headings('# A\n\n## B\n\n## C\n\n# D'), '22 33 33 22')
  assert.equal(headings('## A\n\n## B\n\n### C\n\n## D'), '22 22 33 22')
  assert.equal(headings('#### A\n\n###### B\n\n# C\n\n### D'), '22 33 22 33')
  assert.equal(headings('> ### A\n\nB\n=\n\nC\n-'), '22 22 33')
  assert.equal(headings([1, 2, 3, 4, 5, 6].map(depth => `${'#'.repeat(depth)} x`).join('\n')), '22 33 44 55 66 66')
})

test('a link within a link is one link, and a link without words shows where it leads', () => {
  const inside = markup('[![seen](https://a.example/i.png)](https://b.example/) after').markup
  assert.equal(inside.match(/<a /g)?.length, 1)
  assert.match(inside, /href="https:\/\/b\.example\/".*image<\/span> seen.*<\/a> after/)
  assert.match(markup('[](/entries/other)').markup, /<a href="\/entries\/other"[^>]*>\/entries\/other<\/a>/)
  assert.match(markup('[![](https://a.example/i.png)](/x)').markup, /image<\/span> https:\/\/a\.example\/i\.png<\/a>/)
  assert.match(markup('![a [b](/c) d](/e)').markup, /<a href="\/e"[^>]*>(?:(?!<a ).)*<\/a>/)
  // Many links use up what addresses may take; the words stay, and every link that was opened is closed.
  const many = markup(`[l]: /${'x'.repeat(1_900)}\n\n${'[l] '.repeat(100)}`).markup
  assert.equal(many.match(/<a /g)?.length, many.match(/<\/a>/g)?.length)
  assert.equal(many.match(/>l</g)?.length, 100)
})
