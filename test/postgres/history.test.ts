import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { SEQUENCE_GAP } from '../../src/postgres/group.ts'
import { startApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'

test('of a database that was exchanged for an earlier state of itself nothing is served from memory', {
  skip: NO_POSTGRES,
}, async () => {
  const DATABASE_URL = await databaseOf('another history')
  const { url } = await startApp({ DATABASE_URL })
  const { token } = await newActor(url)
  const { slug } = await newEntry(url, token, { title: 'As it was' })
  const titles = async () => {
    const { body: entry } = await call<Entry>(url, 'GET', `/api/entries/${slug}`)
    const { body: list } = await call<{ items: Entry[] }>(url, 'GET', '/api/entries')
    return [entry.title, list.items[0]?.title]
  }
  assert.deepEqual(await titles(), ['As it was', 'As it was'])
  await withClient(DATABASE_URL, async client => {
    // The same record with other contents: a revision of which the standby had heard nothing, and another one instead.
    await client.query("UPDATE revision SET title = 'As it is'")
    assert.deepEqual(await titles(), ['As it was', 'As it was'], 'nothing was kept in memory')
    await client.query('UPDATE head SET sequence = sequence + $1', [SEQUENCE_GAP])
  })
  assert.deepEqual(await titles(), ['As it is', 'As it is'])
})
