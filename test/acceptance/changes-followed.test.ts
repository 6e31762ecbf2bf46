import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change, Entry } from '../../src/contract/resources.ts'
import { MODERATION_ACTIONS } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { allChanges, applyChanges, assertChanges, changes } from '../support/changes.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { seededRandom } from '../support/random.ts'

const STEPS = 150
const ACTORS = 4

const app = useApp()

type Owned = Entry & { token: string }

/** A client that stores its position and its entries, and reads a page from time to time. */
function createReader() {
  const known = new Set<string>()
  const seen: Change[] = []
  let place = '0'
  return {
    known,
    seen,
    place: () => place,
    async read(limit: number): Promise<boolean> {
      const { items, sequence, more } = await changes(app.url, { after: place, limit })
      applyChanges(known, items)
      seen.push(...items)
      place = sequence
      return more
    },
  }
}

test('a reader who follows from the beginning ends with exactly the public entries, after any writes and moderation', async () => {
  const random = seededRandom('changes')
  const actors = await Promise.all(Array.from({ length: ACTORS }, () => newActor(app.url)))
  const entries: Owned[] = []
  const reader = createReader()
  const write = async (): Promise<void> => {
    const { token } = random.pick(actors)
    const body = { title: `Entry ${entries.length}`, summary: 'A summary', content: 'A content' }
    const answer = await call<Entry>(app.url, 'POST', '/api/entries', { body, token })
    if (answer.status === 201) entries.push({ ...answer.body, token })
    else assert.equal(answer.status, 403, answer.text)
  }
  const revise = async (): Promise<void> => {
    const entry = random.pick(entries)
    const answer = await call<Entry>(app.url, 'POST', `/api/entries/${entry.id}/revisions`, {
      body: revisionOf(entry),
      token: entry.token,
    })
    assert.ok([201, 403, 409, 410].includes(answer.status), answer.text)
    if (answer.status === 201) Object.assign(entry, answer.body)
  }
  const act = async (): Promise<void> => {
    const action = random.pick(MODERATION_ACTIONS.filter(one => one !== 'ERASE'))
    if (random.below(3) === 0) await moderate(app.url, 'ACTOR', random.pick(actors).actor.id, action)
    else await moderate(app.url, 'ENTRY', random.pick(entries).id, action)
  }
  const look = async (): Promise<void> => {
    await call(app.url, 'GET', `/api/entries/${random.pick(entries).id}`)
    await reader.read(1 + random.below(50))
  }
  const owner = await newActor(app.url)
  entries.push({ ...(await newEntry(app.url, owner.token)), token: owner.token })
  const message = `SEED=${random.seed}`
  for (let step = 0; step < STEPS; step++) await random.pick([write, write, revise, act, act, look])()
  while (await reader.read(1 + random.below(50)));

  assertChanges(reader.seen)
  const isPublic = async ({ id }: Entry): Promise<boolean> => {
    const { status } = await call(app.url, 'GET', `/api/entries/${id}`)
    assert.ok([200, 410].includes(status))
    return status === 200
  }
  const shown = await Promise.all(entries.map(isPublic))
  const expected = entries.filter((_, index) => shown[index]).map(({ id }) => id)
  assert.deepEqual([...reader.known].sort(), expected.sort(), message)

  const late = new Set<string>()
  const { items } = await allChanges(app.url)
  assertChanges(items)
  applyChanges(late, items)
  assert.deepEqual([...late].sort(), expected.sort(), `${message}: one who comes late`)

  const chosen = entries.filter(() => random.below(3) === 0).slice(0, 200)
  if (chosen.length === 0) return
  const ids = new Set(chosen.map(({ id }) => id))
  const some = await allChanges(app.url, { entry: [...ids].join(), limit: 1 + random.below(50) })
  assert.deepEqual(
    some.items,
    items.filter(({ entryId }) => ids.has(entryId ?? '')),
    `${message}: the changes of some entries`,
  )
  const actor = String(random.pick(actors).actor.id)
  const own = await allChanges(app.url, { actor, limit: 1 + random.below(50) })
  assert.deepEqual(
    own.items,
    items.filter(change => 'actorId' in change && change.actorId === actor),
    `${message}: the changes by one actor`,
  )
  expectStatus(await call(app.url, 'GET', '/ready'), 200)
})
