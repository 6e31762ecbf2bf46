import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppealedDecision, Decision, Entry, ModerationResult } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { AS_ADMIN } from '../support/moderation.ts'

const app = useApp({})
const act = async (body: object): Promise<ModerationResult> =>
  expectStatus(
    await call<ModerationResult>(app.url, 'POST', '/api/admin/moderate', {
      headers: AS_ADMIN,
      body: { targetType: 'ENTRY', ground: 'PRIVATE_DATA', reason: 'It names a person.', ...body },
    }),
    200,
  )
type List<T> = { items: T[]; nextCursor: string | null }
const decisions = async (token: string, query = ''): Promise<List<Decision>> =>
  expectStatus(await call<List<Decision>>(app.url, 'GET', `/api/me/decisions${query}`, { token }), 200)
const appeal = (token: string, decision: string, rationale = 'The person is public.') =>
  call<Decision>(app.url, 'POST', '/api/appeals', { token, body: { decision, rationale } })
const listed = async (query = ''): Promise<AppealedDecision[]> =>
  expectStatus(
    await call<List<AppealedDecision>>(app.url, 'GET', `/api/admin/appeals${query}`, { headers: AS_ADMIN }),
    200,
  ).items
async function author(): Promise<{ token: string; id: string; entry: Entry }> {
  const { token, actor } = await newActor(app.url)
  return { token, id: actor.id, entry: await newEntry(app.url, token) }
}

test('an author reads the acts on its actor, entries and records with ground and reason, and no other', async () => {
  const [one, other] = [await author(), await author()]
  const judged = expectStatus(
    await call<{ id: string }>(app.url, 'POST', `/api/entries/${other.entry.slug}/contradict`, {
      token: one.token,
      body: { revisionId: other.entry.currentRevisionId, rationale: 'No.' },
    }),
    201,
  )
  const hidden = await act({ targetId: one.entry.slug, action: 'HIDE' })
  await act({ targetId: one.entry.id, action: 'HIDE' })
  const blocked = await act({ targetType: 'ACTOR', targetId: one.id, action: 'BLOCK', ground: 'SPAM' })
  const erased = await act({ targetId: other.entry.id, action: 'ERASE', ground: 'ILLEGAL' })
  const { items } = await decisions(one.token)
  assert.deepEqual(
    items.map(({ id, ground }) => [id, ground]),
    [
      [erased.id, 'ILLEGAL'],
      [blocked.id, 'SPAM'],
      [hidden.id, 'PRIVATE_DATA'],
    ],
    `the erasure took ${judged.id}`,
  )
  assert.deepEqual(items[2], {
    ...{ id: hidden.id, targetType: 'ENTRY', targetId: one.entry.id, action: 'HIDE', ground: 'PRIVATE_DATA' },
    ...{ reason: 'It names a person.', createdAt: hidden.createdAt, undoneAt: null, appealable: true, appeal: null },
  })
  assert.deepEqual(columnOf((await decisions(other.token)).items, 'id'), [erased.id])
  const restored = await act({ targetId: one.entry.id, action: 'RESTORE' })
  const page = await decisions(one.token, '?limit=1')
  assert.deepEqual([page.items[0]?.id, page.items[0]?.appealable], [restored.id, false])
  const rest = await decisions(one.token, `?limit=3&before=${page.nextCursor}`)
  assert.deepEqual([rest.items[2]?.undoneAt, rest.items[2]?.appealable], [restored.createdAt, false])
  expectProblem((await call(app.url, 'GET', '/api/me/decisions')) as never, 401, 'ACTOR_TOKEN_REQUIRED')
})

test('a blocked author appeals an act once, and an act that names the appeal answers it', async () => {
  const [one, other] = [await author(), await author()]
  await act({ targetType: 'ACTOR', targetId: one.id, action: 'BLOCK' })
  const hidden = await act({ targetId: one.entry.id, action: 'HIDE' })
  expectProblem((await appeal(other.token, hidden.id)) as never, 404, 'DECISION_NOT_FOUND')
  const made = expectStatus(await appeal(one.token, hidden.id.toUpperCase()), 201)
  assert.deepEqual([made.id, made.appealable, made.appeal?.outcome], [hidden.id, false, null])
  expectProblem((await appeal(one.token, hidden.id)) as never, 422, 'NOT_APPEALABLE')
  const open = (await listed()).find(({ id }) => id === hidden.id)
  assert.deepEqual(open, { ...made, actorId: one.id })
  const naming = { appeal: made.appeal?.id ?? '', action: 'HIDE', reason: 'Her address is private.' }
  const elsewhere = { ...naming, targetType: 'ENTRY', targetId: other.entry.id }
  expectProblem(
    (await call(app.url, 'POST', '/api/admin/moderate', { headers: AS_ADMIN, body: elsewhere })) as never,
    404,
    'APPEAL_NOT_FOUND',
  )
  const answer = await act({ ...naming, targetId: one.entry.id })
  assert.equal(answer.changed, false)
  const seen = (await decisions(one.token)).items.find(({ id }) => id === hidden.id)
  const outcome = { result: 'REJECTED', reason: 'Her address is private.', createdAt: answer.createdAt }
  assert.deepEqual(seen?.appeal, { ...made.appeal, outcome })
  assert.equal((await listed()).filter(({ id }) => id === hidden.id).length, 0)
  assert.deepEqual((await listed('?state=all&limit=1'))[0]?.appeal, seen?.appeal)
})

test('an act that undoes a decision grants its open appeal', async () => {
  const { token, id } = await author()
  const blocked = await act({ targetType: 'ACTOR', targetId: id, action: 'BLOCK' })
  expectStatus(await appeal(token, blocked.id), 201)
  await act({ targetType: 'ACTOR', targetId: id, action: 'UNBLOCK', reason: 'A mistake.' })
  const seen = (await decisions(token)).items.find(one => one.id === blocked.id)
  assert.deepEqual([seen?.appeal?.outcome?.result, seen?.appeal?.outcome?.reason], ['GRANTED', 'A mistake.'])
  assert.deepEqual(
    (await listed()).filter(one => one.id === blocked.id),
    [],
  )
})

test('the text of an appeal is in no export, no log and no feed, and is erased with its decision', async () => {
  const { token, entry } = await author()
  const hidden = await act({ targetId: entry.id, action: 'HIDE' })
  expectStatus(await appeal(token, hidden.id, 'Unmistakable words of an appeal.'), 201)
  for (const path of ['/api/export', '/api/activity', '/api/activity/changes', '/api/admin/snapshot']) {
    const answer = await fetch(app.url + path, { headers: AS_ADMIN })
    assert.ok(!(await answer.text()).includes('Unmistakable'), path)
  }
  await act({ targetId: entry.id, action: 'ERASE' })
  const seen = (await decisions(token)).items.find(({ id }) => id === hidden.id)
  assert.deepEqual([seen?.reason, seen?.appeal?.rationale], ['', ''])
})

test('an appeal is answered only by the act that undoes its act, or by the same act again', async () => {
  const { token, id } = await author()
  const blocked = await act({ targetType: 'ACTOR', targetId: id, action: 'BLOCK' })
  const made = expectStatus(await appeal(token, blocked.id), 201)
  const answer = { targetType: 'ACTOR', targetId: id, reason: 'A mistake.', appeal: made.appeal?.id }
  const restored = await call(app.url, 'POST', '/api/admin/moderate', {
    headers: AS_ADMIN,
    body: { ...answer, action: 'RESTORE' },
  })
  expectProblem(restored as never, 422, 'ACTION_NOT_APPLICABLE')
  await act({ ...answer, action: 'UNBLOCK' })
  assert.equal((await decisions(token)).items[1]?.appeal?.outcome?.result, 'GRANTED')
})

test('a retry of an appeal or a report does not bring back what was erased since', async () => {
  const { token, entry } = await author()
  const hidden = await act({ targetId: entry.id, action: 'HIDE' })
  const other = await author()
  const report = { targetType: 'ENTRY', targetId: other.entry.id, reason: 'SPAM', details: 'Sells shoes.' }
  const retried = [
    { path: '/api/appeals', body: { decision: hidden.id, rationale: 'She is public.' } },
    { path: '/api/reports', body: report },
  ]
  const send = ({ path, body }: (typeof retried)[number]) =>
    call(app.url, 'POST', path, {
      token,
      body,
      headers: { 'idempotency-key': `retry-of${path.replaceAll('/', '-')}-0123` },
    })
  for (const one of retried) expectStatus(await send(one), 201)
  for (const one of retried) expectStatus(await send(one), 201)
  for (const targetId of [entry.id, other.entry.id]) await act({ targetId, action: 'ERASE' })
  for (const one of retried) expectProblem((await send(one)) as never, 410, 'ERASED')
})
