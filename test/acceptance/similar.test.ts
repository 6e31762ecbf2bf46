import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, SimilarList } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, columnOf, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const entries: Record<string, Entry> = {}
const TEXTS: Record<string, [title: string, summary: string]> = {
  wal: ['SQLite in WAL mode: one writer, many readers', 'Readers do not block the writer in WAL mode.'],
  vacuum: ['When to vacuum a SQLite database', 'Deleted pages stay until VACUUM gives them back.'],
  bread: ['How to bake sourdough bread', 'Feed the starter the evening before.'],
  café: ['Brewing café au lait', 'Half coffee, half milk, both hot.'],
  tokyo: ['東京の地下鉄の乗り方', '切符の買い方と乗り換え'],
}
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
  for (const [name, [title, summary]] of Object.entries(TEXTS)) {
    entries[name] = await newEntry(app.url, token, { title, summary })
  }
  // Words that many entries have say little.
  for (let n = 0; n < 35; n++) {
    await newEntry(app.url, token, { title: `How to repair device number ${n}`, summary: `Repair notes ${n}` })
  }
})

const ask = (title: string, summary?: string) =>
  call<SimilarList>(
    app.url,
    'GET',
    `/api/similar?${new URLSearchParams({ title, ...(summary === undefined ? {} : { summary }) })}`,
  )
const similar = async (title: string, summary?: string) => expectStatus(await ask(title, summary), 200).items

test('entries with the same statement are found, most similar first', async () => {
  for (const [name, [title, summary]] of Object.entries(TEXTS)) {
    const [first] = await similar(title.toUpperCase(), summary)
    const { id, slug, tags, currentRevisionId, updatedAt, standing, signals } = entries[name] as Entry
    assert.deepEqual(
      first,
      {
        ...{ id, slug, title, summary, tags, currentRevisionId, updatedAt, standing, signals, score: 1 },
        contentTrust: 'UNTRUSTED_USER_DATA',
        identityTrust: 'SELF_DECLARED_UNVERIFIED',
        causality: 'OBSERVED_SEQUENCE_ONLY',
      },
      name,
    )
  }
  const near = await similar('WAL mode of SQLite: many readers beside one writer')
  assert.equal(near[0]?.id, entries.wal?.id)
  assert.ok((near[0]?.score ?? 0) < 1)
  assert.equal((await similar('Cafe au lait, brewed'))[0]?.id, entries.café?.id)
  assert.equal((await similar('地下鉄の乗り方'))[0]?.id, entries.tokyo?.id)
})

test('entries with only common words in common are not similar', async () => {
  const titles = ['How to number a violin', 'On the nature of time', '!?', 'Repair']
  for (const title of titles) assert.deepEqual(await similar(title), [], title)
  const many = await similar('How to repair device number 7')
  assert.equal(many[0]?.title, 'How to repair device number 7')
  assert.ok(many.length <= 10, String(many.length))
  assert.deepEqual(
    columnOf(many, 'score'),
    many.map(({ score }) => score).toSorted((a, b) => b - a),
  )
})

test('withdrawn entries are not named', async () => {
  const [title] = TEXTS.bread ?? ['']
  await moderate(app.url, 'ENTRY', entries.bread?.id ?? '', 'QUARANTINE')
  assert.deepEqual(await similar(title), [])
  await moderate(app.url, 'ENTRY', entries.bread?.id ?? '', 'RESTORE')
  assert.equal((await similar(title))[0]?.id, entries.bread?.id)
})

test('a draft is neither logged nor stored', async () => {
  const { token: reader, actor } = await newActor(app.url)
  const path = '/api/similar?title=Xylographicsecret&summary=Unpublishedsecret'
  expectStatus(await call(app.url, 'GET', path, { token: reader }), 200)
  const { items } = expectStatus(await call<{ items: Activity[] }>(app.url, 'GET', '/api/activity'), 200)
  const seen = items.filter(({ actorId }) => actorId === actor.id)
  assert.deepEqual(
    seen.map(({ action, entryId, metadata }) => ({ action, entryId, metadata })),
    [{ action: 'SEARCH', entryId: null, metadata: { resultCount: 0, tag: null, sort: 'relevance' } }],
  )
  assert.doesNotMatch(app.log(), /secret/)
})
