import assert from 'node:assert/strict'
import type { Change, Entry } from '../../src/contract/resources.ts'
import { openSource, type Source } from '../../src/mirror/source.ts'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import type { TestApp } from './app.ts'
import { allChanges, applyChanges, assertChanges, changes } from './changes.ts'
import { call, newActor, newEntry } from './client.ts'
import { moderate } from './moderation.ts'
import { seededRandom } from './random.ts'

/** Number of writes and acts of moderation between two updates of the mirror. */
const STEPS = 8

/** A source that calls a function between every two answers of the server. */
function watchedSource(url: string, look: () => Promise<unknown>): Source {
  const source = openSource(url, new AbortController().signal)
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

/**
 * In each round, makes random changes and then mirrors them. Asserts that a reader of the mirror's changes receives all of them in order.
 */
export async function mirrorChangeRounds(app: Pick<TestApp, 'url'>, rounds: number): Promise<void> {
  const random = seededRandom('changes of a copy')
  const actors = await Promise.all([newActor(app.url), newActor(app.url), newActor(app.url)])
  const entries: Entry[] = []
  for (const { token } of actors) entries.push(await newEntry(app.url, token))
  const copy = await openCopy(app.url)
  const reader = createReader(copy)
  const source = watchedSource(app.url, reader.read)
  for (let round = 0; round < rounds; round += 1) {
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
  // An entry that was withdrawn before it was copied never existed in the mirror.
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
}

const isKnown = async (copy: Copy, id: string): Promise<boolean> =>
  (await call(copy.app.url, 'GET', `/api/entries/${id}`)).status !== 404
