import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkItem, WorkList } from '../../../src/contract/resources.ts'
import { startApp } from '../../support/app.ts'
import { call, callPatiently, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { openCopy } from './copy.ts'

const listed = async (url: string): Promise<WorkItem[]> =>
  expectStatus(await call<WorkList>(url, 'GET', '/api/work?limit=50'), 200).items
const namesOf = (items: readonly WorkItem[]): string[] => items.map(({ kind, entry }) => `${kind} ${entry?.id}`)

test('a mirror lists checks by its own standings, without the topics of its original', async () => {
  await using app = await startApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
  const [{ token }, { token: judge }] = [await newActor(app.url), await newActor(app.url)]
  const [entry] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const body = { revisionId: entry.currentRevisionId, rationale: 'It fails.' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/contradict`, { body, token: judge }), 201)
  for (let n = 1; n <= 5; n++) {
    await callPatiently(app.url, 'GET', '/api/find?q=quokkagami%20folding', {
      headers: { 'x-forwarded-for': `10.1.0.${n}` },
    })
  }
  const copy = await openCopy(app.url)
  await copy.catchUp()
  await callPatiently(copy.app.url, 'GET', '/api/find?q=quokkagami%20folding')
  const own = await listed(app.url)
  assert.ok(own.some(({ kind }) => kind === 'UNANSWERED'))
  const ofEntries = own.filter(({ kind }) => kind !== 'UNANSWERED')
  assert.deepEqual(ofEntries.map(({ kind }) => kind).sort(), ['DISPUTED', 'UNCHECKED'])
  assert.deepEqual(namesOf(await listed(copy.app.url)), namesOf(ofEntries))
})
