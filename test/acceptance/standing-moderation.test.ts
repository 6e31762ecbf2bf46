import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Standing } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, expectProblem, expectStatus } from '../support/client.ts'
import { assertOneStanding, countsOf, judgingWorld, type Voice } from '../support/judging.ts'
import { moderate, snapshot } from '../support/moderation.ts'

let author: Voice
let editor: Voice
const world = judgingWorld(() => app)
const app = shareApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  ;[author, editor] = (await world.voices(2)) as [Voice, Voice]
})

test('evidence of a quarantined actor does not count, and counts again once it is restored', async () => {
  const [entry, source] = [await world.publish(author), await world.publish(editor)]
  const [troll, honest] = (await world.voices(2)) as [Voice, Voice]
  await world.verify(honest, entry)
  await world.contradict(troll, entry)
  await world.object(troll, source, entry)
  const before = await assertOneStanding(world, entry)
  assert.equal(before.state, 'DISPUTED')
  await moderate(app.url, 'ACTOR', troll.id, 'QUARANTINE')
  const without = await assertOneStanding(world, entry)
  assert.equal(without.state, 'SUPPORTED')
  assert.deepEqual(countsOf(without), { supported: 1, actors: 1, for: 1 })
  await moderate(app.url, 'ACTOR', troll.id, 'RESTORE')
  assert.deepEqual(await assertOneStanding(world, entry), before)
})

test('evidence of a quarantined origin does not count, and the earlier judgement of the same actor counts again', async () => {
  const entry = await world.publish(author)
  const judge = await world.voice('203.0.113.20')
  await world.verify(judge, entry)
  await world.contradict({ ...judge, from: '203.0.113.21' }, entry)
  assert.equal((await world.standing(entry)).state, 'CONTRADICTED')
  const { activity } = await snapshot(app.url)
  const row = activity.find(({ action, entryId }) => action === 'CONTRADICT' && entryId === entry.id)
  assert.ok(row?.originId)
  await moderate(app.url, 'ORIGIN', row.originId, 'QUARANTINE')
  assert.equal((await assertOneStanding(world, entry)).state, 'SUPPORTED')
  await moderate(app.url, 'ORIGIN', row.originId, 'RESTORE')
  assert.equal((await assertOneStanding(world, entry)).state, 'CONTRADICTED')
})

test('the objection of a withdrawn entry does not count until the entry is restored', async () => {
  const [target, source] = [await world.publish(author), await world.publish(editor)]
  await world.object(await world.voice(), source, target)
  await moderate(app.url, 'ENTRY', source.id, 'HIDE')
  assert.equal((await assertOneStanding(world, target)).state, 'UNCHECKED')
  await moderate(app.url, 'ENTRY', source.id, 'RESTORE')
  assert.equal((await assertOneStanding(world, target)).state, 'CONTRADICTED')
  await moderate(app.url, 'ENTRY', target.id, 'HIDE')
  expectProblem(await call(app.url, 'GET', `/api/entries/${target.id}/standing`), 410, 'ENTRY_WITHDRAWN')
  await moderate(app.url, 'ENTRY', target.id, 'RESTORE')
  assert.equal((await assertOneStanding(world, target)).state, 'CONTRADICTED')
})

test('an answer has another ETag once the same reader has checked the text again', async () => {
  const [entry, reader] = [await world.publish(author), await world.voice()]
  await world.verify(reader, entry)
  const paths = [`/api/entries/${entry.slug}`, `/api/entries/${entry.slug}/standing`]
  const before = await Promise.all(paths.map(async path => (await call(app.url, 'GET', path)).headers.get('etag')))
  const { createdAt } = await world.verify(reader, entry)
  for (const [at, path] of paths.entries()) {
    const answer = await call<object>(app.url, 'GET', path, { headers: { 'if-none-match': before[at] ?? '' } })
    assert.equal(answer.status, 200, path)
    const { lastCheckedAt } = 'standing' in answer.body ? (answer.body as Entry).standing : (answer.body as Standing)
    assert.equal(lastCheckedAt, createdAt)
  }
})

test('an answer has another ETag once the result of the evidence changes', async () => {
  const entry = await world.publish(author)
  const versionOf = async (path: string) => {
    const answer = await call(app.url, 'GET', path)
    expectStatus(answer, 200)
    return String(answer.headers.get('etag'))
  }
  for (const path of [
    `/api/entries/${entry.slug}`,
    `/api/entries/${entry.slug}/standing`,
    `/api/batch?ids=${entry.id}`,
  ]) {
    const before = await versionOf(path)
    await world.verify(await world.voice(), entry)
    const headers = { 'if-none-match': before }
    assert.equal((await call(app.url, 'GET', path, { headers })).status, 200, path)
    const after = await versionOf(path)
    assert.notEqual(after, before)
    assert.equal((await call(app.url, 'GET', path, { headers: { 'if-none-match': after } })).status, 304)
  }
})
