import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { call, callPatiently, expectStatus, newActor } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'

/** Revisions and searches at least. */
const REVISIONS = 60
const SEARCHERS = 4
/** More records than a segment of the index has. */
const SEGMENT = 10_000

test('an entry that is revised while a search goes through the segments is found once', {
  skip: NO_POSTGRES,
}, async () => {
  const DATABASE_URL = await databaseWithTables('search through segments')
  const { url } = await startApp({ DATABASE_URL })
  const { token } = await newActor(url)
  const text = { title: 'Quokka', summary: 'An animal', content: 'It smiles.' }
  const made = expectStatus(await call<Entry>(url, 'POST', '/api/entries', { token, body: text }), 201)
  let latest = made.currentRevisionId
  let ended = false
  const seen: number[] = []
  const search = async (): Promise<void> => {
    while (!ended) {
      const answer = await callPatiently<{ items: unknown[] }>(url, 'GET', '/api/search?q=quokka&sort=recent')
      seen.push(expectStatus(answer, 200).items.length)
    }
  }
  const searching = Array.from({ length: SEARCHERS }, search)
  await withClient(DATABASE_URL, async client => {
    for (let revision = 0; revision < REVISIONS || seen.length <= REVISIONS; revision++) {
      // The next revision is in another segment.
      await client.query('UPDATE head SET record = record + $1', [SEGMENT])
      const body = { ...text, previousRevisionId: latest, changeType: 'EXPAND', rationale: `r${revision}` }
      const answer = await call<Entry>(url, 'POST', `/api/entries/${made.id}/revisions`, { token, body })
      latest = expectStatus(answer, 201).currentRevisionId
    }
  })
  ended = true
  await Promise.all(searching)
  assert.deepEqual(new Set(seen), new Set([1]))
})
