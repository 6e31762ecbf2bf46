import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Stats } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { AS_ADMIN } from '../support/moderation.ts'

const app = useApp()

const moderate = async (targetType: string, targetId: string, action: string): Promise<void> => {
  const body = { targetType, targetId, action, reason: 'Words that must not be shown.' }
  expectStatus(await call(app.url, 'POST', '/api/admin/moderate', { body, headers: AS_ADMIN }), 200)
}
const topics = async (): Promise<string[]> =>
  expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200).topics.map(({ tag }) => tag)

test("the spelling of a withdrawn entry's tag is not shown for another entry", async () => {
  const { token } = await newActor(app.url)
  const shouted = await newEntry(app.url, token, { tags: ['SPELLing'] })
  await moderate('ENTRY', shouted.id, 'HIDE')
  assert.deepEqual(await topics(), [])
  await newEntry(app.url, token, { tags: ['spelling'] })
  assert.deepEqual(await topics(), ['spelling'])
})

test('a topic has the spelling of its oldest public entry, after any withdrawals, restorations and writes', async () => {
  const [first, second] = [await newActor(app.url), await newActor(app.url)]
  const publish = (token: string, tag: string) => newEntry(app.url, token, { tags: [tag] })
  const spelled = async () => (await topics()).filter(tag => tag.toLowerCase() === 'node js')
  const oldest = await publish(first.token, 'Node JS')
  const middle = await publish(second.token, 'NODE js')
  await publish(first.token, 'node js')
  assert.deepEqual(await spelled(), ['Node JS'])
  await moderate('ENTRY', oldest.id, 'HIDE')
  assert.deepEqual(await spelled(), ['NODE js'])
  await publish(second.token, 'Node Js')
  await moderate('ENTRY', oldest.id, 'RESTORE')
  assert.deepEqual(await spelled(), ['Node JS'])
  await moderate('ACTOR', first.actor.id, 'QUARANTINE')
  assert.deepEqual(await spelled(), ['NODE js'])
  await moderate('ENTRY', middle.id, 'HIDE')
  assert.deepEqual(await spelled(), ['Node Js'])
  await moderate('ACTOR', first.actor.id, 'RESTORE')
  await moderate('ENTRY', middle.id, 'RESTORE')
  assert.deepEqual(await spelled(), ['Node JS'])
})

test('a search by a quarantined actor is not shown in the feed', async () => {
  const { actor, token } = await newActor(app.url)
  expectStatus(await call(app.url, 'GET', '/api/search?tag=evil+words', { token }), 200)
  const searched = async (): Promise<unknown> => {
    const { items } = expectStatus(await call<{ items: Activity[] }>(app.url, 'GET', '/api/activity'), 200)
    return items.find(({ actorId }) => actorId === actor.id)?.metadata
  }
  const asked = { resultCount: 0, tag: 'evil words', sort: 'recent' }
  assert.deepEqual(await searched(), asked)
  await moderate('ACTOR', actor.id, 'QUARANTINE')
  assert.deepEqual(await searched(), undefined)
  await moderate('ACTOR', actor.id, 'RESTORE')
  assert.deepEqual(await searched(), asked)
})
