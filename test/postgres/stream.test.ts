import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { allPages, newActor, newEntry } from '../support/client.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { assertInOrder, openStream, type Streamed } from '../support/streams.ts'

const NODES = 3
const WRITERS = 6
const WRITES = 15

test('three nodes stream one feed, whoever writes, and a stream goes on at any of them', {
  skip: NO_POSTGRES,
}, async t => {
  const DATABASE_URL = await databaseOf('streams')
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startApp({ DATABASE_URL })))
  const urls = nodes.map(({ url }) => url)
  const urlOf = (n: number): string => urls[n % NODES] as string
  const steady = await Promise.all(urls.map(url => openStream(url, { after: '0' })))
  t.after(() => {
    for (const stream of steady) stream.close()
  })
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const { token } = await newActor(urlOf(writer))
    for (let n = 0; n < WRITES; n += 1) await newEntry(urlOf(writer + n), token)
  })
  const wander = async (): Promise<Streamed[]> => {
    const events: Streamed[] = []
    let lastEventId = '0'
    for (let n = 0; events.length < WRITERS * WRITES; n += 1) {
      const stream = await openStream(urlOf(n), { lastEventId })
      t.after(() => stream.close())
      await stream.until('some more', seen => seen.length > 0)
      stream.close()
      await stream.ended
      events.push(...stream.events)
      lastEventId = stream.lastId()
    }
    return events
  }
  const wandering = wander()
  await Promise.all(writers)
  const rows = (await allPages<Activity>(urlOf(0), '/api/activity')).reverse()
  assert.equal(rows.length, WRITERS * WRITES)
  for (const stream of steady) {
    await stream.until('all that is in the feed', events => events.length >= rows.length)
    assertInOrder(stream.events)
    assert.deepEqual(
      stream.events.map(({ data }) => data),
      rows,
    )
  }
  assert.deepEqual(
    (await wandering).map(({ data }) => data),
    rows,
  )
})
