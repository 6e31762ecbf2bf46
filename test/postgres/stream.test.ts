import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { allPages, columnOf, newActor, newEntry } from '../support/client.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { assertInOrder, openStream, type Streamed } from '../support/streams.ts'

const NODES = 3
const WRITERS = 6
const WRITES = 15
const ROWS = WRITERS * WRITES

test('three nodes stream one feed of all writers, and a stream continues at any of them', {
  skip: NO_POSTGRES,
}, async t => {
  const DATABASE_URL = await databaseWithTables('streams')
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startApp({ DATABASE_URL })))
  const urls = nodes.map(({ url }) => url)
  const urlOf = (n: number): string => urls[n % NODES] as string
  /** Follows the feed as a client does: after an interruption it continues with the last id, at the next of these nodes. */
  const follow = async (own: readonly string[], enough: number): Promise<Streamed[]> => {
    const events: Streamed[] = []
    let lastEventId = '0'
    for (let n = 0; events.length < ROWS; n += 1) {
      const stream = await openStream(own[n % own.length] as string, { lastEventId })
      t.after(() => stream.close())
      const wanted = Math.min(enough, ROWS - events.length)
      let hasEnded = false
      const ended = stream.ended.then(() => {
        hasEnded = true
      })
      await stream.until(`${wanted} of ${ROWS} rows`, seen => seen.length >= wanted || hasEnded)
      stream.close()
      await ended
      events.push(...stream.events)
      lastEventId = stream.lastId() || lastEventId
    }
    return events
  }
  const following = [...urls.map(url => follow([url], ROWS)), follow(urls, 1)]
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const { token } = await newActor(urlOf(writer))
    for (let n = 0; n < WRITES; n += 1) await newEntry(urlOf(writer + n), token)
  })
  await Promise.all(writers)
  const rows = (await allPages<Activity>(urlOf(0), '/api/activity')).reverse()
  assert.equal(rows.length, ROWS)
  for (const events of await Promise.all(following)) {
    assertInOrder(events)
    assert.deepEqual(columnOf(events, 'data'), rows)
  }
})
