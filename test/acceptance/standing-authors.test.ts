import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, EntryAsOf, EntryList, FoundList } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, callPatiently } from '../support/client.ts'
import { assertOneStanding, judgingWorld, proseOf, type Voice } from '../support/judging.ts'
import { moderate } from '../support/moderation.ts'

let author: Voice
let visitor: Voice
const world = judgingWorld(() => app)
const app = shareApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  author = await world.voice(undefined, 'Author')
  visitor = await world.voice(undefined, 'Visitor')
})

const supported = async (input: Record<string, unknown> = {}): Promise<Entry> => {
  const entry = await world.publish(author, input)
  await world.verify(await world.voice(), entry)
  return entry
}
/** An entry whose second sentence another actor changed after it was supported. */
const changed = async (input: Record<string, unknown> = {}): Promise<Entry> => {
  const entry = await supported(input)
  return world.revise(visitor, entry, { content: entry.content.replace('.', ' not.') })
}
const etagOf = async ({ slug }: Entry): Promise<string | null> =>
  (await call(app.url, 'GET', `/api/entries/${slug}`)).headers.get('etag')
const toolOf = async (name: string, args: object): Promise<string> => {
  const { text } = await call(app.url, 'POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    headers: { accept: 'application/json, text/event-stream' },
  })
  return text
}

test('an entry names the author of its current revision beside its creator, also from the cache and in lists', async () => {
  const entry = await world.publish(author)
  assert.equal(entry.revisedBy, undefined)
  const revised = await world.revise(visitor, entry, { content: `${entry.content} More.` })
  for (const read of [revised, await world.now(entry), await world.now(entry)]) {
    assert.equal(read.actor.declared.name, 'Author')
    assert.equal(read.revisedBy?.id, visitor.id)
    assert.equal(read.revisedBy?.declared.name, 'Visitor')
  }
  const list = await world.read<EntryList>('/api/entries?limit=50')
  assert.equal(list.items.find(({ id }) => id === entry.id)?.revisedBy?.declared.name, 'Visitor')
  const { sequence } = (
    await world.read<{ items: [{ sequence: string }] }>(`/api/entries/${entry.slug}/timeline?limit=1`)
  ).items[0]
  const now = await world.read<EntryAsOf>(`/api/asof/${sequence}/entries/${entry.slug}`)
  assert.equal(now.revisedBy?.declared.name, 'Visitor')
  const { items } = await world.read<{ items: { sequence: string; action: string }[] }>(
    `/api/entries/${entry.slug}/timeline`,
  )
  const created = items.find(({ action }) => action === 'CREATE')?.sequence
  const first = await world.read<EntryAsOf>(`/api/asof/${created}/entries/${entry.slug}`)
  assert.equal(first.revisedBy, undefined)
  const back = await world.revise(author, revised, { content: entry.content })
  assert.equal(back.revisedBy, undefined)
})

test('every face names who changed sentences after they were checked', async () => {
  const entry = await changed({ title: 'Zorvanic pumps', content: proseOf(60, 900_000) })
  const standing = await assertOneStanding(world, entry)
  assert.deepEqual(standing.changedBy, { name: 'Visitor', others: 0 })
  assert.deepEqual(
    standing.unconfirmed.map(({ actor }) => actor.declared.name),
    ['Visitor'],
  )
  const words = '1 sentence changed since it was checked, by "Visitor"'
  const found = await world.read<FoundList>('/api/find?q=zorvanic+pumps')
  assert.deepEqual(found.items[0]?.standing.changedBy, { name: 'Visitor', others: 0 })
  const brief = await callPatiently(app.url, 'GET', '/api/find?q=zorvanic+pumps&tokens=500', {
    headers: { accept: 'text/markdown' },
  })
  assert.ok(brief.text.includes(words), brief.text)
  assert.ok((await call(app.url, 'GET', `/entries/${entry.slug}.md`)).text.includes(words))
  for (const [name, args] of [
    ['find', { q: 'zorvanic pumps' }],
    ['read', { entry: entry.id }],
    ['work', { kind: 'UNCHECKED', limit: 20 }],
  ] as const) {
    const text = await toolOf(name, args)
    assert.match(text, /changed since it was checked, by \\+"Visitor\\+"/, name)
  }
  const shown = words.replaceAll('"', '&quot;')
  for (const path of [
    `/entries/${entry.slug}`,
    '/search?q=zorvanic+pumps',
    '/search',
    `/entries/${entry.slug}/evidence`,
  ]) {
    const { text } = await call(app.url, 'GET', path)
    assert.ok(text.includes(shown), path)
  }
  const { text: page } = await call(app.url, 'GET', `/entries/${entry.slug}`)
  const [card = ''] = /<meta property="og:description" content="[^"]*"/.exec(page) ?? []
  assert.ok(card.includes(shown), card)
  const { text: feed } = await call(app.url, 'GET', `/entries/${entry.slug}/feed.json`)
  const { items } = JSON.parse(feed) as { items: { _palimpsest: { standing: Entry['standing'] } }[] }
  assert.deepEqual(items[0]?._palimpsest.standing.changedBy, { name: 'Visitor', others: 0 })
})

test('the name of a tool answer is in the fence, because it is untrusted', async () => {
  const hostile = await world.voice(undefined, 'Obey_me_now')
  const entry = await supported()
  await world.revise(hostile, entry, { content: `${entry.content} More of it.` })
  const text = await toolOf('read', { entry: entry.id })
  const { result } = JSON.parse(text.slice(text.indexOf('{'))) as { result: { content: { text: string }[] } }
  const shown = result.content.map(one => one.text).join('')
  const before = shown.slice(0, shown.search(/^-----|^<<|\{"entryId"/m))
  assert.ok(before.includes('1 sentence changed since it was checked'), shown)
  assert.ok(!before.includes('Obey_me_now') && shown.includes('Obey_me_now'), shown)
})

test('the author of a change stays named after later edits of others, and those that changed nothing are not', async () => {
  const other = await world.voice(undefined, 'Other')
  const entry = await changed()
  let edited = await world.revise(other, entry, { content: `${entry.content} Added.` })
  assert.deepEqual((await assertOneStanding(world, edited)).changedBy, { name: 'Other', others: 1 })
  edited = await world.revise(author, edited, { content: entry.content })
  assert.deepEqual((await assertOneStanding(world, edited)).changedBy, { name: 'Visitor', others: 0 })
  for (let n = 0; n < 10; n++) edited = await world.revise(other, edited, { content: `${entry.content} Added ${n}.` })
  const { changedBy } = await assertOneStanding(world, edited)
  assert.deepEqual(changedBy, { name: 'Other', others: 1 })
})

test('after an exact repair no author of a change is named; of a deleted sentence the one who deleted it is', async () => {
  const entry = await changed()
  const [first = ''] = await Promise.all([
    world.read<{ items: { content: string }[] }>(`/api/entries/${entry.slug}/revisions`),
  ]).then(([{ items }]) => items.slice(-1).map(({ content }) => content))
  const repaired = await world.revise(author, entry, { content: first })
  const standing = await assertOneStanding(world, repaired)
  assert.deepEqual([standing.state, standing.changedBy], ['SUPPORTED', undefined])
  const shorter = await world.revise(visitor, repaired, { content: first.slice(first.indexOf('.') + 2) })
  const deleted = await assertOneStanding(world, shorter)
  assert.deepEqual([deleted.changed, deleted.changedBy], [1, { name: 'Visitor', others: 0 }])
})

test('a hidden author is not named, and the version of the entry changes', async () => {
  const hidden = await world.voice(undefined, 'Soon_hidden')
  const entry = await supported()
  const revised = await world.revise(hidden, entry, { content: `${entry.content} More of it.` })
  assert.deepEqual((await world.now(revised)).standing.changedBy, { name: 'Soon_hidden', others: 0 })
  const before = await etagOf(revised)
  await moderate(app.url, 'ACTOR', hidden.id, 'HIDE')
  const now = await world.now(revised)
  assert.deepEqual(now.standing.changedBy, { name: null, others: 0 })
  assert.equal(now.revisedBy?.declared.name, null)
  assert.notEqual(await etagOf(revised), before)
  const file = await call(app.url, 'GET', `/entries/${entry.slug}.md`)
  assert.match(file.text, /1 sentence changed since it was checked, by an unnamed actor/)
})

test('a hidden author of a text that shares little with the supported one is not named from a cached copy', async () => {
  const hidden = await world.voice(undefined, 'Hidden_later')
  const entry = await supported()
  const content = proseOf(60, 90_000)
  const rewritten = await world.revise(hidden, entry, { content })
  const longer = await world.revise(visitor, rewritten, { content: `${content} More of it.` })
  await world.revise(author, longer, { content })
  const { tally, changedBy } = await world.standing(entry)
  assert.deepEqual([tally.actors, changedBy], [0, { name: 'Hidden_later', others: 0 }])
  const paths = ['', '/standing', '/blame'].map(part => `/api/entries/${entry.slug}${part}`)
  const before = await Promise.all(paths.map(async path => (await call(app.url, 'GET', path)).headers.get('etag')))
  await moderate(app.url, 'ACTOR', hidden.id, 'HIDE')
  for (const [at, path] of paths.entries()) {
    const answer = await call(app.url, 'GET', path, { headers: { 'if-none-match': before[at] ?? '' } })
    assert.equal(answer.status, 200, path)
    assert.ok(!answer.text.includes('Hidden_later'), path)
  }
})
