import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, createClient, type Entry } from '../../src/client/index.ts'
import { shareApp } from '../support/app.ts'

const RACERS = 10

let client: Client
const app = shareApp({}, async () => {
  client = createClient({ baseUrl: app.url })
  await client.createActor()
})

const publish = (title: string): Promise<Entry> => client.createEntry({ title, summary: 'List.', content: 'start' })
const line = (text: string) => (latest: Entry) => ({
  content: `${latest.content}\n${text}`,
  changeType: 'EXPAND' as const,
  rationale: `Adds ${text}.`,
})

test('ten clients that revise at once all add their line, once each and without a fork', async () => {
  const entry = await publish('Race')
  const racers = await Promise.all(
    Array.from({ length: RACERS }, async () => {
      const racer = createClient({ baseUrl: app.url })
      await racer.createActor()
      return racer
    }),
  )
  let edits = 0
  // No client sends before all have read, so that the first round is always a race.
  const all = Promise.withResolvers<void>()
  await Promise.all(
    racers.map((racer, index) =>
      racer.reviseWithRetry(entry.slug, async (latest, stale) => {
        edits += 1
        if (edits === RACERS) all.resolve()
        await all.promise
        if (stale !== undefined) assert.notEqual(latest.currentRevisionId, stale.currentRevisionId)
        return line(`line ${index}`)(latest)
      }),
    ),
  )
  assert.ok(edits >= 2 * RACERS - 1, `${edits} edits: all but one of the first round must have come too late`)
  const { content, revisionCount } = await client.readEntry(entry.slug)
  assert.equal(revisionCount, RACERS + 1)
  const expected = Array.from({ length: RACERS }, (_, index) => `line ${index}`)
  assert.deepEqual(content.split('\n').slice(1).sort(), expected.sort())
  assert.deepEqual(await client.verifyHistory(entry.slug), { holds: true, revisions: RACERS + 1, broken: [] })
})

test('the merge gets the stale state, and null ends the loop', async () => {
  const entry = await publish('Merge')
  const seen: (string | undefined)[] = []
  const given = await client.reviseWithRetry(entry.slug, async (latest, stale) => {
    seen.push(stale?.content)
    if (stale !== undefined) return null
    await client.reviseWithRetry(entry.slug, line('concurrent'))
    return line('late')(latest)
  })
  assert.deepEqual(seen, [undefined, 'start'])
  assert.equal(given.content, 'start\nconcurrent')
  assert.equal(given.revisionCount, 2)
})

test('after the maximum number of attempts the conflict is thrown', async () => {
  const entry = await publish('Limit')
  let edits = 0
  const endless = client.reviseWithRetry(
    entry.slug,
    async latest => {
      edits += 1
      await client.reviseWithRetry(entry.slug, line(`other ${edits}`))
      return line('never')(latest)
    },
    { attempts: 3 },
  )
  await assert.rejects(endless, { code: 'STALE_REVISION', status: 409 })
  assert.equal(edits, 3)
  assert.equal((await client.readEntry(entry.slug)).revisionCount, 4)
})

test('an error of the merge, and every other refusal, ends the loop', async () => {
  const entry = await publish('Ends')
  const failure = new Error('cannot merge')
  await assert.rejects(
    client.reviseWithRetry(entry.slug, () => {
      throw failure
    }),
    failure,
  )
  const tooLong = { changeType: 'EXPAND' as const, rationale: 'Long.', title: 'x'.repeat(181) }
  let edits = 0
  const refused = client.reviseWithRetry(entry.slug, () => {
    edits += 1
    return tooLong
  })
  await assert.rejects(refused, { code: 'INVALID_TITLE' })
  assert.equal(edits, 1)
  await assert.rejects(client.reviseWithRetry('no-such-entry', line('x')), { code: 'ENTRY_NOT_FOUND' })
})
