import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { signedCheckpoint } from '../../support/logged-world.ts'
import { type Copy, openCopy } from './copy.ts'

let copy: Copy
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  await newEntry(app.url, (await newActor(app.url)).token)
  await signedCheckpoint(app)
  copy = await openCopy(app.url)
  await copy.catchUp()
})

test('a copy redirects writes to the server that it names, and refuses acts of moderation', async () => {
  const { token } = await newActor(app.url)
  const body = { title: 'T', summary: 'S', content: 'C' }
  const send = (path: string, sending: object) => fetch(`${copy.app.url}${path}`, { redirect: 'manual', ...sending })
  for (const path of ['/api/actors', '/api/entries', '/api/entries/x/revisions', '/api/reports']) {
    const answer = await send(path, { method: 'POST', headers: { 'x-actor-token': token }, body: '{' })
    assert.equal(answer.status, 307)
    assert.equal(answer.headers.get('location'), `${app.url}${path}`)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(await answer.text(), /^\{"error":\{"code":"WRITE_AT_ORIGINAL","requestId":"[0-9a-f-]{36}"\}\}$/)
    assert.equal(
      answer.headers.get('link'),
      `<${app.url}>; rel="original", </docs/errors#WRITE_AT_ORIGINAL>; rel="help"`,
    )
  }
  // A caller that follows redirects writes at the original, with the same method and body.
  const written = expectStatus(await call<Entry>(copy.app.url, 'POST', '/api/entries?', { token, body }), 201)
  assert.equal((await call(app.url, 'GET', `/api/entries/${written.slug}`)).status, 200)
  const moderation = {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    body: { targetType: 'ENTRY', targetId: 'x', action: 'HIDE', reason: 'R' },
  }
  const refused = await call(copy.app.url, 'POST', '/api/admin/moderate', moderation)
  assert.match(expectProblem(refused, 403, 'READ_ONLY_MIRROR').headers.get('link') ?? '', /rel="original"/)
  expectStatus(await call(copy.app.url, 'GET', '/api/stats', { token }), 200)
  assert.equal(copy.app.store.original, app.url)
})

test('a copy leads to the original for what only the original has', async () => {
  const { token } = await newActor(app.url)
  const id = '0193a1f0-0000-7000-8000-000000000000'
  for (const [method, path] of [
    ['GET', '/api/me/decisions?limit=5'],
    ['GET', '/api/moderation?year=2026'],
    ['GET', '/moderation?year=2026'],
    ['POST', `/api/reports/${id}`],
  ] as const) {
    const sending = method === 'POST' ? { method, body: '{}' } : { headers: { 'x-actor-token': token } }
    const { status, headers } = await fetch(`${copy.app.url}${path}`, { redirect: 'manual', ...sending })
    assert.deepEqual([status, headers.get('location')], [307, `${app.url}${path}`])
  }
  const { items } = expectStatus(
    await call<{ items: unknown[] }>(copy.app.url, 'GET', '/api/me/decisions', { token }),
    200,
  )
  assert.deepEqual(items, [])
})

test('a page that writes leads to the same page of the original, and an entry of a copy has no form', async () => {
  const { token } = await newActor(app.url)
  const { slug } = await newEntry(app.url, token)
  await copy.catchUp()
  const page = (path: string) =>
    fetch(`${copy.app.url}${path}`, { redirect: 'manual', headers: { accept: 'text/html' } })
  for (const path of [
    '/publish',
    '/actor',
    '/decisions',
    `/entries/${slug}/revise`,
    `/entries/${slug}/verify?revision=1`,
  ]) {
    const { status, headers } = await page(path)
    assert.deepEqual([status, headers.get('location')], [302, `${app.url}${path}`])
  }
  const text = await (await page(`/entries/${slug}`)).text()
  assert.ok(text.includes(`<a href="${app.url}/entries/${slug}">`))
  assert.doesNotMatch(text, /data-judge|\/revise"/)
})

test('a mirror of a mirror leads to its own original, which leads on to the writer', async () => {
  await using second = await openCopy(copy.app.url, { withoutLog: true })
  const first = await fetch(`${second.app.url}/api/actors`, { method: 'POST', redirect: 'manual' })
  assert.equal(first.headers.get('location'), `${copy.app.url}/api/actors`)
  await newActor(second.app.url)
})
