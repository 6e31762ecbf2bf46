import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { call, expectStatus, newActor } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'

const MINUTE = 60_000

test('a write that waited for the lock of all nodes gets a time after the commits in between', {
  skip: NO_POSTGRES,
}, async () => {
  const DATABASE_URL = await databaseWithTables('wait for the lock')
  const { url } = await startApp({ DATABASE_URL })
  const { token } = await newActor(url)
  const later = Date.now() + MINUTE
  const answer = await withClient(DATABASE_URL, async client => {
    // Another node, whose clock is ahead, takes the lock and commits.
    await client.query('BEGIN')
    await client.query('SELECT * FROM head FOR UPDATE')
    const body = { title: 'Bilby', summary: 'An animal', content: 'It digs.' }
    const written = call<Entry>(url, 'POST', '/api/entries', { token, body })
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    while ((await client.query(waiting)).rows.length === 0);
    await client.query('UPDATE cluster SET committed_at = $1', [later])
    await client.query('COMMIT')
    return await written
  })
  assert.ok(Date.parse(expectStatus(answer, 201).createdAt) >= later)
})
