import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { renderedDifference } from '../../src/web/entry/difference-page.ts'
import { finished, prose } from '../../src/web/parts/prose.ts'
import { CONTENT, MARKUP } from '../support/hostile.ts'
import { useJudgedPages } from './page-text.ts'

const { world, page } = useJudgedPages()

const sidesOf = async (from: string, to: string): Promise<[string, string]> => {
  const blocks = (await finished(renderedDifference(await prose(from), await prose(to)))).flatMap(({ items }) => items)
  return [blocks.map(({ before }) => before.markup).join(''), blocks.map(({ after }) => after.markup).join('')]
}
const withoutMarks = (markup: string): string => markup.replace(/<\/?(?:ins|del)>/g, '')

test('the rendered view marks deleted and inserted words within headings, lists, code and links', async () => {
  const [before, after] = await sidesOf(
    '# Old title\n\n- one\n- two\n\nRun `make a`. See [here](https://example.com).',
    '# New title\n\n- one\n- three & more\n\nRun `make b`. See [there](https://example.com).',
  )
  assert.match(before, /<h2><del>Old<\/del> title<\/h2>/)
  assert.match(after, /<h2><ins>New<\/ins> title<\/h2>/)
  assert.match(before, /<li><del>two<\/del><\/li>/)
  assert.match(after, /<li><ins>three &amp; more<\/ins><\/li>/)
  assert.match(after, /<code>make <ins>b<\/ins><\/code>/)
  assert.match(after, /<a [^>]*><ins>there<\/ins>/)
  assert.doesNotMatch(before, /<ins>/)
  assert.doesNotMatch(after, /<del>/)
})

test('marks change nothing else, and are well-formed, for any two contents', async () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(CONTENT, MARKUP))
  await fc.assert(
    fc.asyncProperty(texts, texts, async (from, to) => {
      const [before, after] = await sidesOf(from, to)
      assert.equal(withoutMarks(before), (await prose(from)).markup)
      assert.equal(withoutMarks(after), (await prose(to)).markup)
      // A mark has only text in it.
      assert.equal(before.match(/<del>/g)?.length, before.match(/<del>[^<]+<\/del>/g)?.length)
      assert.equal(after.match(/<ins>/g)?.length, after.match(/<ins>[^<]+<\/ins>/g)?.length)
    }),
    { numRuns: 200 },
  )
})

test('the page shows the marks in the rendered texts, and says when only the formatting differs', async () => {
  const author = await world.voice()
  const first = await world.publish(author, { title: 'An old name', content: 'One old word.' })
  const second = await world.revise(author, first, { title: 'A new name', content: 'One new word.' })
  const third = await world.revise(author, second, { title: 'A new name', content: 'One *new* word.' })
  const between = (from: string, to: string): Promise<string> =>
    page(`/entries/${first.slug}/diff?from=${from}&to=${to}&view=rendered`)
  const changed = await between(first.currentRevisionId, second.currentRevisionId)
  assert.match(changed, /<p>One <del>old<\/del> word\.<\/p>/)
  assert.match(changed, /<p>One <ins>new<\/ins> word\.<\/p>/)
  assert.match(changed, /<h2>Title<\/h2>/)
  assert.match(await between(second.currentRevisionId, third.currentRevisionId), /Only the formatting differs/)
})

test('a difference numbers its changes over all texts, and folds what is far from them in every view', async () => {
  const author = await world.voice()
  const paragraphs = Array.from({ length: 30 }, (_, n) => `Paragraph ${n} is here.`)
  const first = await world.publish(author, { title: 'An old name', content: paragraphs.join('\n\n') })
  const content = paragraphs.map(one => one.replace('15 is', '15 was')).join('\n\n')
  await world.revise(author, first, { title: 'A new name', content })
  for (const [view, folds] of [
    ['inline', /<summary dir="ltr">2\d unchanged lines<\/summary>/g],
    ['split', /<summary dir="ltr">2\d unchanged lines<\/summary>/g],
    ['rendered', /<summary dir="ltr">1\d unchanged paragraphs<\/summary>/g],
  ] as const) {
    const text = await page(`/entries/${first.slug}/diff?view=${view}`)
    assert.deepEqual(
      [...text.matchAll(/id="(change-\d+)"[^>]*><p class="at" dir="ltr"> <a href="#change-\d+">([^<]*)</g)].map(found =>
        found.slice(1),
      ),
      [
        ['change-1', 'Change 1 of 2'],
        ['change-2', 'Change 2 of 2'],
      ],
    )
    assert.equal(text.match(folds)?.length, 2, view)
    assert.match(text, /<del>(?:is|was)<\/del>/, view)
  }
})
