import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { indexFile } from '../../src/stores/embedded/directory.ts'
import { startApp } from '../support/app.ts'
import { call, columnOf, expectProblem, newActor, newEntry, sendUntil } from '../support/client.ts'
import { type Client, createClient, sendPatiently } from '../support/load.ts'
import { lockFile } from '../support/lock.ts'
import { eventually } from '../support/process.ts'

/** How many searches wait, each of which is followed by another one as soon as it is answered. */
const SEARCHES = 100
/** How many of the searches that follow are under way at once: few enough that a busy machine answers them in time. */
const FOLLOWING = 20
/** If this many searches were refused one after another, 5 s each, the test would exceed its limit. */
const REFUSED = 40
/** Longer than a search waits for the index, and the index for who has locked it, in milliseconds. */
const LOCKED = 6_000
/** How long a condition is waited for, in milliseconds. */
const PATIENCE = 60_000

test('searches that wait for the index do not cause later searches to be refused', async t => {
  await using app = await startApp({}, { engine: 'embedded' })
  const { token } = await newActor(app.url)
  const client = createClient(app.url, SEARCHES)
  t.after(() => client.close())
  const follower = createClient(app.url, FOLLOWING)
  t.after(() => follower.close())

  const release = lockFile(indexFile(app.dataDir))
  const { id } = await newEntry(app.url, token, { title: 'Heldup' })
  // A busy machine may refuse a search that waited for too long already, or one of many: such a one is sent again. One that follows must
  // never be refused because of the index.
  const search = (by: Client) => sendPatiently(by, 'GET', '/api/search?q=heldup')
  const refused: string[] = []
  const following: Client = {
    ...follower,
    send: async (...request) => {
      const answer = await follower.send(...request)
      if (answer.status !== 200 && !answer.text.includes('OVERLOADED')) refused.push(answer.text)
      return answer
    },
  }
  const answers = Array.from({ length: SEARCHES }, async () => [await search(client), await search(following)])
  await eventually('all searches wait', PATIENCE, async () => {
    return (await app.store.metrics()).searchesWaiting === SEARCHES || undefined
  })
  release()
  for (const { status, text } of (await Promise.all(answers)).flat()) {
    assert.equal(status, 200, text)
    assert.deepEqual(columnOf((JSON.parse(text) as { items: { id: string }[] }).items, 'id'), [id])
  }
  assert.deepEqual(refused, [])
  assert.equal((await app.store.metrics()).searchesWaiting, 0)
})

// Both wait for seconds, each on a store of its own.
suite('a locked index', { concurrency: 2 }, () => {
  test('while another process locks the index searches are refused together, and afterwards find what was written', async () => {
    await using app = await startApp({}, { engine: 'embedded' })
    const { token } = await newActor(app.url)
    const release = lockFile(indexFile(app.dataDir))
    const { id } = await newEntry(app.url, token, { title: 'Lockedout' })
    const search = () => call<{ items: { id: string }[] }>(app.url, 'GET', '/api/search?q=lockedout')
    // Refused one after another, they would take longer than a test may.
    for (const answer of await Promise.all(Array.from({ length: REFUSED }, search))) {
      expectProblem(answer, 503, 'NOT_READY')
      assert.equal(answer.headers.get('retry-after'), '5')
    }
    const logged = (): number => app.log().split('another process has it locked; end that one').length - 1
    await eventually('the lock is logged', PATIENCE, async () => logged() > 0 || undefined)
    release()
    const { body } = await sendUntil(({ status }) => status !== 503, search)
    assert.deepEqual(columnOf(body.items, 'id'), [id])
    const isWritten = async () => /the search index is written again/.test(app.log()) || undefined
    await eventually('it is logged that the index is written again', PATIENCE, isWritten)
    assert.equal(logged(), 1, 'the lock is logged once, when it began')
    assert.equal((await call(app.url, 'GET', '/ready')).status, 200)
  })

  test('an index that is locked while nothing waits for it is no fault', async () => {
    await using app = await startApp({}, { engine: 'embedded' })
    const { token } = await newActor(app.url)
    const { id } = await newEntry(app.url, token, { title: 'Untidy' })
    const search = () => call<{ items: { id: string }[] }>(app.url, 'GET', '/api/search?q=untidy')
    assert.deepEqual(columnOf((await search()).body.items, 'id'), [id])
    // It is tidied once nothing was written for a while, which fails then.
    const release = lockFile(indexFile(app.dataDir))
    await pause(LOCKED)
    assert.deepEqual(columnOf((await search()).body.items, 'id'), [id])
    release()
    assert.doesNotMatch(app.log(), /search index (cannot|is written)/)
  })
})
