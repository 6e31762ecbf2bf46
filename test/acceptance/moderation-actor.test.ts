import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  Activity,
  Entry,
  EntryList,
  Evidence,
  Flags,
  Relation,
  Revision,
  Stats,
} from '../../src/contract/resources.ts'
import { MODERATION_ACTIONS } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import {
  allPages,
  call,
  callPatiently,
  columnOf,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../support/client.ts'
import {
  actionsTo,
  adminEvidence,
  allFlags,
  assertWithdrawn,
  expectedState,
  moderate,
  snapshot,
  tryModerate,
} from '../support/moderation.ts'
import { publicView } from '../support/public-view.ts'

let host: { token: string; entry: Entry }
const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  host = { token, entry: await newEntry(app.url, token) }
})

const DECLARED = { declaredName: 'Ada', declaredModel: 'Model-A', declaredProvider: 'Provider-A' }
const SHOWN = { name: 'Ada', model: 'Model-A', provider: 'Provider-A' }
const BLANK = { name: null, model: null, provider: null }
const read = (address: string) => call<Entry>(app.url, 'GET', `/api/entries/${address}`)
const feed = () => allPages<Activity>(app.url, '/api/activity')
const stats = async () => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
const post = (path: string, token: string, body: unknown) => call(app.url, 'POST', path, { token, body })

const guest = async () => {
  const { actor, token } = await newActor(app.url, DECLARED)
  return { id: actor.id, token, entry: await newEntry(app.url, token, { tags: ['by a guest'] }) }
}

/** Everything that an actor can add to the entry of another one. */
async function contribute(token: string, own: Entry, to: Entry): Promise<Entry> {
  const at = `/api/entries/${to.slug}`
  const { currentRevisionId: revisionId } = to
  const verification = { revisionId, result: 'SUPPORTED', confidence: 0.5, rationale: 'Tried.' }
  const relation = { sourceEntryId: to.id, targetEntryId: own.id, relationType: 'REUSES', rationale: 'So it is.' }
  expectStatus(await post(`${at}/verify`, token, verification), 201)
  expectStatus(await post(`${at}/contradict`, token, { revisionId, rationale: 'No.' }), 201)
  expectStatus(await post('/api/relations', token, relation), 201)
  return expectStatus(await post(`${at}/revisions`, token, revisionOf(to)), 201) as unknown as Entry
}

for (const prior of allFlags(true)) {
  test(`every action on an actor that is ${JSON.stringify(prior)}`, async () => {
    const { id, token, entry } = await guest()
    const hidden = await newEntry(app.url, token)
    const locked = await newEntry(app.url, token)
    await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
    await moderate(app.url, 'ENTRY', locked.id, 'BLOCK')
    for (const action of MODERATION_ACTIONS.filter(one => one !== 'ERASE')) {
      await moderate(app.url, 'ACTOR', id, ...actionsTo(prior))
      const result = await moderate(app.url, 'ACTOR', id.toUpperCase(), action)
      const state = expectedState(prior, action)
      const changed = JSON.stringify(prior) !== JSON.stringify(state)
      const affected = { entries: prior.quarantined === state.quarantined ? 0 : 3, actors: changed ? 1 : 0 }
      assert.deepEqual(
        [result.targetId, result.previousState, result.state, result.changed, result.affected],
        [id, prior, state, changed, affected],
      )
      const again = await moderate(app.url, 'ACTOR', id, action)
      assert.deepEqual([again.changed, again.state, again.affected], [false, state, { entries: 0, actors: 0 }])
      const admin = await snapshot(app.url)
      assert.deepEqual(admin.audit.slice(0, 2), [again, result])
      assert.deepEqual(admin.actors.find(row => row.id === id)?.moderation, state)
      await assertSeen(state, token, entry, locked, hidden)
    }
  })
}

async function assertSeen(state: Flags, token: string, entry: Entry, locked: Entry, hidden: Entry): Promise<void> {
  const answers = [await read(entry.slug), await read(locked.id)]
  if (state.quarantined) for (const one of [entry, locked]) await assertWithdrawn(app.url, one.id)
  else {
    assert.deepEqual(
      answers.map(({ body }) => body.status),
      ['ACTIVE', 'LOCKED'],
    )
    for (const { body } of answers) assert.deepEqual(body.actor.declared, state.hidden ? BLANK : SHOWN)
  }
  await assertWithdrawn(app.url, hidden.slug)
  const status = state.quarantined ? 'QUARANTINED' : undefined
  assert.equal((await adminEvidence(app.url, hidden.id)).entry.status, status ?? 'HIDDEN')
  const write = await post(`/api/entries/${host.entry.id}/contradict`, token, {
    revisionId: host.entry.currentRevisionId,
    rationale: 'No.',
  })
  if (state.blocked || state.quarantined) expectProblem(write, 403, 'ACTOR_BLOCKED')
  else
    assert.deepEqual((expectStatus(write, 201).actor as { declared: unknown }).declared, state.hidden ? BLANK : SHOWN)
  expectStatus(await call(app.url, 'GET', '/api/entries?limit=1', { token }), 200)
}

test('a hidden actor has no public name, and its entries get another ETag', async () => {
  const marker = { declaredName: 'Nemophila', declaredModel: 'Nemophila-model', declaredProvider: 'Nemophila-lab' }
  const { actor, token } = await newActor(app.url, marker)
  const entry = await newEntry(app.url, token, { title: 'Baby blue', tags: ['blue eyes'] })
  const target = await newEntry(app.url, host.token)
  const revised = await contribute(token, entry, target)
  const view = () => publicView(app.url, [entry, revised], ['baby', 'blue eyes'])
  const before = await view()
  const { headers } = await read(entry.slug)
  assert.ok(JSON.stringify(before).includes('Nemophila-lab'))
  assert.ok((await feed()).some(row => row.actorName === 'Nemophila'))

  await moderate(app.url, 'ACTOR', actor.id, 'HIDE')
  const hidden = await view()
  assert.ok(!JSON.stringify(hidden).includes('Nemophila'))
  const rows = (await feed()).filter(row => row.actorId === actor.id)
  assert.ok(rows.length >= 4)
  assert.deepEqual(new Set(rows.map(row => row.actorName)), new Set([null]))
  const list = expectStatus(await callPatiently<EntryList>(app.url, 'GET', '/api/search?q=baby'), 200)
  assert.deepEqual(columnOf(list.items, 'actor'), [{ ...entry.actor, declared: BLANK }])
  const old = { 'if-none-match': headers.get('etag') ?? '' }
  const fresh = await call(app.url, 'GET', `/api/entries/${entry.slug}`, { headers: old })
  expectStatus(fresh, 200)
  assert.notEqual(fresh.headers.get('etag'), headers.get('etag'))
  const own = expectStatus(await post(`/api/entries/${entry.id}/revisions`, token, revisionOf(entry)), 201)
  assert.deepEqual((own as unknown as Entry).actor.declared, BLANK)
  const other = await newEntry(app.url, token)
  assert.deepEqual(other.actor.declared, BLANK)
  const row = (await snapshot(app.url)).actors.find(one => one.id === actor.id)
  assert.equal(row?.declared.name, 'Nemophila')
})

test('entries and additions of a quarantined actor are withdrawn, its revisions of other entries stay, and all is restored', async () => {
  const { id, token, entry } = await guest()
  const target = await newEntry(app.url, host.token, { tags: ['kept'] })
  const revised = await contribute(token, entry, target)
  const at = `/api/entries/${target.slug}`
  const rows = async () => (await feed()).filter(row => row.actorId === id)
  const view = () => publicView(app.url, [entry, revised], ['guest', 'by a guest', 'kept'])
  const [before, counts, acted] = [await view(), await stats(), await rows()]
  assert.deepEqual(columnOf(acted, 'action'), ['EXPAND', 'CONNECT', 'CONTRADICT', 'VERIFY', 'CREATE'])

  await moderate(app.url, 'ACTOR', id, 'QUARANTINE')
  await assertWithdrawn(app.url, entry.id)
  const evidence = expectStatus(await call<Evidence>(app.url, 'GET', `${at}/evidence`), 200)
  assert.deepEqual(evidence, { verifications: [], contradictions: [], nextCursor: null })
  assert.deepEqual(await allPages<Relation>(app.url, `${at}/relations`), [])
  const revisions = await allPages<Revision>(app.url, `${at}/revisions`)
  assert.deepEqual(columnOf(revisions, 'id'), [revised.currentRevisionId, target.currentRevisionId])
  assert.equal(expectStatus(await read(target.id), 200).currentRevisionId, revised.currentRevisionId)
  assert.deepEqual(await rows(), [])
  const timeline = await allPages<Activity>(app.url, `${at}/timeline`)
  assert.deepEqual(
    timeline.filter(row => row.actorId === id),
    [],
  )
  const without = await stats()
  for (const name of ['entries', 'revisions', 'verifications', 'contradictions', 'relations'] as const) {
    assert.equal(without[name], counts[name] - 1, name)
  }
  assert.equal(without.observedActors, counts.observedActors)
  const kept = (await adminEvidence(app.url, target.id)).interactions
  for (const kind of ['verification', 'contradiction', 'relation']) {
    assert.equal(kept.find(one => one.kind === kind)?.withdrawn, true, kind)
  }

  await moderate(app.url, 'ACTOR', id, 'RESTORE')
  assert.deepEqual(await rows(), acted)
  assert.deepEqual(await view(), before)
  const again = await stats()
  for (const name of ['entries', 'revisions', 'verifications', 'contradictions', 'relations'] as const) {
    assert.equal(again[name], counts[name], name)
  }
})

test('an entry that is withdrawn itself and by its creator is public again when both are undone', async () => {
  for (const [first, second] of [
    ['ENTRY', 'ACTOR'],
    ['ACTOR', 'ENTRY'],
  ] as const) {
    for (const action of ['HIDE', 'QUARANTINE'] as const) {
      const { id, token, entry } = await guest()
      const counts = await stats()
      const evidence = { revisionId: entry.currentRevisionId, rationale: 'My own mistake.' }
      expectStatus(await post(`/api/entries/${entry.id}/contradict`, token, evidence), 201)
      const before = (await read(entry.id)).body
      await moderate(app.url, 'ENTRY', entry.id, action)
      await moderate(app.url, 'ACTOR', id, 'QUARANTINE')
      const target = { ENTRY: entry.id, ACTOR: id }
      await moderate(app.url, first, target[first], 'RESTORE')
      await assertWithdrawn(app.url, entry.id)
      const alone = action === 'QUARANTINE' || first === 'ENTRY' ? 'QUARANTINED' : 'HIDDEN'
      assert.equal((await adminEvidence(app.url, entry.id)).entry.status, alone)
      await moderate(app.url, second, target[second], 'RESTORE')
      assert.deepEqual((await read(entry.id)).body, before)
      const after = await stats()
      assert.deepEqual(
        [after.entries, after.revisions, after.contradictions],
        [counts.entries, counts.revisions, counts.contradictions + 1],
      )
    }
  }
})

test('evidence on a withdrawn entry is counted once, in either order of undoing author and entry', async () => {
  for (const order of [
    ['ACTOR', 'ENTRY'],
    ['ENTRY', 'ACTOR'],
  ] as const) {
    const { id, token, entry } = await guest()
    const target = await newEntry(app.url, host.token)
    await contribute(token, entry, target)
    const counts = await stats()
    const ids = { ENTRY: target.id, ACTOR: id }
    await moderate(app.url, order[0], ids[order[0]], 'QUARANTINE')
    await moderate(app.url, order[1], ids[order[1]], 'QUARANTINE')
    const least = await stats()
    assert.deepEqual(
      [least.entries, least.revisions, least.verifications, least.contradictions, least.relations],
      [
        counts.entries - 2,
        counts.revisions - 3,
        counts.verifications - 1,
        counts.contradictions - 1,
        counts.relations - 1,
      ],
    )
    await moderate(app.url, order[0], ids[order[0]], 'RESTORE')
    await moderate(app.url, order[1], ids[order[1]], 'RESTORE')
    assert.deepEqual(await stats(), counts)
  }
})

test('a blocked actor may read with its token, and none of its records is withdrawn', async () => {
  const { id, token, entry } = await guest()
  await moderate(app.url, 'ACTOR', id, 'BLOCK')
  assert.equal(expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.id}`, { token }), 200).id, entry.id)
  expectProblem(await post('/api/entries', token, { title: 'a', content: 'b', summary: 'c' }), 403, 'ACTOR_BLOCKED')
  expectProblem(await post('/api/actors', token, {}), 403, 'ACTOR_BLOCKED')
  // The state of the writer is checked before the entry.
  const body = { revisionId: entry.currentRevisionId, rationale: 'No.' }
  expectProblem(await post('/api/entries/no-such-entry/contradict', token, body), 403, 'ACTOR_BLOCKED')
  expectProblem(await post('/api/entries/no-such-entry/contradict', token, {}), 400, 'MISSING_MEMBER')
  await moderate(app.url, 'ACTOR', id, 'UNBLOCK')
  expectStatus(await post('/api/entries', token, { title: 'a', content: 'b', summary: 'c' }), 201)
})

test('an anonymous actor can be moderated too, and unknown ones are 404', async () => {
  const headers = { 'user-agent': 'moderated/1' }
  expectStatus(await call(app.url, 'GET', '/api/entries?tag=moderated', { headers }), 200)
  const row = (await feed()).find(({ metadata }) => (metadata as { tag?: string }).tag === 'moderated')
  const result = await moderate(app.url, 'ACTOR', row?.actorId ?? '', 'QUARANTINE')
  assert.deepEqual(result.affected, { entries: 0, actors: 1 })
  for (const unknown of [host.entry.id, 'unknown']) {
    expectProblem(await tryModerate(app.url, 'ACTOR', unknown, 'BLOCK'), 404, 'TARGET_NOT_FOUND')
  }
})
