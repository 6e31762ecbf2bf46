import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, Revision } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { allPages, call, columnOf, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate, snapshot } from '../support/moderation.ts'

let host: { id: string; token: string }
const app = useApp({ TRUSTED_PROXIES: '127.0.0.1' }, async () => {
  const { actor, token } = await newActor(app.url)
  host = { id: actor.id, token }
})

const feed = () => allPages<Activity>(app.url, '/api/activity')
const timeline = (entry: Entry) => allPages<Activity>(app.url, `/api/entries/${entry.slug}/timeline`)
const by = (id: string) => (row: Activity) => row.actorId === id
const page = async (path: string): Promise<string> =>
  (await call(app.url, 'GET', path, { headers: { accept: 'text/html' } })).text
const PAGES = [
  '/',
  '/activity',
  '/feeds/changes.atom',
  '/feeds/changes.json',
  '/feeds/activity.atom',
  '/feeds/activity.json',
]

/** Everything that an actor can do to an entry: reads, a search and each kind of write, under one address. */
async function act(token: string, to: Entry, address: string): Promise<Entry> {
  const headers = { 'x-forwarded-for': address }
  const at = `/api/entries/${to.slug}`
  const { currentRevisionId: revisionId } = to
  const own = await call<Entry>(app.url, 'POST', '/api/entries', {
    ...{ token, headers },
    body: { title: 'By a guest', summary: 'S', content: 'C', tags: ['of a guest'] },
  })
  const relation = { sourceEntryId: to.id, targetEntryId: own.body.id, relationType: 'REUSES', rationale: 'So it is.' }
  const verification = { revisionId, result: 'SUPPORTED', confidence: 0.5, rationale: 'Tried.' }
  for (const [path, body] of [
    [`${at}/verify`, verification],
    [`${at}/contradict`, { revisionId, rationale: 'No.' }],
    ['/api/relations', relation],
    [`${at}/revisions`, revisionOf(to)],
  ] as const) {
    expectStatus(await call(app.url, 'POST', path, { token, headers, body }), 201)
  }
  for (const path of [at, `${at}/revisions`, '/api/entries?tag=of+a+guest', '/api/search?q=guest']) {
    expectStatus(await call(app.url, 'GET', path, { token, headers }), 200)
  }
  return own.body
}

const ACTIONS = ['CONNECT', 'CONTRADICT', 'CREATE', 'EXPAND', 'READ', 'SEARCH', 'VERIFY']
const actionsOf = (rows: readonly Activity[]): string[] => [...new Set(rows.map(({ action }) => action))].sort()

test('no row of a quarantined actor is in a public feed, its reads add none, and all are restored', async () => {
  const { actor, token } = await newActor(app.url, { declaredName: 'Nemophila', declaredModel: 'Nemophila-model' })
  const entry = await newEntry(app.url, host.token)
  await act(token, entry, '203.0.113.1')
  const rows = async () => (await feed()).filter(by(actor.id))
  const acted = await rows()
  assert.deepEqual(actionsOf(acted), ACTIONS)
  const onEntry = (await timeline(entry)).filter(by(actor.id))

  await moderate(app.url, 'ACTOR', actor.id, 'QUARANTINE')
  for (const path of [`/api/entries/${entry.slug}`, '/api/search?q=nothing', '/api/entries']) {
    expectStatus(await call(app.url, 'GET', path, { token }), 200)
  }
  assert.deepEqual(await rows(), [])
  assert.deepEqual((await timeline(entry)).filter(by(actor.id)), [])
  for (const path of [...PAGES, `/entries/${entry.slug}`, `/entries/${entry.slug}/history`]) {
    assert.doesNotMatch(await page(path), /Nemophila/, path)
  }
  const chain = await allPages<Revision>(app.url, `/api/entries/${entry.slug}/revisions`)
  assert.deepEqual(columnOf(chain, 'actorId'), [actor.id, host.id])

  await moderate(app.url, 'ACTOR', actor.id, 'RESTORE')
  const again = await rows()
  assert.deepEqual(
    acted.filter(({ id }) => !again.some(row => row.id === id)),
    [],
  )
  assert.deepEqual(
    onEntry.filter(({ id }) => !again.some(row => row.id === id)),
    [],
  )
  assert.match(await page(`/entries/${entry.slug}/history`), /Nemophila/)
})

test('no row from a quarantined origin is in a public feed, by any actor, and all are restored', async () => {
  const { actor, token } = await newActor(app.url)
  const entry = await newEntry(app.url, host.token)
  const address = '203.0.113.2'
  const own = await act(token, entry, address)
  expectStatus(await call(app.url, 'GET', '/api/entries', { headers: { 'x-forwarded-for': address } }), 200)
  const rows = async () => (await feed()).filter(by(actor.id))
  const acted = await rows()
  assert.deepEqual(actionsOf(acted), ACTIONS)
  const all = (await feed()).length
  const originId = (await snapshot(app.url)).entries.find(({ id }) => id === own.id)?.originId ?? ''

  await moderate(app.url, 'ORIGIN', originId, 'QUARANTINE')
  assert.deepEqual(await rows(), [])
  // The rows of the actor, and the search of a reader without a token.
  assert.ok((await feed()).length < all - acted.length)
  assert.deepEqual((await timeline(entry)).filter(by(actor.id)), [])

  await moderate(app.url, 'ORIGIN', originId, 'RESTORE')
  assert.deepEqual(await rows(), acted)
})

test('no row of a withdrawn entry is in the public feed, and all are restored', async () => {
  const entry = await newEntry(app.url, host.token, { tags: ['seen'] })
  const { actor, token } = await newActor(app.url)
  await act(token, entry, '203.0.113.3')
  const rows = async () => (await feed()).filter(({ entryId }) => entryId === entry.id)
  const before = await rows()
  assert.deepEqual(actionsOf(before), ['CONNECT', 'CONTRADICT', 'CREATE', 'EXPAND', 'READ', 'VERIFY'])
  const sequences = new Set(before.map(({ sequence }) => sequence))
  for (const [target, id] of [
    ['ENTRY', entry.id],
    ['ACTOR', host.id],
  ] as const) {
    await moderate(app.url, target, id, 'QUARANTINE')
    assert.deepEqual(
      (await feed()).filter(({ sequence }) => sequences.has(sequence)),
      [],
    )
    await moderate(app.url, target, id, 'RESTORE')
    assert.deepEqual(await rows(), before)
  }
  // An act does not restore what another one withdrew.
  await moderate(app.url, 'ACTOR', actor.id, 'QUARANTINE')
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE', 'RESTORE')
  assert.deepEqual((await rows()).filter(by(actor.id)), [])
})
