import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSource, type Source } from '../../../src/cli/mirror/source.ts'
import type { Change, Entry } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { allChanges, applyChanges, assertChanges, changes } from '../../support/changes.ts'
import { call, newActor, newEntry } from '../../support/client.ts'
import { moderate } from '../../support/moderation.ts'
import { seededRandom } from '../../support/random.ts'
import { type Copy, openCopy } from './copy.ts'

const ROUNDS = 12
const STEPS = 8

const app = useApp({ LOG_INTERVAL_SECONDS: '0.05' })

/** A source that calls a function between any two answers of the server. */
function watchedSource(look: () => Promise<unknown>): Source {
  const source = openSource(app.url, new AbortController().signal)
  const watched =
    <A extends unknown[], R>(ask: (...asked: A) => Promise<R>) =>
    async (...asked: A): Promise<R> => {
      await look()
      return ask(...asked)
    }
  return { ...source, manifest: watched(source.manifest), segment: watched(source.segment) }
}

/** Follows the changes of a copy. */
function createReader(copy: Copy) {
  const known = new Set<string>()
  const seen: Change[] = []
  let place = '0'
  const read = async (): Promise<void> => {
    const { items, sequence, more } = await changes(copy.app.url, { after: place, limit: 50 })
    applyChanges(known, items)
    seen.push(...items)
    place = sequence
    if (more) await read()
  }
  return { known, seen, read }
}

test('a reader of changes learns of withdrawals from a mirror in order, after any interval', async () => {
  const random = seededRandom('changes of a copy')
  const actors = await Promise.all([newActor(app.url), newActor(app.url), newActor(app.url)])
  const entries: Entry[] = []
  for (const { token } of actors) entries.push(await newEntry(app.url, token))
  const copy = await openCopy(app.url)
  const reader = createReader(copy)
  const source = watchedSource(reader.read)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let step = 0; step < STEPS; step += 1) {
      const { actor, token } = random.pick(actors)
      const kind = random.below(5)
      const action = random.pick(['HIDE', 'QUARANTINE', 'RESTORE', 'RESTORE'] as const)
      if (kind === 0) await moderate(app.url, 'ACTOR', actor.id, action)
      else if (kind < 3) await moderate(app.url, 'ENTRY', random.pick(entries).id, action)
      else {
        const body = { title: 'A title', summary: 'A summary', content: `${round} ${step}` }
        const answer = await call<Entry>(app.url, 'POST', '/api/entries', { token, body })
        if (answer.status === 201) entries.push(answer.body)
      }
    }
    await copy.catchUp(source)
  }
  await reader.read()
  assertChanges(reader.seen)
  const message = `SEED=${random.seed}`
  const shown = await Promise.all(
    entries.map(async ({ id }) => (await call(app.url, 'GET', `/api/entries/${id}`)).status),
  )
  const expected = entries.filter((_, index) => shown[index] === 200).map(({ id }) => id)
  assert.deepEqual([...reader.known].sort(), expected.sort(), message)
  // An entry that was withdrawn before it was copied was never there.
  const [own, other] = [await allChanges(app.url), await allChanges(copy.app.url)]
  const copied = new Set(
    (await Promise.all(entries.map(async ({ id }) => [id, await isKnown(copy, id)] as const))).flatMap(([id, is]) =>
      is ? [id] : [],
    ),
  )
  const rows = ({ items }: { items: Change[] }) =>
    items
      .filter(({ entryId }) => copied.has(entryId ?? ''))
      .map(({ sequence, action, entryId }) => [sequence, action, entryId])
  assert.deepEqual(rows(other), rows(own), message)
  assert.equal(other.items.length, rows(other).length)
})

const isKnown = async (copy: Copy, id: string): Promise<boolean> =>
  (await call(copy.app.url, 'GET', `/api/entries/${id}`)).status !== 404
