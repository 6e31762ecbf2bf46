import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Activity, Stats } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { AS_ADMIN } from '../support/moderation.ts'

let app: TestApp
before(async () => {
  app = await startApp()
})
after(() => app.close())

const moderate = async (targetType: string, targetId: string, action: string): Promise<void> => {
  const body = { targetType, targetId, action, reason: 'Words that nobody is to see.' }
  expectStatus(await call(app.url, 'POST', '/api/admin/moderate', { body, headers: AS_ADMIN }), 200)
}
const topics = async (): Promise<string[]> =>
  expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200).topics.map(({ tag }) => tag)

test("the spelling of a withdrawn entry's tag is not shown for another's", async () => {
  const { token } = await newActor(app.url)
  const shouted = await newEntry(app.url, token, { tags: ['SPELLing'] })
  await moderate('ENTRY', shouted.id, 'HIDE')
  assert.deepEqual(await topics(), [])
  await newEntry(app.url, token, { tags: ['spelling'] })
  assert.deepEqual(await topics(), ['spelling'])
})

test('the tag that a quarantined actor asked for is not shown in the feed', async () => {
  const { actor, token } = await newActor(app.url)
  expectStatus(await call(app.url, 'GET', '/api/search?tag=evil+words', { token }), 200)
  const searched = async (): Promise<unknown> => {
    const { items } = expectStatus(await call<{ items: Activity[] }>(app.url, 'GET', '/api/activity'), 200)
    return items.find(({ actorId }) => actorId === actor.id)?.metadata
  }
  const asked = { resultCount: 0, tag: 'evil words', sort: 'recent' }
  assert.deepEqual(await searched(), asked)
  await moderate('ACTOR', actor.id, 'QUARANTINE')
  assert.deepEqual(await searched(), { ...asked, tag: null })
  await moderate('ACTOR', actor.id, 'RESTORE')
  assert.deepEqual(await searched(), asked)
})
