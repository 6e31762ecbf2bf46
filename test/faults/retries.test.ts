import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import type { Stats } from '../../src/contract/resources.ts'
import { call, expectProblem, expectStatus, newActor } from '../support/client.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import {
  type KeyedWrite,
  keyedEntry,
  listTitles,
  sendKeyed,
  sendUntilDone,
  startKeyedWriters,
} from '../support/keyed-writes.ts'
import { type Nodes, withNodes } from '../support/nodes.ts'
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
  await eventually('the write is there', 20_000, async () => (await isThere()) || undefined)
  return deaf
}

test('killed between commit and answer, the service gives the answer after its start, and does nothing twice', async t => {
  const directory = makeDirectory()
  t.after(() => directory.remove())
  let server = await startServer(directory.path)
  t.after(() => server.kill('SIGKILL'))
  const { token } = await newActor(server.url)
  const entry = keyedEntry('Nobody heard', token)
  const actor: KeyedWrite = { path: '/api/actors', key: 'a-key-of-an-actor', body: { declaredName: 'Unheard' } }
  const before = await observed(server.url)
  const deaf = [
    await sendDeaf(server.url, entry, async () => (await listTitles(server.url)).includes('Nobody heard')),
    await sendDeaf(server.url, actor, async () => (await observed(server.url)) === before + 2),
  ]
  const writers = await startKeyedWriters(() => server.url, 6, 'killed')
  await eventually('writes are under way', 20_000, async () => writers.done() > 12 || undefined)
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
  const titles = await writers.stop()
  t.diagnostic(`${titles.length} writes, ${writers.replayed()} of them answered by a replay`)
  assert.deepEqual((await listTitles(server.url)).sort(), [...titles, 'Nobody heard'].sort())
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
})

test('over three nodes a key has one effect, and a token dies at once', { skip: NO_POSTGRES }, t =>
  withNodes({ count: 3, standby: true }, async nodes => {
    await sendEverywhere(nodes)
    await rotateEverywhere(nodes)
    t.diagnostic(`${await killOne(nodes)} answers were given by another node than the one that did the write`)
  }),
)

/** The same 12 writes at all nodes at once, twice at each. */
async function sendEverywhere({ urls }: Nodes): Promise<void> {
  const [first = ''] = urls
  const { token } = await newActor(first)
  const writes = Array.from({ length: 12 }, (_, n) => keyedEntry(`Everywhere ${n}`, token))
  await Promise.all(
    writes.map(async write => {
      const answers = await Promise.all([...urls, ...urls].map(url => sendUntilDone(() => url, write)))
      for (const answer of answers) expectStatus(answer, 201)
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(answers.filter(({ headers }) => !headers.has('idempotency-replayed')).length, 1)
    }),
  )
  assert.equal((await listTitles(first)).length, writes.length)
}

/** A token that was exchanged at one node is worth nothing at any other from then on, and a retry anywhere gives the new one. */
async function rotateEverywhere({ urls }: Nodes): Promise<void> {
  const [first = ''] = urls
  let { token } = await newActor(first)
  for (const [n, node] of urls.entries()) {
    const rotation: KeyedWrite = {
      path: '/api/actors/rotate',
      key: `a-key-of-a-rotation-${n}`,
      body: {},
      token,
    }
    const issued = await sendKeyed(node, rotation)
    expectStatus(issued, 200)
    for (const url of urls) {
      expectProblem(await call(url, 'GET', '/api/stats', { token }), 401, 'ACTOR_TOKEN_INVALID')
      assert.equal((await sendKeyed(url, rotation)).text, issued.text)
    }
    token = String(issued.body.token)
    for (const url of urls) expectStatus(await call(url, 'GET', '/api/stats', { token }), 200)
  }
}

/** Kills a node under writers who go on at another one. */
async function killOne({ urls, servers }: Nodes): Promise<number> {
  let [url = '', next = ''] = urls
  const before = await listTitles(next)
  const writers = await startKeyedWriters(() => url, 8, 'moved')
  await eventually('writes are under way', 20_000, async () => writers.done() > 16 || undefined)
  servers[0]?.kill('SIGKILL')
  url = next
  const done = writers.done()
  await eventually('writes go on', 20_000, async () => writers.done() > done + 16 || undefined)
  const titles = await writers.stop()
  assert.deepEqual((await listTitles(next)).sort(), [...before, ...titles].sort())
  return writers.replayed()
}
