import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { assertOneStanding, countsOf, judgingWorld, proseOf, type Voice } from '../support/judging.ts'

let author: Voice
let editor: Voice
const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  ;[author, editor] = (await world.voices(2)) as [Voice, Voice]
})

/** The same text with another last word. */
const altered = (content: string): string => content.replace(/\w+$/, 'altered')
const alter = (entry: Entry): Promise<Entry> =>
  world.revise(editor, entry, { content: altered(entry.content), changeType: 'CORRECT' })
const standingOf = async (entry: Entry) => {
  const standing = await assertOneStanding(world, entry)
  return { state: standing.state, counts: countsOf(standing) }
}

for (const [order, isFirst] of [
  ['before', true],
  ['after', false],
] as const) {
  test(`an actor that changes a text ${order} it supports it counts apart for the changed one`, async () => {
    const first = await world.publish(author)
    if (isFirst) await world.verify(editor, first)
    const changed = await alter(first)
    if (!isFirst) await world.verify(editor, changed, 'SUPPORTED', first.currentRevisionId)
    assert.deepEqual(await standingOf(changed), { state: 'UNCHECKED', counts: { own: 1 } })
    const again = await world.revise(author, changed, { content: `${changed.content} more` })
    assert.deepEqual(await standingOf(again), { state: 'UNCHECKED', counts: { own: 1 } })
    await world.verify(await world.voice(), again)
    assert.equal((await standingOf(again)).state, 'SUPPORTED')
  })
}

test('the support of an actor counts again for the exact text that it had supported', async () => {
  const first = await world.publish(author)
  await world.verify(editor, first)
  const restored = await world.revise(author, await alter(first), { content: first.content })
  assert.deepEqual((await standingOf(restored)).counts, {
    ...{ supported: 1, actors: 1, independent: 1, independentFor: 1 },
  })
})

test('an objection counts apart only for the author of the exact revision', async () => {
  const changed = await alter(await world.publish(author))
  await world.contradict(author, changed)
  assert.deepEqual(await standingOf(changed), {
    state: 'CONTRADICTED',
    counts: { contradicted: 1, actors: 1, independent: 1, independentAgainst: 1 },
  })
  const other = await alter(await world.publish(author))
  await world.verify(author, other)
  assert.deepEqual(await standingOf(other), { state: 'UNCHECKED', counts: { own: 1 } })
  await world.verify(editor, other, 'UNSUPPORTED')
  assert.deepEqual(await standingOf(other), { state: 'UNCHECKED', counts: { own: 2 } })
})

test('a replaced title and summary are supported in part', async () => {
  const entry = await world.publish(author, { content: proseOf(150) })
  for (const judge of await world.voices(2)) await world.verify(judge, entry)
  const { content } = entry
  const advert = { title: 'Buy our new lamps today', summary: 'The best lamps and the lowest prices', content }
  const renamed = await world.revise(editor, entry, { ...advert, changeType: 'CORRECT' })
  const { state, tally, confirmed } = await assertOneStanding(world, renamed)
  assert.deepEqual([state, tally.independentFor], ['SUPPORTED', 2])
  assert.ok((confirmed ?? 1) < 0.5, `${confirmed} is confirmed`)
})
