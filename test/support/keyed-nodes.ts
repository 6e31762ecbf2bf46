import assert from 'node:assert/strict'
import { call, expectProblem, expectStatus, newActor } from './client.ts'
import { type KeyedWrite, keyedEntry, listTitles, sendKeyed, sendUntilDone } from './keyed-writes.ts'

/** Sends the same 12 writes to all nodes at the same time, twice to each. */
export async function sendEverywhere(urls: readonly string[]): Promise<void> {
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
  const titles = await listTitles(first)
  assert.equal(titles.filter(title => title.startsWith('Everywhere')).length, writes.length)
}

/**
 * Asserts that after a rotation at one node the previous token is invalid at every node, and that a retry at any node returns the new
 * token.
 */
export async function rotateEverywhere(urls: readonly string[]): Promise<void> {
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
