import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Change, Entry, PinsReport } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { allChanges, applyChanges, assertChanges, changes, isModerated, isWrite } from '../support/changes.ts'
import {
  allPages,
  call,
  callPatiently,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../support/client.ts'
import { moderate, snapshot } from '../support/moderation.ts'

let token: string
let other: string
let author: string
let judge: string
const app = useApp({ TRUSTED_PROXIES: '127.0.0.1' }, async () => {
  const [one, two] = [await newActor(app.url), await newActor(app.url)]
  ;[token, other, author, judge] = [one.token, two.token, one.actor.id, two.actor.id]
})

const now = async (): Promise<string> => (await allChanges(app.url)).sequence
const named = (items: readonly Change[]) => items.map(({ action, entryId }) => [action, entryId])
const revise = async (entry: Entry, input: object = {}): Promise<Entry> =>
  expectStatus(
    await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      body: revisionOf(entry, { ...input }),
      token,
    }),
    201,
  )
const verify = async (entry: Entry, by = other): Promise<void> => {
  const body = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried it.' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { body, token: by }), 201)
}
const relate = async (source: Entry, target: Entry, relationType: string): Promise<void> => {
  const body = { sourceEntryId: source.id, targetEntryId: target.id, relationType, rationale: 'They belong together.' }
  expectStatus(await call(app.url, 'POST', '/api/relations', { body, token: other }), 201)
}
const read = async (entry: Entry): Promise<void> => {
  expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
  expectStatus(await callPatiently(app.url, 'GET', '/api/search?q=entry'), 200)
}

test('writes are listed oldest first as in the feed, without reads, each with the standing of its entry', async () => {
  const from = await now()
  const entry = await newEntry(app.url, token)
  await read(entry)
  const revised = await revise(entry)
  await verify(revised)
  const target = await newEntry(app.url, token)
  await relate(entry, target, 'REUSES')
  const { items, sequence } = await allChanges(app.url, { after: from, limit: 2 })
  assertChanges(items)
  assert.deepEqual(named(items), [
    ['CREATE', entry.id],
    ['EXPAND', entry.id],
    ['VERIFY', entry.id],
    ['CREATE', target.id],
    ['CONNECT', entry.id],
  ])
  const feed = await allPages<Activity>(app.url, '/api/activity')
  for (const { standing, ...write } of items.filter(isWrite)) {
    assert.deepEqual(
      write,
      feed.find(row => row.sequence === write.sequence),
    )
    const isJudged = write.entryId === entry.id
    assert.deepEqual([standing?.state, standing?.tally.for], isJudged ? ['SUPPORTED', 1] : ['UNCHECKED', 0])
  }
  assert.ok(BigInt(sequence) >= BigInt(items.at(-1)?.sequence ?? '0'))
})

test('an answer without a row advances the sequence, so that no poll reads the same rows again', async () => {
  const entry = await newEntry(app.url, token)
  const from = await now()
  await newEntry(app.url, token)
  const { items, sequence, more } = await changes(app.url, { after: from, entry: entry.slug })
  assert.deepEqual([items, more], [[], false])
  assert.ok(BigInt(sequence) > BigInt(from))
  assert.equal((await changes(app.url, { after: sequence, entry: entry.slug })).sequence, sequence)
  assert.equal((await changes(app.url, { after: '9'.repeat(19) })).sequence, await now(), 'from beyond the newest')
})

test('moderation of an entry is a row with its id only, and removes the other rows of the entry', async () => {
  const from = await now()
  const secret = 'Zyxwvutsrq'
  const entry = await newEntry(app.url, token, { title: secret, summary: secret, content: secret, tags: [secret] })
  await verify(entry)
  const seen = await allChanges(app.url, { after: from })
  assert.equal(seen.items.length, 2)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const { items } = await allChanges(app.url, { after: seen.sequence })
  assert.deepEqual(named(items), [['WITHDRAW', entry.id]])
  assertChanges(items)
  for (const query of [{}, { entry: entry.id }, { entry: entry.slug }, { action: 'WITHDRAW' }]) {
    const all = await allChanges(app.url, { after: from, ...query })
    assert.deepEqual(named(all.items), [['WITHDRAW', entry.id]], JSON.stringify(query))
    assert.ok(!JSON.stringify(all).toLowerCase().includes(secret.toLowerCase()))
  }
  assert.deepEqual((await allChanges(app.url, { after: from, actor: author })).items, [], 'a withdrawal names no actor')

  await moderate(app.url, 'ENTRY', entry.id, 'QUARANTINE', 'HIDE')
  assert.deepEqual(named((await allChanges(app.url, { after: from })).items), [['WITHDRAW', entry.id]], 'once')
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  const after = await allChanges(app.url, { after: seen.sequence })
  assert.deepEqual(named(after.items), [['RESTORE', entry.id]])
  assertChanges(after.items)
  assert.deepEqual(named((await allChanges(app.url, { after: from, entry: entry.id })).items), [
    ['CREATE', entry.id],
    ['VERIFY', entry.id],
    ['RESTORE', entry.id],
  ])
})

test('a check of pins and the changes after it continue from the same sequence', async () => {
  const entry = await newEntry(app.url, token)
  const pins = [{ entryId: entry.id, revisionId: entry.currentRevisionId }]
  const check = async () =>
    expectStatus(await call<PinsReport>(app.url, 'POST', '/api/pins/check', { body: { pins } }), 200)
  const { sequence } = await check()
  await moderate(app.url, 'ENTRY', entry.id, 'QUARANTINE')
  assert.deepEqual(named((await changes(app.url, { after: sequence })).items), [['WITHDRAW', entry.id]])
  const report = await check()
  assert.equal(report.items[0]?.kind, 'WITHDRAWN')
  assert.deepEqual((await changes(app.url, { after: report.sequence })).items, [])
})

test('one act that withdraws an actor with hundreds of entries is listed in pages', async () => {
  const many = 120
  const { actor, token: own } = await newActor(app.url)
  const entries = await Promise.all(Array.from({ length: many }, () => newEntry(app.url, own)))
  const from = await now()
  await moderate(app.url, 'ACTOR', actor.id, 'QUARANTINE')
  const { items } = await allChanges(app.url, { after: from, limit: 7 })
  assertChanges(items)
  assert.ok(items.every(({ action }) => action === 'WITHDRAW'))
  assert.deepEqual(new Set(items.map(({ entryId }) => entryId)), new Set(entries.map(({ id }) => id)))
  await moderate(app.url, 'ENTRY', String(entries[0]?.id), 'HIDE')
  await moderate(app.url, 'ACTOR', actor.id, 'RESTORE')
  const { items: again } = await allChanges(app.url, { after: from })
  assert.equal(again.filter(({ action }) => action === 'RESTORE').length, many - 1)
  assert.deepEqual(named(again.filter(({ action }) => action === 'WITHDRAW')), [['WITHDRAW', entries[0]?.id]])
})

test('an act on an origin withdraws its entries', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.77' }
  const body = { title: 'From afar', summary: 'From afar', content: 'From afar' }
  const issued = expectStatus(await call(app.url, 'POST', '/api/actors', { body: {}, headers }), 201)
  const entry = expectStatus(
    await call<Entry>(app.url, 'POST', '/api/entries', { body, headers, token: String(issued.token) }),
    201,
  )
  const from = await now()
  const originId = String((await snapshot(app.url)).entries.find(({ id }) => id === entry.id)?.originId)
  await moderate(app.url, 'ORIGIN', originId, 'QUARANTINE')
  assert.deepEqual(named((await changes(app.url, { after: from })).items), [['WITHDRAW', entry.id]])
  await moderate(app.url, 'ORIGIN', originId, 'RESTORE')
  assert.deepEqual(named((await changes(app.url, { after: from })).items), [['RESTORE', entry.id]])
})

test('rows are filtered by entry, actor and action, and by all of them together', async () => {
  const from = await now()
  const [one, two, three] = [
    await newEntry(app.url, token),
    await newEntry(app.url, token),
    await newEntry(app.url, other),
  ]
  await verify(one)
  await relate(three, one, 'CONTRADICTS')
  await revise(two, { changeType: 'CORRECT' })
  const chosen = async (query: object) => named((await allChanges(app.url, { after: from, ...query })).items)
  assert.deepEqual(await chosen({ entry: one.id.toUpperCase() }), [
    ['CREATE', one.id],
    ['VERIFY', one.id],
    ['CONNECT', three.id],
  ])
  assert.deepEqual(await chosen({ entry: `${one.slug},${three.id},${one.id}` }), [
    ['CREATE', one.id],
    ['CREATE', three.id],
    ['VERIFY', one.id],
    ['CONNECT', three.id],
  ])
  assert.deepEqual(await chosen({ actor: judge }), [
    ['CREATE', three.id],
    ['VERIFY', one.id],
    ['CONNECT', three.id],
  ])
  assert.deepEqual(await chosen({ actor: `${judge},${author}`, action: 'CORRECT,VERIFY' }), [
    ['VERIFY', one.id],
    ['CORRECT', two.id],
  ])
  assert.deepEqual(await chosen({ actor: judge, entry: one.id, action: 'VERIFY' }), [['VERIFY', one.id]])
  assert.deepEqual(await chosen({ actor: author, entry: three.id }), [])
  assert.deepEqual(await chosen({ action: 'CORRECT' }), [['CORRECT', two.id]])
})

test('unknown ids and slugs are named, and invalid input is refused', async () => {
  const entry = await newEntry(app.url, token)
  const unknownActor = '019a9b1c-1f20-7b21-9c4d-3c9b62e1d002'
  const { items, unknown } = await changes(app.url, {
    entry: `no-such-entry,${entry.id}`,
    actor: `${author},${unknownActor}`,
  })
  assert.deepEqual(unknown, ['no-such-entry', unknownActor])
  assert.deepEqual(named(items), [['CREATE', entry.id]])
  assert.deepEqual((await changes(app.url, { entry: 'no-such-entry' })).items, [])
  for (const [query, code] of [
    ['limit=51', 'INVALID_LIMIT'],
    ['after=x', 'INVALID_AFTER'],
    ['entry=', 'INVALID_ENTRY'],
    [`entry=${'a,'.repeat(200)}a`, 'INVALID_ENTRY'],
    ['actor=x', 'INVALID_ACTOR'],
    [`actor=${Array.from({ length: 21 }, () => unknownActor)}`, 'INVALID_ACTOR'],
    ['action=READ', 'INVALID_ACTION'],
    ['action=create', 'INVALID_ACTION'],
    ['before=1', 'UNKNOWN_PARAMETER'],
  ] as const) {
    expectProblem(await call(app.url, 'GET', `/api/activity/changes?${query}`), 400, code)
  }
})

test('two hundred entries fit into one request, and an answer without changes of twelve is less than a kilobyte', async () => {
  const entries = await Promise.all(Array.from({ length: 200 }, () => newEntry(app.url, token)))
  const ids = entries.map(({ id }) => id)
  const { items } = await allChanges(app.url, { entry: ids.join() })
  assert.equal(items.length, 200)
  const after = await now()
  const answer = await call(app.url, 'GET', `/api/activity/changes?after=${after}&entry=${ids.slice(0, 12)}`)
  assert.equal(answer.status, 200)
  assert.ok(answer.text.length < 1_000, `${answer.text.length} bytes`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('a page that is not the last one says so, also by a Link', async () => {
  const [one, two] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const path = `/api/activity/changes?entry=${one.id},${two.id}&limit=1&after=0`
  const first = await call<{ more: boolean; sequence: string }>(app.url, 'GET', path)
  assert.equal(first.body.more, true)
  const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? []
  assert.ok(next.includes(`after=${first.body.sequence}`), next)
  const second = expectStatus(await call<{ items: Change[] }>(app.url, 'GET', next), 200)
  assert.deepEqual(named(second.items), [['CREATE', two.id]])
})

test('rows of the operator and of demonstrations are in neither the list nor the feed', async () => {
  const { items } = await allChanges(app.url)
  const writes = (await allPages<Activity>(app.url, '/api/activity')).filter(
    ({ action }) => !['READ', 'SEARCH'].includes(action),
  )
  const withoutStanding = items.filter(isWrite).map(({ standing: _, ...write }) => write)
  assert.deepEqual(withoutStanding, writes.reverse())
  const known = new Set<string>()
  applyChanges(known, items)
  for (const { entryId } of items.filter(isModerated)) {
    const { status } = await call(app.url, 'GET', `/api/entries/${entryId}`)
    assert.equal(status, known.has(entryId) ? 200 : 410)
  }
})
