import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOf } from '../../src/contract/check.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { AdminEvidence, AdminSnapshot, ModerationResult } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { AS_ADMIN, adminEvidence, moderate, NO_FLAGS, snapshot } from '../support/moderation.ts'

let token: string
let actorId: string
const app = useApp({}, async () => {
  const made = await newActor(app.url, { declaredName: 'Seen by admins' })
  token = made.token
  actorId = made.actor.id
})

const MODERATION = { targetType: 'ENTRY', targetId: 'no-such-entry', action: 'HIDE', reason: 'r' }
const PATHS: [string, string, unknown][] = [
  ['GET', '/api/admin/snapshot', undefined],
  ['HEAD', '/api/admin/snapshot', undefined],
  ['GET', '/api/admin/entries/no-such-entry', undefined],
  ['POST', '/api/admin/moderate', MODERATION],
]

test('without the admin token every administrative path is 401 with a challenge', async () => {
  const refused: [string | undefined, string][] = [
    [undefined, 'ADMIN_TOKEN_REQUIRED'],
    ['', 'ADMIN_TOKEN_REQUIRED'],
    ['Bearer', 'ADMIN_TOKEN_REQUIRED'],
    [ADMIN_TOKEN, 'ADMIN_TOKEN_REQUIRED'],
    [`Basic ${ADMIN_TOKEN}`, 'ADMIN_TOKEN_REQUIRED'],
    [`Bearer ${ADMIN_TOKEN} more`, 'ADMIN_TOKEN_REQUIRED'],
    [`Bearer ${ADMIN_TOKEN}x`, 'ADMIN_TOKEN_INVALID'],
    [`Bearer ${ADMIN_TOKEN.slice(0, -1)}`, 'ADMIN_TOKEN_INVALID'],
    [`Bearer ${ADMIN_TOKEN.toUpperCase()}`, 'ADMIN_TOKEN_INVALID'],
    [`Bearer ${token}`, 'ADMIN_TOKEN_INVALID'],
  ]
  for (const [method, path, body] of PATHS) {
    for (const [authorization, code] of refused) {
      const answer = await call(app.url, method, path, {
        body,
        headers: authorization === undefined ? {} : { authorization },
      })
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="palimpsest"/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      if (method === 'HEAD') assert.equal(answer.status, 401)
      else expectProblem(answer, 401, code)
    }
    const ofActor = await call(app.url, method, path, { body, token })
    assert.equal(ofActor.status, 401)
  }
})

test('the scheme is read in any case, and an actor token on administrative paths is ignored', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const headers = { authorization: `${scheme} ${ADMIN_TOKEN}` }
    expectStatus(await call(app.url, 'GET', '/api/admin/snapshot', { headers, token: 'plm_nonsense' }), 200)
  }
  const wrong = { ...AS_ADMIN, 'x-actor-token': '' }
  expectStatus(await call(app.url, 'GET', '/api/admin/snapshot', { headers: wrong }), 200)
})

test('the token is checked before the path, the query and the body', async () => {
  const bad = { headers: { authorization: 'Bearer wrong' } }
  expectProblem(await call(app.url, 'GET', '/api/admin/snapshot?x=1', bad), 401, 'ADMIN_TOKEN_INVALID')
  expectProblem(await call(app.url, 'POST', '/api/admin/moderate', bad), 401, 'ADMIN_TOKEN_INVALID')
  const good = { headers: AS_ADMIN }
  expectProblem(await call(app.url, 'GET', '/api/admin/snapshot?x=1', good), 400, 'UNKNOWN_PARAMETER')
  expectProblem(await call(app.url, 'GET', `/api/admin/entries/${'x'.repeat(121)}`, good), 400, 'INVALID_ID')
  expectProblem(await call(app.url, 'GET', `/api/admin/entries/${'x'.repeat(120)}`, good), 404, 'ENTRY_NOT_FOUND')
  for (const [code, change] of [
    ['INVALID_ACTION', { action: 'DELETE' }],
    ['INVALID_TARGET_TYPE', { targetType: 'REVISION' }],
    ['INVALID_TARGET_ID', { targetId: '' }],
    ['INVALID_REASON', { reason: '' }],
    ['UNKNOWN_MEMBER', { more: 1 }],
  ] as const) {
    const body = { ...MODERATION, ...change }
    expectProblem(await call(app.url, 'POST', '/api/admin/moderate', { ...good, body }), 400, code)
  }
})

test('administrative paths have no CORS fields, in any spelling', async () => {
  const origin = { origin: 'https://example.org' }
  const asked = { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
  for (const path of [
    '/api/admin/snapshot',
    '/api/%61dmin/snapshot',
    '/api/admin%2Fsnapshot',
    '/api/admin/entries/x',
  ]) {
    for (const [method, headers] of [
      ['GET', { ...origin, ...AS_ADMIN }],
      ['GET', origin],
      ['OPTIONS', asked],
    ] as const) {
      const answer = await call(app.url, method, path, { headers })
      const leave = [...answer.headers.keys()].filter(name => name.startsWith('access-control-'))
      if (answer.status === 404 && !path.includes('/admin/')) continue
      assert.ok(!leave.includes('access-control-allow-origin'), `${method} ${path} ${leave}`)
    }
  }
  const open = await call(app.url, 'GET', '/api/entries', { headers: origin })
  assert.equal(open.headers.get('access-control-allow-origin'), '*')
})

test('the snapshot shows entries, actors, activity, audit and refused origins, withdrawn or not', async () => {
  const entry = await newEntry(app.url, token, { title: 'For the snapshot' })
  const shown = await newEntry(app.url, token)
  const result = await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const answer = await call(app.url, 'GET', '/api/admin/snapshot', { headers: AS_ADMIN })
  const body: unknown = expectStatus(answer, 200)
  assert.ok(checkOf(AdminSnapshot).fits(body))
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const seen = await snapshot(app.url)
  const hidden = seen.entries.find(({ id }) => id === entry.id)
  assert.partialDeepStrictEqual(hidden, { ...entry, status: 'HIDDEN', moderation: { ...NO_FLAGS, hidden: true } })
  assert.partialDeepStrictEqual(
    seen.entries.find(({ id }) => id === shown.id),
    { ...shown, moderation: NO_FLAGS },
  )
  assert.equal(typeof hidden?.originId, 'string')
  const actor = seen.actors.find(({ id }) => id === actorId)
  assert.partialDeepStrictEqual(actor, {
    declared: { name: 'Seen by admins', model: null, provider: null },
    originId: hidden?.originId,
    moderation: NO_FLAGS,
    anonymous: false,
  })
  assert.deepEqual(seen.audit[0], result)
  assert.ok(checkOf(ModerationResult).fits(result))
  const created = seen.activity.filter(row => row.action === 'CREATE' && row.actorId === actorId)
  assert.ok(created.length >= 2)
  for (const row of created) assert.equal(row.originId, hidden?.originId)
  assert.deepEqual(seen.truncated, { entries: 0, actors: 0, activity: 0, audit: 0, blockedOrigins: 0, reports: 0 })

  const originId = hidden?.originId ?? ''
  await moderate(app.url, 'ORIGIN', originId, 'BLOCK')
  const { blockedOrigins } = await snapshot(app.url)
  const moderation = { ...NO_FLAGS, blocked: true }
  assert.partialDeepStrictEqual(blockedOrigins, [{ originId, moderation, alive: true }])
  await moderate(app.url, 'ORIGIN', originId, 'UNBLOCK')
  assert.deepEqual((await snapshot(app.url)).blockedOrigins, [])
  expectStatus(await call(app.url, 'HEAD', '/api/admin/snapshot', { headers: AS_ADMIN }), 200)
})

test('the dossier of an entry has its revisions and everything added to it, withdrawn or not, newest first', async () => {
  const { token: guest, actor } = await newActor(app.url)
  const other = await newEntry(app.url, token)
  const entry = await newEntry(app.url, token)
  const at = `/api/entries/${entry.id}`
  const post = (path: string, body: unknown, by = guest) => call(app.url, 'POST', path, { token: by, body })
  const { currentRevisionId: revisionId } = entry
  const verification = { revisionId, result: 'SUPPORTED', confidence: 0.25, rationale: 'v' }
  const relation = { sourceEntryId: other.id, targetEntryId: entry.id, relationType: 'REUSES', rationale: 'l' }
  expectStatus(await post(`${at}/verify`, verification), 201)
  expectStatus(await post(`${at}/contradict`, { revisionId, rationale: 'c', sourceEntryId: other.id }), 201)
  expectStatus(await post('/api/relations', relation), 201)
  const revised = expectStatus(await post(`${at}/revisions`, revisionOf(entry), token), 201) as unknown as Entry
  expectStatus(await post(`${at}/verify`, { ...verification, rationale: 'kept' }, token), 201)
  await moderate(app.url, 'ACTOR', actor.id, 'QUARANTINE')
  await moderate(app.url, 'ENTRY', entry.id, 'QUARANTINE')

  const answer = await call(app.url, 'GET', `/api/admin/entries/${entry.slug}`, { headers: AS_ADMIN })
  const raw: unknown = expectStatus(answer, 200)
  assert.ok(checkOf(AdminEvidence).fits(raw))
  const dossier = await adminEvidence(app.url, entry.id.toUpperCase())
  assert.equal(dossier.entry.status, 'QUARANTINED')
  assert.deepEqual(columnOf(dossier.revisions, 'id'), [revised.currentRevisionId, revisionId])
  const kinds = dossier.interactions.map(({ kind, withdrawn }) => `${kind} ${withdrawn ?? ''}`.trim())
  assert.deepEqual(kinds.filter(kind => !kind.startsWith('activity')).sort(), [
    'contradiction true',
    'relation true',
    'verification false',
    'verification true',
  ])
  const activity = dossier.interactions.filter(({ kind }) => kind === 'activity') as unknown as { action: string }[]
  for (const action of ['CREATE', 'EXPAND', 'VERIFY', 'CONTRADICT']) {
    assert.ok(
      activity.some(row => row.action === action),
      action,
    )
  }
  for (const { originId } of dossier.interactions) assert.equal(typeof originId, 'string')
  const times = dossier.interactions.map(one => {
    const { timestamp, createdAt } = one as unknown as { timestamp?: string; createdAt?: string }
    return timestamp ?? createdAt ?? ''
  })
  assert.deepEqual(times, times.toSorted().reverse())
})

test('administrators are not observed: their calls add no rows and are not counted', async () => {
  const stats = async () => (await call(app.url, 'GET', '/api/stats')).body
  const entry = await newEntry(app.url, token)
  const before = await stats()
  const { activity } = await snapshot(app.url)
  await adminEvidence(app.url, entry.id)
  await moderate(app.url, 'ENTRY', entry.id, 'BLOCK', 'UNBLOCK')
  assert.deepEqual((await snapshot(app.url)).activity, activity)
  assert.deepEqual(await stats(), before)
})

test('each list has the newest 500 rows and the number of all', async () => {
  const { token: busy } = await newActor(app.url)
  const entry = await newEntry(app.url, busy)
  const base = await snapshot(app.url)
  const audited = base.audit.length
  for (let n = 0; n < 13; n++) {
    await Promise.all(Array.from({ length: 40 }, () => moderate(app.url, 'ENTRY', entry.id, 'BLOCK')))
  }
  const entries: Entry[] = []
  for (let n = 0; n < 13; n++) {
    entries.push(...(await Promise.all(Array.from({ length: 40 }, () => newEntry(app.url, busy)))))
  }
  const seen = await snapshot(app.url)
  assert.deepEqual([seen.audit.length, seen.truncated.audit], [500, audited + 520 - 500])
  assert.deepEqual([seen.entries.length, seen.truncated.entries], [500, base.entries.length + 520 - 500])
  assert.deepEqual([seen.activity.length, seen.truncated.activity], [500, base.activity.length + 520 - 500])
  const newest = entries
    .map(({ id }) => id)
    .sort()
    .reverse()
    .slice(0, 500)
  assert.deepEqual(
    seen.entries
      .map(({ id }) => id)
      .sort()
      .reverse(),
    newest,
  )
  assert.ok(seen.activity.every((row, n, all) => n === 0 || Number(row.sequence) < Number(all[n - 1]?.sequence)))
})
