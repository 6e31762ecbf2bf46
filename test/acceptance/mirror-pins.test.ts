import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PinsReport } from '../../src/contract/resources.ts'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const app = useApp({ TLOG_INTERVAL_SECONDS: '0.05' }, async () => {
  ;({ token } = await newActor(app.url))
})

/** An entry that two actors support, and a withdrawn entry by which a third one contradicts it. */
async function judgedEntry() {
  const [first, second, third] = [await newActor(app.url), await newActor(app.url), await newActor(app.url)]
  const entry = await newEntry(app.url, token)
  for (const by of [first, second]) {
    const body = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' }
    expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { body, token: by.token }), 201)
  }
  const source = await newEntry(app.url, third.token)
  const ends = { sourceEntryId: source.id, targetEntryId: entry.id }
  const relation = { ...ends, relationType: 'CONTRADICTS', rationale: 'Not so.' }
  expectStatus(await call(app.url, 'POST', '/api/relations', { body: relation, token: third.token }), 201)
  await moderate(app.url, 'ENTRY', source.id, 'HIDE')
  // A mirror that begins later has no news of this act.
  await newEntry(app.url, third.token)
  return { entry, source, supporter: second.actor }
}

test('a mirror reports evidence that moderation withdrew or restored, as its original does', async () => {
  const { entry, source, supporter } = await judgedEntry()
  await signedCheckpoint(app)
  const copy = await openCopy(app.url)
  await copy.catchUp()
  const pins = [{ slug: entry.slug, revisionId: entry.currentRevisionId }]
  const check = async (url: string, since?: string): Promise<PinsReport> =>
    expectStatus(
      await call<PinsReport>(url, 'POST', '/api/pins/check', { body: { pins, ...(since && { since }) } }),
      200,
    )
  let since = (await check(copy.app.url)).sequence
  /** The findings of the original, which those of its mirrors equal. */
  const findings = async (...copies: Copy[]): Promise<unknown[]> => {
    await signedCheckpoint(app)
    const { items } = await check(app.url, since)
    for (const one of copies) {
      await one.catchUp()
      assert.deepEqual((await check(one.app.url, since)).items, items)
    }
    // A later record than the act of moderation ends the news.
    await newEntry(app.url, token)
    await signedCheckpoint(app)
    for (const one of copies) await one.catchUp()
    since = (await check(app.url)).sequence
    const { items: rest } = await check(app.url, since)
    for (const one of copies) assert.deepEqual((await check(one.app.url, since)).items, rest)
    const states = rest.map(({ evidence }) => evidence?.state)
    assert.deepEqual(
      states,
      states.includes('DISPUTED') ? ['DISPUTED'] : [],
      'without news only a disputed text is named',
    )
    return items.map(({ kind, evidence }) => [kind, evidence?.state, evidence?.added])
  }
  assert.deepEqual(await findings(copy), [])
  await moderate(app.url, 'ACTOR', supporter.id, 'QUARANTINE')
  assert.deepEqual(await findings(copy, await openCopy(app.url)), [['EVIDENCE', 'SUPPORTED', 0]])
  await moderate(app.url, 'ACTOR', supporter.id, 'RESTORE')
  assert.deepEqual(await findings(copy), [['EVIDENCE', 'SUPPORTED', 0]])
  await moderate(app.url, 'ACTOR', supporter.id, 'HIDE')
  assert.deepEqual(await findings(copy), [], 'only the name of the actor is hidden')
  await moderate(app.url, 'ENTRY', source.id, 'RESTORE')
  assert.deepEqual(await findings(copy), [['EVIDENCE', 'DISPUTED', 0]])
  await moderate(app.url, 'ENTRY', source.id, 'HIDE')
  assert.deepEqual(await findings(copy), [['EVIDENCE', 'SUPPORTED', 0]])
})
