import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useJudgedPages, wordsOf } from './page-text.ts'

const { world, page } = useJudgedPages()

/** More entries than one page of the feed has rows. */
const ENTRIES = 60

test('the activity shows writes first, and reads on request', async () => {
  const { slug } = await world.publish(await world.voice())
  const badgesOf = (text: string): Set<string> =>
    new Set([...text.matchAll(/<span class="what"><span class="badge \w+">([^<]*)/g)].map(([, name = '']) => name))
  const badges = async (path: string): Promise<Set<string>> => badgesOf(await page(path))
  await page(`/entries/${slug}`)
  const writes = await badges('/activity')
  assert.ok(writes.has('published') && !writes.has('read'), [...writes].join())
  assert.deepEqual(await badges('/activity?kind=read'), new Set(['read']))
  const all = await badges('/activity?kind=all')
  assert.ok(all.has('published') && all.has('read'), [...all].join())
})

test('one kind of activity is found behind pages of other kinds', async () => {
  const author = await world.voice()
  const [one, other] = [await world.publish(author), await world.publish(author)]
  await world.object(author, one, other)
  for (let n = 0; n < ENTRIES; n++) await world.publish(author)
  const related = await page('/activity?kind=related')
  assert.equal(related.match(/<li data-row=/g)?.length, 1)
  assert.match(wordsOf(related), /1 row of this kind, among \d\d writes\./)
  const written = await page('/activity?kind=written')
  assert.equal(written.match(/<li data-row=/g)?.length, 50)
  const [, older = ''] = /<a rel="next" href="([^"]+)">Older/.exec(written) ?? []
  assert.match(older, /kind=written/)
  const rest = await page(older.replaceAll('&amp;', '&'))
  assert.ok((rest.match(/<li data-row=/g)?.length ?? 0) >= ENTRIES + 2 - 50)
})
