import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, Evidence } from '../../src/contract/resources.ts'
import { MODERATION_ACTIONS } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { allPages, call, expectProblem, expectStatus, revisionOf } from '../support/client.ts'
import {
  actionsTo,
  allFlags,
  assertWithdrawn,
  expectedState,
  moderate,
  snapshot,
  toNoon,
  tryModerate,
} from '../support/moderation.ts'
import { publicView } from '../support/public-view.ts'

const DAY = 86_400_000
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  toNoon(app)
})

let made = 0
/** A caller with its own address. */
async function visitor(address = `198.51.100.${++made}`) {
  const headers = { 'x-forwarded-for': address }
  const post = (path: string, body: unknown, token?: string) =>
    call(app.url, 'POST', path, { body, headers, ...(token === undefined ? {} : { token }) })
  const issued = expectStatus(await post('/api/actors', {}), 201) as unknown as { token: string; actor: { id: string } }
  const { token } = issued
  const publish = () => post('/api/entries', { title: 'From afar', content: 'c', summary: 's' }, token)
  return { address, actorId: issued.actor.id, token, headers, post, publish }
}
type Visitor = Awaited<ReturnType<typeof visitor>>

async function published(by: Visitor): Promise<{ entry: Entry; originId: string }> {
  const entry = expectStatus(await by.publish(), 201) as unknown as Entry
  const row = (await snapshot(app.url)).entries.find(({ id }) => id === entry.id)
  assert.equal(typeof row?.originId, 'string')
  return { entry, originId: row?.originId ?? '' }
}
const read = (address: string) => call<Entry>(app.url, 'GET', `/api/entries/${address}`)

for (const prior of allFlags(false)) {
  test(`every action on an origin that is ${JSON.stringify(prior)}`, async () => {
    const by = await visitor()
    const { entry, originId } = await published(by)
    for (const action of MODERATION_ACTIONS) {
      await moderate(app.url, 'ORIGIN', originId, ...actionsTo(prior))
      if (action === 'HIDE' || action === 'ERASE') {
        const { audit } = await snapshot(app.url)
        expectProblem(await tryModerate(app.url, 'ORIGIN', originId, action), 422, 'ACTION_NOT_APPLICABLE')
        assert.deepEqual((await snapshot(app.url)).audit, audit)
        continue
      }
      const result = await moderate(app.url, 'ORIGIN', originId, action)
      const state = expectedState(prior, action)
      assert.deepEqual(
        [result.targetId, result.previousState, result.state, result.changed, result.affected],
        [
          originId,
          prior,
          state,
          JSON.stringify(prior) !== JSON.stringify(state),
          { entries: prior.quarantined === state.quarantined ? 0 : 1, actors: 0 },
        ],
      )
      const again = await moderate(app.url, 'ORIGIN', originId, action)
      assert.deepEqual([again.changed, again.state], [false, state])
      const { audit, blockedOrigins } = await snapshot(app.url)
      assert.deepEqual(audit.slice(0, 2), [again, result])
      const refused = state.blocked || state.quarantined
      const listed = blockedOrigins.find(row => row.originId === originId)
      assert.deepEqual(listed?.moderation, refused ? state : undefined)

      if (state.quarantined) await assertWithdrawn(app.url, entry.id)
      else expectStatus(await read(entry.id), 200)
      for (const write of [await by.publish(), await by.post('/api/actors', {})]) {
        if (refused) expectProblem(write, 403, 'ORIGIN_BLOCKED')
        else expectStatus(write, 201)
      }
      expectStatus(await call(app.url, 'GET', '/api/entries?limit=1', { headers: by.headers, token: by.token }), 200)
    }
  })
}

test('a block stays after the fingerprint has changed, and UNBLOCK by the same id always works', async () => {
  const by = await visitor()
  const other = await visitor()
  const { originId, entry } = await published(by)
  await moderate(app.url, 'ORIGIN', originId, 'BLOCK')
  for (const days of [1, 1, 5, 60]) {
    app.advance(days * DAY)
    expectProblem(await by.publish(), 403, 'ORIGIN_BLOCKED')
    expectProblem(await by.post('/api/actors', {}), 403, 'ORIGIN_BLOCKED')
    expectStatus(await other.publish(), 201)
    expectStatus(await read(entry.id), 200)
  }
  await app.restart()
  expectProblem(await by.publish(), 403, 'ORIGIN_BLOCKED')
  const result = await moderate(app.url, 'ORIGIN', originId, 'UNBLOCK')
  assert.equal(result.changed, true)
  expectStatus(await by.publish(), 201)
})

test('fingerprints differ from day to day and from network to network, and are not shown in public', async () => {
  const by = await visitor()
  const first = await published(by)
  const second = await published(by)
  assert.equal(second.originId, first.originId)
  assert.notEqual((await published(await visitor())).originId, first.originId)
  app.advance(DAY)
  const next = await published(by)
  assert.notEqual(next.originId, first.originId)
  const view = JSON.stringify(await publicView(app.url, [first.entry, next.entry], ['afar']))
  for (const { originId } of [first, next]) assert.ok(!view.includes(originId))
  assert.ok(!view.includes('originId'))
})

test('blocking one day and again the next, each is undone by itself', async () => {
  const by = await visitor()
  const other = await visitor(`::ffff:${by.address}`)
  const { originId } = await published(by)
  assert.equal((await published(other)).originId, originId)
  await moderate(app.url, 'ORIGIN', originId, 'BLOCK')
  app.advance(DAY)
  // A blocked origin leaves its next fingerprint by trying to write or by reading.
  expectStatus(await call(app.url, 'GET', '/api/entries?tag=second day', { headers: by.headers }), 200)
  const { activity } = await snapshot(app.url)
  const seen = activity.find(row => (row.metadata as { tag?: string }).tag === 'second day')?.originId ?? ''
  assert.notEqual(seen, originId)
  assert.equal((await moderate(app.url, 'ORIGIN', seen, 'BLOCK')).changed, true)
  await moderate(app.url, 'ORIGIN', originId, 'UNBLOCK')
  expectProblem(await by.publish(), 403, 'ORIGIN_BLOCKED')
  await moderate(app.url, 'ORIGIN', seen, 'UNBLOCK')
  expectStatus(await by.publish(), 201)
})

test('a quarantined origin withdraws everything created and added from it, by any actor, and nothing else', async () => {
  const by = await visitor()
  const elsewhere = await visitor()
  const { entry, originId } = await published(by)
  const target = (await published(elsewhere)).entry
  // The same actor from two networks: only its records from the one are withdrawn.
  const same = await call(app.url, 'POST', '/api/entries', {
    headers: elsewhere.headers,
    token: by.token,
    body: { title: 'Same hand', content: 'c', summary: 's' },
  })
  const kept = expectStatus(same, 201) as unknown as Entry
  const at = `/api/entries/${target.slug}`
  const { currentRevisionId: revisionId } = target
  const verification = { revisionId, result: 'UNSUPPORTED', confidence: 0, rationale: 'r' }
  expectStatus(await by.post(`${at}/verify`, verification, by.token), 201)
  expectStatus(await by.post(`${at}/contradict`, { revisionId, rationale: 'r' }, elsewhere.token), 201)
  const relation = { sourceEntryId: target.id, targetEntryId: kept.id, relationType: 'CONNECT', rationale: 'r' }
  expectStatus(await by.post('/api/relations', relation, by.token), 201)
  const revised = expectStatus(await by.post(`${at}/revisions`, revisionOf(target), by.token), 201) as unknown as Entry
  const view = () => publicView(app.url, [entry, revised, kept], ['afar', 'hand'])
  const before = await view()

  await moderate(app.url, 'ORIGIN', originId, 'QUARANTINE')
  await assertWithdrawn(app.url, entry.id)
  expectStatus(await read(kept.id), 200)
  assert.equal(expectStatus(await read(target.id), 200).revisionCount, 2)
  const evidence = expectStatus(await call<Evidence>(app.url, 'GET', `${at}/evidence`), 200)
  assert.deepEqual([evidence.verifications, evidence.contradictions], [[], []])
  assert.deepEqual(await allPages(app.url, `${at}/relations`), [])
  const actions = (await allPages<Activity>(app.url, `${at}/timeline`)).map(row => row.action)
  assert.deepEqual(
    actions.filter(action => action !== 'READ'),
    ['CREATE'],
  )

  // The actor of both networks is quarantined too: undoing one act leaves the other.
  await moderate(app.url, 'ACTOR', by.actorId, 'QUARANTINE')
  await moderate(app.url, 'ORIGIN', originId, 'RESTORE')
  await assertWithdrawn(app.url, entry.id)
  await assertWithdrawn(app.url, kept.id)
  const half = expectStatus(await call<Evidence>(app.url, 'GET', `${at}/evidence`), 200)
  assert.deepEqual([half.verifications.length, half.contradictions.length], [0, 1])
  await moderate(app.url, 'ACTOR', by.actorId, 'RESTORE')
  assert.deepEqual(await view(), before)
})

test('an unknown origin is 404, and an id in another case is another origin', async () => {
  const { originId } = await published(await visitor())
  const swapped = originId.replace(/[a-z]/i, letter =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  for (const unknown of [swapped, 'unknown']) {
    expectProblem(await tryModerate(app.url, 'ORIGIN', unknown, 'BLOCK'), 404, 'TARGET_NOT_FOUND')
  }
})
