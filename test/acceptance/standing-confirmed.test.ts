import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, EntryAsOf, WorkList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, callPatiently } from '../support/client.ts'
import { assertOneStanding, judgingWorld, proseOf, type Voice } from '../support/judging.ts'

let author: Voice
const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  author = await world.voice()
})

const ADDED = `\n\n${proseOf(600, 50_000)}`
const supported = async (): Promise<Entry> => {
  const entry = await world.publish(author)
  await world.verify(await world.voice(), entry)
  return entry
}
const confirmedOf = async (entry: Entry): Promise<number | null> => (await assertOneStanding(world, entry)).confirmed
const pageOf = async ({ slug }: Entry): Promise<string> => (await call(app.url, 'GET', `/entries/${slug}`)).text

test('support covers the share of the current text that was in the supported text', async () => {
  const unchecked = await world.publish(author)
  assert.equal(await confirmedOf(unchecked), null)
  await world.verify(author, unchecked)
  assert.equal(await confirmedOf(unchecked), null)
  const entry = await supported()
  assert.equal(await confirmedOf(entry), 1)
  const longer = await world.revise(author, entry, { content: entry.content + ADDED })
  const standing = await assertOneStanding(world, longer)
  assert.deepEqual([standing.state, standing.changed], ['UNCHECKED', 60])
  assert.ok((standing.confirmed ?? 1) < 0.15, `${standing.confirmed}`)
})

test('one added word is not confirmed, and neither is a content that replaced the confirmed one', async () => {
  const entry = await supported()
  const words = entry.content.split(' ')
  const negated = await world.revise(author, entry, { content: words.toSpliced(20, 0, 'not').join(' ') })
  const { state, confirmed } = await assertOneStanding(world, negated)
  assert.equal(state, 'PARTLY_SUPPORTED')
  assert.ok(confirmed !== null && confirmed > 0.75 && confirmed < 1, `${confirmed}`)
  const moved = await world.revise(author, negated, {
    summary: entry.content.slice(0, 490),
    content: proseOf(300, 70_000),
  })
  assert.ok(((await confirmedOf(moved)) ?? 1) < 0.25)
})

test('only support confirms: of the newer text, by another actor than its author', async () => {
  const entry = await supported()
  const added = await world.revise(author, entry, { content: entry.content + ADDED })
  const before = await confirmedOf(added)
  assert.ok((before ?? 1) < 0.15)
  await world.verify(author, added)
  assert.equal(await confirmedOf(added), before)
  const judge = await world.voice()
  await world.verify(judge, added, 'INCONCLUSIVE')
  assert.equal(await confirmedOf(added), before)
  await world.verify(judge, added)
  assert.equal(await confirmedOf(added), 1)
  await world.verify(judge, added, 'UNSUPPORTED')
  assert.equal(await confirmedOf(added), before)
})

const HALF = `\n\n${proseOf(40, 50_000)}`
/** The share of a text that was supported, in whole per cent: about half. It depends on the length of the words of each entry. */
const percentOf = async (entry: Entry): Promise<string> => {
  const confirmed = (await confirmedOf(entry)) ?? 0
  assert.ok(confirmed > 0.4 && confirmed < 0.7, `${confirmed}`)
  // Shares have three decimals.
  return `${Math.floor(Math.round(confirmed * 1_000) / 10)} %`
}

test('pages and files say how much was supported, and how many sentences changed, by whom', async () => {
  const entry = await supported()
  assert.match(await pageOf(entry), /1 of 1 says it holds/)
  const added = await world.revise(author, entry, { content: entry.content + HALF })
  const percent = await percentOf(added)
  const page = await pageOf(added)
  assert.match(page, /Supported in part/)
  assert.ok(page.includes(` ${percent} of this text was supported, 4 sentences changed since it was checked`), page)
  assert.match(page, /Changed since it was checked, by/)
  assert.doesNotMatch(page, />Supported</)
  const file = await call(app.url, 'GET', `/entries/${entry.slug}.md`)
  const line = `evidence: PARTLY_SUPPORTED: 1 of 1 says it holds, ${percent} of this text was supported, 4 sentences changed`
  assert.ok(file.text.includes(line), file.text)
})

test('tools and lists of found entries name the share', async () => {
  const entry = await supported()
  const percent = await percentOf(
    await world.revise(author, entry, { title: 'Brovanic seals', content: entry.content + HALF }),
  )
  const query = { q: 'brovanic seals' }
  const brief = await callPatiently(app.url, 'GET', `/api/find?${new URLSearchParams({ ...query, tokens: '500' })}`, {
    headers: { accept: 'text/markdown' },
  })
  assert.ok(brief.text.includes(`${percent} of this text was supported`), brief.text)
  for (const [name, args] of [
    ['find', query],
    ['read', { entry: entry.id }],
    ['work', { kind: 'UNCHECKED' }],
  ] as const) {
    const { text } = await call(app.url, 'POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      headers: { accept: 'application/json, text/event-stream' },
    })
    assert.match(text, new RegExp(`PARTLY_SUPPORTED[^"\\\\]*, ${percent} of this text was supported`), name)
  }
})

test('a supported text that mostly is new is offered for a check, and none that is confirmed', async () => {
  const entry = await supported()
  const added = await world.revise(author, entry, { content: entry.content + ADDED })
  const offered = async (): Promise<boolean> =>
    (await world.read<WorkList>('/api/work?kind=UNCHECKED&limit=20')).items.some(item => item.entry?.id === entry.id)
  assert.equal(await offered(), true)
  await world.verify(await world.voice(), added)
  assert.equal(await offered(), false)
})

test('an earlier moment has the share of that moment', async () => {
  const entry = await supported()
  const added = await world.revise(author, entry, { content: entry.content + ADDED })
  const shares = async (): Promise<(number | null)[]> => {
    const { items } = await world.read<{ items: { sequence: string }[] }>(`/api/entries/${entry.slug}/timeline`)
    const rows = items.map(({ sequence }) => world.read<EntryAsOf>(`/api/asof/${sequence}/entries/${entry.slug}`))
    return (await Promise.all(rows)).map(({ standing }) => standing.confirmed)
  }
  const before = await confirmedOf(added)
  assert.ok(before !== null && before < 0.15)
  await world.verify(await world.voice(), added)
  const found = new Set(await shares())
  for (const share of [null, 1, before]) assert.ok(found.has(share), `${[...found]} has ${share}`)
})
