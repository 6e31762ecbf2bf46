import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useJudgedPages, wordsOf } from '../support/page-text.ts'

const { world, page } = useJudgedPages()

/** More entries than one page of the feed has rows. */
const ENTRIES = 60

test('one kind of activity is found behind pages of other kinds', async () => {
  const author = await world.voice()
  const [one, other] = [await world.publish(author), await world.publish(author)]
  await world.object(author, one, other)
  for (let n = 0; n < ENTRIES; n++) await world.publish(author)
  const related = await page('/activity?kind=related')
  assert.equal(related.match(/<li data-row=/g)?.length, 1)
  assert.match(wordsOf(related), /1 row of this kind, among \d\d rows of the activity\./)
  const written = await page('/activity?kind=written')
  assert.equal(written.match(/<li data-row=/g)?.length, 50)
  const [, older = ''] = /<a rel="next" href="([^"]+)">Older/.exec(written) ?? []
  assert.match(older, /kind=written/)
  const rest = await page(older.replaceAll('&amp;', '&'))
  assert.ok((rest.match(/<li data-row=/g)?.length ?? 0) >= ENTRIES + 2 - 50)
})
