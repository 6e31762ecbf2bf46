import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { judgingWorld, type Voice } from '../support/judging.ts'
import { toNoon } from '../support/moderation.ts'

const DAY = 86_400_000
let author: Voice
const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  toNoon(app)
})
beforeEach(async () => {
  author = await world.voice()
})

/** The rows of the list of disputes of the home page: the address of the entry, and all that is shown of it. */
async function contested(): Promise<{ slug: string; row: string }[]> {
  const page = await (await fetch(`${app.url}/`, { headers: { accept: 'text/html' } })).text()
  const section = /<h2>In dispute<\/h2>.*?<\/section>/s.exec(page)?.[0] ?? ''
  return [...section.matchAll(/<li>(<a [^>]*href="\/entries\/([\w-]+)\/evidence">.*?)<\/li>/gs)].map(
    ([, row = '', slug = '']) => ({
      slug,
      row,
    }),
  )
}
const placesOf = async (entries: readonly Entry[]): Promise<number> => {
  const slugs = (await contested()).map(({ slug }) => slug)
  return entries.filter(({ slug }) => slugs.includes(slug)).length
}

test('one new actor takes one place of the contested list, and its texts are not shown', async () => {
  const entries: Entry[] = []
  const troll = await world.voice()
  for (let n = 0; n < 6; n++) {
    const entry = await world.publish(author)
    entries.push(entry)
    await world.contradict(troll, entry, 'Buy my beans at https://beans.example')
  }
  assert.equal(await placesOf(entries), 1)
  assert.ok((await contested()).every(({ row }) => !row.includes('beans')))
})

test('many actors of one network take one place', async () => {
  const entries: Entry[] = []
  for (const troll of await world.voices(6, '203.0.113.50')) {
    const entry = await world.publish(author)
    entries.push(entry)
    await world.contradict(troll, entry)
  }
  assert.equal(await placesOf(entries), 1)
})

test('an entry that only its own network contradicts has no place', async () => {
  const [seller, other] = (await world.voices(2, '203.0.113.60')) as [Voice, Voice]
  const { body } = await world.send<Entry>(seller, '/api/entries', {
    title: 'Beans',
    summary: 'Buy',
    content: 'Beans, now',
  })
  await world.contradict(other, body)
  assert.equal(await placesOf([body]), 0)
})

test('entries with independent voices on both sides come before those with more on one', async () => {
  const [one, both] = [await world.publish(author), await world.publish(author)]
  for (const judge of await world.voices(4)) await world.contradict(judge, one)
  for (const judge of await world.voices(2)) await world.contradict(judge, both)
  for (const judge of await world.voices(2)) await world.verify(judge, both)
  const slugs = (await contested()).map(({ slug }) => slug)
  assert.equal(slugs[0], both.slug)
  assert.ok(slugs.includes(one.slug))
  const { row } = (await contested())[0] ?? { row: '' }
  assert.match(row.replaceAll(/<[^>]+>/g, ''), /Disputed 2 of 4 say it holds/)
})

test('both sides of a dispute are quoted, in texts of actors seen before today about the current text', async () => {
  const entry = await world.publish(author)
  const judges = await world.voices(5)
  app.advance(DAY)
  for (const judge of judges.slice(0, 3)) await world.contradict(judge, entry, 'It never worked here.')
  for (const judge of judges.slice(3)) await world.verify(judge, entry)
  const { row } = (await contested()).find(({ slug }) => slug === entry.slug) ?? { row: '' }
  assert.match(row, /Against<\/span> <q[^>]*>It never worked here\./)
  assert.match(row, /For<\/span> <q[^>]*>Tried it\./)
  const later = await world.revise(author, entry, { content: 'Nothing that was checked is left of it.' })
  await world.contradict(judges[0] as Voice, later, 'Still wrong.')
  const now = (await contested()).find(({ slug }) => slug === entry.slug) ?? { row: '' }
  assert.match(now.row, /Still wrong\./)
  assert.doesNotMatch(now.row, /Tried it/)
})

test('an author with several disputed entries has one place before others have theirs', async () => {
  const other = await world.publish(await world.voice())
  const flood: Entry[] = []
  for (let n = 0; n < 5; n++) flood.push(await world.publish(author))
  for (const entry of flood) {
    for (const judge of await world.voices(3)) await world.contradict(judge, entry)
    for (const judge of await world.voices(3)) await world.verify(judge, entry)
  }
  for (const judge of await world.voices(3)) await world.contradict(judge, other)
  for (const judge of await world.voices(3)) await world.verify(judge, other)
  const slugs = (await contested()).map(({ slug }) => slug)
  assert.ok(slugs.indexOf(other.slug) === 0 || slugs.indexOf(other.slug) === 1, slugs.join())
})

test('an actor is quoted once, on either side', async () => {
  const [troll, friend] = (await world.voices(2)) as [Voice, Voice]
  app.advance(DAY)
  for (let n = 0; n < 5; n++) {
    const entry = await world.publish(await world.voice())
    for (const judge of await world.voices(4)) await world.contradict(judge, entry)
    for (const judge of await world.voices(4)) await world.verify(judge, entry)
    await world.contradict(troll, entry, 'Buy my beans.')
    await world.verify(friend, entry)
  }
  const rows = (await contested()).map(({ row }) => row).join()
  assert.equal(rows.match(/Buy my beans/g)?.length, 1)
  assert.equal(rows.match(/<q[^>]*>Tried it/g)?.length, 1)
})

test('pages, lists, files and feeds show the state of the API', async () => {
  const entry = await world.publish(author, { tags: ['shown state'] })
  await world.contradict(await world.voice(), entry)
  const textOf = async (path: string): Promise<string> => (await fetch(`${app.url}${path}`)).text()
  const { state } = await world.standing(entry)
  assert.equal(state, 'CONTRADICTED')
  const page = await textOf(`/entries/${entry.slug}`)
  assert.equal(page.match(/<span class="badge bad"[^>]*>Contradicted</g)?.length, 2)
  assert.match(page, /<strong>0 of 1 say it holds<\/strong>/)
  assert.match(await textOf('/search?tag=shown%20state'), /<span class="stands bad" title="Contradicted">.*0 of 1 /)
  assert.match(await textOf(`/entries/${entry.slug}.md`), /^- evidence: CONTRADICTED: 0 of 1 say it holds/m)
  assert.match(
    await textOf('/feeds/tag.atom?tag=shown%20state'),
    /scheme="urn:palimpsest:standing" term="CONTRADICTED"/,
  )
  const feed = JSON.parse(await textOf('/feeds/tag.json?tag=shown%20state'))
  assert.equal(feed.items[0]._palimpsest.standing.state, 'CONTRADICTED')
})
