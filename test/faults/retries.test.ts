import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import type { Stats } from '../../src/contract/resources.ts'
import { call, expectStatus, newActor } from '../support/client.ts'
import { type KeyedWrite, keyedEntry, listTitles, sendKeyed } from '../support/keyed-writes.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'

const observed = async (url: string): Promise<number> =>
  expectStatus(await call<Stats>(url, 'GET', '/api/stats'), 200).observedActors

/** Sends a write and hears no answer: waits until `isThere` says that it was done. */
async function sendDeaf(url: string, { path, key, body, token }: KeyedWrite, isThere: () => Promise<boolean>) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key, 'x-actor-token': token ?? '' }
  if (token === undefined) Reflect.deleteProperty(headers, 'x-actor-token')
  const deaf = request(`${url}${path}`, { method: 'POST', headers })
  deaf.on('error', () => {})
  deaf.on('response', response => response.pause())
  deaf.end(JSON.stringify(body))
  await eventually('the write is there', 60_000, async () => (await isThere()) || undefined)
  return deaf
}

test('after a kill between commit and answer, a retry gets the answer from the restarted service without a second effect', async t => {
  const directory = makeDirectory()
  t.after(() => directory.remove())
  let server = await startServer(directory.path)
  t.after(() => server.kill('SIGKILL'))
  const { token } = await newActor(server.url)
  const entry = keyedEntry('Unheard', token)
  const actor: KeyedWrite = { path: '/api/actors', key: 'a-key-of-an-actor', body: { declaredName: 'Unheard' } }
  const before = await observed(server.url)
  const deaf = [
    await sendDeaf(server.url, entry, async () => (await listTitles(server.url)).includes('Unheard')),
    await sendDeaf(server.url, actor, async () => (await observed(server.url)) === before + 2),
  ]
  server.kill('SIGKILL')
  await server.ended
  for (const one of deaf) one.destroy()
  server = await startServer(directory.path)
  for (const write of [entry, actor]) {
    const answer = await sendKeyed(server.url, write)
    expectStatus(answer, 201)
    assert.equal(answer.headers.get('idempotency-replayed'), 'true')
    assert.equal((await sendKeyed(server.url, write)).text, answer.text)
    if (write === actor)
      expectStatus(await call(server.url, 'GET', '/api/stats', { token: String(answer.body.token) }), 200)
  }
  assert.deepEqual(await listTitles(server.url), ['Unheard'])
  assert.equal((await server.stop()).code, 0)
})
