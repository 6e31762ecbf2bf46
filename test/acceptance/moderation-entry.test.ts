import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, Evidence, Flags, Revision, Stats } from '../../src/contract/resources.ts'
import { MODERATION_ACTIONS, type ModerationAction } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import {
  type Answer,
  allPages,
  call,
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
  NO_FLAGS,
  snapshot,
  tryModerate,
} from '../support/moderation.ts'
import { publicView } from '../support/public-view.ts'

let token: string
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})

const statusOf = ({ hidden, quarantined, blocked }: Flags): string =>
  quarantined ? 'QUARANTINED' : hidden ? 'HIDDEN' : blocked ? 'LOCKED' : 'ACTIVE'
const isPublic = ({ hidden, quarantined }: Flags): boolean => !hidden && !quarantined
const read = (address: string) => call<Entry>(app.url, 'GET', `/api/entries/${address}`)
const verification = (revisionId: string) => ({ revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' })
const relation = (sourceEntryId: string, targetEntryId: string) => ({
  sourceEntryId,
  targetEntryId,
  relationType: 'CONNECT',
  rationale: 'They belong together.',
})

/** The writes that concern an entry, each against a current base. */
async function writesTo(entry: Entry, other: Entry): Promise<Record<string, Answer>> {
  const post = (path: string, body: unknown) => call(app.url, 'POST', path, { token, body })
  const at = `/api/entries/${entry.slug}`
  return {
    verify: await post(`${at}/verify`, verification(entry.currentRevisionId)),
    contradict: await post(`${at}/contradict`, { revisionId: entry.currentRevisionId, rationale: 'No.' }),
    relateFrom: await post('/api/relations', relation(entry.id, other.id)),
    relateTo: await post('/api/relations', relation(other.id, entry.id)),
    revise: await post(`${at}/revisions`, revisionOf(entry)),
  }
}

for (const prior of allFlags(true)) {
  test(`every action on an entry that is ${JSON.stringify(prior)}`, async () => {
    const entry = await newEntry(app.url, token)
    // The last one is ERASE, after which the slug is gone.
    for (const action of MODERATION_ACTIONS) {
      await moderate(app.url, 'ENTRY', entry.id, ...actionsTo(prior))
      const result = await moderate(app.url, 'ENTRY', entry.id, action)
      const state = expectedState(prior, action)
      const { id, requestId, createdAt, ...rest } = result
      assert.deepEqual(rest, {
        targetType: 'ENTRY',
        targetId: entry.id,
        action,
        ground: 'OTHER',
        reason: `Tested: ${action}.`,
        previousState: prior,
        state,
        changed: action === 'ERASE' || JSON.stringify(prior) !== JSON.stringify(state),
        affected: { entries: statusOf(prior) === statusOf(state) ? 0 : 1, actors: 0 },
      })
      assert.ok(id !== requestId && createdAt.endsWith('Z'))

      if (isPublic(state)) assert.equal(expectStatus(await read(entry.slug), 200).status, statusOf(state))
      else if (action === 'ERASE') expectProblem(await read(entry.id), 410, 'ERASED')
      else await assertWithdrawn(app.url, entry.slug)
      const seen = (await snapshot(app.url)).entries.find(row => row.id === entry.id)
      assert.deepEqual([seen?.status, seen?.moderation], [statusOf(state), state])

      const again = await moderate(app.url, 'ENTRY', entry.id, action)
      assert.deepEqual(
        [again.changed, again.previousState, again.state, again.affected],
        [false, state, state, { entries: 0, actors: 0 }],
      )
      const { audit } = await snapshot(app.url)
      assert.deepEqual(audit.slice(0, 2), [again, result])
    }
  })
}

test('undoing restores exactly the previous public state', async () => {
  const other = await newEntry(app.url, token, { tags: ['Undo tag'] })
  const entry = await newEntry(app.url, token, { title: 'Quillwort', tags: ['Undo tag', 'lone tag'] })
  const revised = (await writesTo(entry, other)).revise?.body as unknown as Entry
  const view = () => publicView(app.url, [revised, other], ['quillwort', 'lone tag'])
  const first = await view()
  for (const [doing, undoing] of [
    ['HIDE', 'RESTORE'],
    ['QUARANTINE', 'RESTORE'],
    ['BLOCK', 'UNBLOCK'],
  ] as [ModerationAction, ModerationAction][]) {
    await moderate(app.url, 'ENTRY', entry.id, doing)
    assert.notDeepEqual(await view(), first)
    await moderate(app.url, 'ENTRY', entry.id, undoing)
    assert.deepEqual(await view(), first)
  }
})

test('a locked entry can be read and cited, and refuses additions at either end', async () => {
  const other = await newEntry(app.url, token)
  const entry = await newEntry(app.url, token)
  const before = await read(entry.slug)
  await moderate(app.url, 'ENTRY', entry.slug, 'BLOCK')

  const locked = await read(entry.slug)
  assert.deepEqual(locked.body, { ...before.body, status: 'LOCKED' })
  assert.notEqual(locked.headers.get('etag'), before.headers.get('etag'))
  const known = { 'if-none-match': before.headers.get('etag') ?? '' }
  expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`, { headers: known }), 200)
  for (const [name, answer] of Object.entries(await writesTo(entry, other))) {
    assert.equal(answer.status, 403, name)
    expectProblem(answer, 403, 'ENTRY_LOCKED')
  }
  const sources = [{ entryId: entry.id, revisionId: entry.currentRevisionId }]
  await newEntry(app.url, token, { sources })
  const contradiction = { revisionId: other.currentRevisionId, rationale: 'No.', sourceEntryId: entry.id }
  const at = `/api/entries/${other.slug}/contradict`
  expectStatus(await call(app.url, 'POST', at, { token, body: contradiction }), 201)
  for (const under of ['revisions', 'relations', 'evidence', 'timeline']) {
    expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}/${under}`), 200)
  }

  await moderate(app.url, 'ENTRY', entry.id, 'UNBLOCK')
  assert.equal((await read(entry.slug)).headers.get('etag'), before.headers.get('etag'))
  for (const [name, answer] of Object.entries(await writesTo(entry, other))) assert.equal(answer.status, 201, name)
})

test('a withdrawn entry is 410 on every path, for HEAD, conditional requests and writes too', async () => {
  const other = await newEntry(app.url, token)
  const entry = await newEntry(app.url, token)
  const { etag } = Object.fromEntries((await read(entry.slug)).headers)
  for (const action of ['HIDE', 'QUARANTINE'] as const) {
    await moderate(app.url, 'ENTRY', entry.id, action, 'BLOCK')
    for (const address of [entry.id, entry.id.toUpperCase(), entry.slug]) {
      for (const under of [
        '',
        '/revisions',
        `/revisions/${entry.currentRevisionId}`,
        '/relations',
        '/evidence',
        '/timeline',
      ]) {
        const path = `/api/entries/${address}${under}`
        for (const tag of [etag ?? '', '*']) {
          const answer = await call(app.url, 'GET', path, { headers: { 'if-none-match': tag } })
          expectProblem(answer, 410, 'ENTRY_WITHDRAWN')
          assert.equal(answer.headers.get('etag'), null)
        }
        assert.equal((await call(app.url, 'HEAD', path)).status, 410, path)
      }
    }
    expectProblem(await call(app.url, 'GET', `/api/entries/${entry.id}/revisions/${other.id}`), 410, 'ENTRY_WITHDRAWN')
    for (const answer of Object.values(await writesTo(entry, other))) expectProblem(answer, 410, 'ENTRY_WITHDRAWN')
    const stale = revisionOf({ ...entry, currentRevisionId: other.currentRevisionId })
    const late = await call(app.url, 'POST', `/api/entries/${entry.id}/revisions`, { token, body: stale })
    assert.equal(
      expectProblem(late, 410, 'ENTRY_WITHDRAWN').headers.get('link'),
      '</docs/errors#ENTRY_WITHDRAWN>; rel="help"',
    )
    await moderate(app.url, 'ENTRY', entry.id, 'RESTORE', 'UNBLOCK')
  }
})

test('naming a withdrawn entry as a source of something new is 422', async () => {
  const other = await newEntry(app.url, token)
  const entry = await newEntry(app.url, token)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const sources = [{ entryId: entry.id, revisionId: entry.currentRevisionId }]
  const title = 'Cites what is gone'
  const attempts: [string, object][] = [
    ['/api/entries', { title, content: title, summary: title, sources }],
    [`/api/entries/${other.slug}/revisions`, revisionOf(other, { sources })],
    [
      `/api/entries/${other.slug}/contradict`,
      { revisionId: other.currentRevisionId, rationale: 'No.', sourceEntryId: entry.id },
    ],
  ]
  for (const [path, body] of attempts) {
    expectProblem(await call(app.url, 'POST', path, { token, body }), 422, 'SOURCE_NOT_FOUND')
  }
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  for (const [path, body] of attempts) expectStatus(await call(app.url, 'POST', path, { token, body }), 201)
})

test('other resources no longer name a withdrawn entry, except hashed sources', async () => {
  const entry = await newEntry(app.url, token)
  const sources = [{ entryId: entry.id, revisionId: entry.currentRevisionId }]
  const other = await newEntry(app.url, token, { sources })
  await writesTo(entry, other)
  const body = { revisionId: other.currentRevisionId, rationale: 'No.', sourceEntryId: entry.id }
  const at = `/api/entries/${other.slug}`
  // Both relations above revised nothing of `other`; its base is still current.
  expectStatus(await call(app.url, 'POST', `${at}/contradict`, { token, body }), 201)

  const evidence = async () => expectStatus(await call<Evidence>(app.url, 'GET', `${at}/evidence`), 200)
  const rows = async () => allPages<Activity>(app.url, '/api/activity')
  const connects = (all: Activity[]) =>
    all.filter(row => row.action === 'CONNECT' && JSON.stringify(row).includes(entry.id))
  const before = await rows()
  const of = new Set(before.filter(row => row.entryId === entry.id).map(row => row.id))
  assert.equal(connects(before).length, 2)

  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  assert.deepEqual(columnOf((await evidence()).contradictions, 'sourceEntryId'), [null])
  assert.equal((await call<{ items: [] }>(app.url, 'GET', `${at}/relations`)).body.items.length, 0)
  const revisions = await allPages<Revision>(app.url, `${at}/revisions`)
  assert.deepEqual(columnOf(revisions, 'sources'), [sources])
  const hidden = await rows()
  assert.equal(connects(hidden).length, 0)
  assert.deepEqual(
    hidden.filter(row => of.has(row.id)),
    [],
  )
  const source = hidden.find(row => row.action === 'CONTRADICT' && row.entryId === other.id)
  assert.partialDeepStrictEqual(source, { metadata: { sourceEntryId: null } })

  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  assert.deepEqual(columnOf((await evidence()).contradictions, 'sourceEntryId'), [entry.id])
  assert.equal(connects(await rows()).length, 2)
})

test('stats and topics follow moderation exactly', async () => {
  const stats = async () => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
  const other = await newEntry(app.url, token)
  const entry = await newEntry(app.url, token, { tags: ['Counted once', 'counted twice'] })
  const second = await newEntry(app.url, token, { tags: ['Counted  Twice'] })
  await writesTo(entry, other)
  const before = await stats()
  const count = (all: Stats, tag: string) => all.topics.find(topic => topic.tag === tag)?.count
  assert.deepEqual([count(before, 'Counted once'), count(before, 'counted twice')], [1, 2])

  await moderate(app.url, 'ENTRY', entry.id, 'QUARANTINE')
  const without = await stats()
  for (const [name, less] of Object.entries({
    entries: 1,
    revisions: 2,
    verifications: 1,
    contradictions: 1,
    relations: 2,
  })) {
    const key = name as 'entries'
    assert.equal(without[key], before[key] - less, name)
  }
  // The other entry spells it.
  assert.deepEqual([count(without, 'Counted once'), count(without, 'Counted  Twice')], [undefined, 1])
  assert.ok(without.externalInteractions >= before.externalInteractions)
  assert.equal(without.observedActors, before.observedActors)

  // A relation both of whose ends are withdrawn comes back with the second only.
  await moderate(app.url, 'ENTRY', other.id, 'HIDE')
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  assert.equal((await stats()).relations, before.relations - 2)
  await moderate(app.url, 'ENTRY', other.id, 'RESTORE')
  assert.deepEqual(await stats(), before)
  await moderate(app.url, 'ENTRY', second.id, 'HIDE')
  assert.equal(count(await stats(), 'counted twice'), 1)
})

test('an entry is named by its id in either case or by its slug, and unknown ones are 404', async () => {
  const entry = await newEntry(app.url, token)
  for (const address of [entry.id, entry.id.toUpperCase(), entry.slug]) {
    assert.equal((await moderate(app.url, 'ENTRY', address, 'HIDE')).targetId, entry.id)
    assert.equal((await moderate(app.url, 'ENTRY', address, 'RESTORE')).changed, true)
    assert.equal((await adminEvidence(app.url, address)).entry.id, entry.id)
  }
  assert.deepEqual((await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')).state, NO_FLAGS)
  const audited = (await snapshot(app.url)).audit.length
  for (const unknown of [entry.currentRevisionId, 'no-such-entry', 'x']) {
    expectProblem(await tryModerate(app.url, 'ENTRY', unknown, 'HIDE'), 404, 'TARGET_NOT_FOUND')
  }
  assert.equal((await snapshot(app.url)).audit.length, audited)
})
