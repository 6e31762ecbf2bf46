import assert from 'node:assert/strict'
import { damageOfTotals } from '../../src/cli/check/rows.ts'
import { MODERATION_ACTIONS, type ModerationAction } from '../../src/contract/vocabulary.ts'
import { type Reader, sql } from '../../src/engine/database.ts'
import { readHead } from '../../src/memory/head-rows.ts'
import type { WriteName } from '../../src/memory/operation.ts'
import { seededRandom } from '../support/random.ts'
import type { BareStore } from './bare-store.ts'

const origins = ['a', 'b', 'c'].map(id => ({
  id: `origin-${id}`,
  day: '2026-01-01',
  networkKey: `network-${id}`,
  voice: id,
}))
type Made = { id: string; currentRevisionId: string; slug: string }

const entryShown = sql`e.hidden = 0 AND e.quarantined = 0 AND NOT EXISTS (SELECT 1 FROM actor q WHERE q.number = e.actor AND q.quarantined = 1)
  AND NOT EXISTS (SELECT 1 FROM origin q WHERE q.number = e.origin AND q.quarantined = 1)`
const authorShown = sql`NOT EXISTS (SELECT 1 FROM actor q WHERE q.number = v.actor AND q.quarantined = 1)
  AND NOT EXISTS (SELECT 1 FROM origin q WHERE q.number = v.origin AND q.quarantined = 1)`
const kept = sql`NOT EXISTS (SELECT 1 FROM erasure x WHERE x.record = v.number)`
const counted = async (reader: Reader, from: ReturnType<typeof sql>): Promise<number> =>
  (await reader.one<{ n: number }>(sql`SELECT count(*) AS n ${from}`))?.n ?? -1

/** The expected stats, derived from the flags alone. */
async function expectedTotals(reader: Reader) {
  const evidence = (kind: string) =>
    sql`FROM evidence v JOIN entry e ON e.number = v.entry WHERE v.kind = ${kind} AND ${kept} AND ${entryShown} AND ${authorShown}`
  const [entries, revisions, verifications, contradictions, relations] = await Promise.all([
    counted(reader, sql`FROM entry e WHERE ${entryShown}`),
    counted(reader, sql`FROM revision v JOIN entry e ON e.number = v.entry WHERE ${entryShown}`),
    counted(reader, evidence('VERIFY')),
    counted(reader, evidence('CONTRADICT')),
    counted(
      reader,
      sql`FROM relation v WHERE ${kept} AND ${authorShown}
    AND EXISTS (SELECT 1 FROM entry e WHERE e.number = v.source_entry AND ${entryShown})
    AND EXISTS (SELECT 1 FROM entry e WHERE e.number = v.target_entry AND ${entryShown})`,
    ),
  ])
  return { entries, revisions, verifications, contradictions, relations }
}

/** Rows of the feed that are shown or withdrawn against the flags. */
const misplaced = sql`FROM activity v WHERE v.withdrawn <> CASE WHEN ${authorShown}
  AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.number = v.entry AND NOT (${entryShown}))
  AND NOT EXISTS (SELECT 1 FROM relation l JOIN entry e ON e.number = l.target_entry WHERE l.number = v.subject AND NOT (${entryShown}))
  AND NOT (v.hour IS NULL AND EXISTS (SELECT 1 FROM erasure x WHERE x.record = coalesce(v.subject, v.revision)))
  THEN 0 ELSE 1 END`

type Topics = Record<string, [spelling: string, entries: number]>

async function spelled(reader: Reader): Promise<Topics> {
  const topics = await reader.all<{ key: string; spelling: string; entries: number }>(
    sql`SELECT key, spelling, entries FROM topic WHERE entries > 0 ORDER BY key`,
  )
  return Object.fromEntries(topics.map(({ key, spelling, entries }) => [key, [spelling, entries]]))
}

/** The topics of the entries that the flags show, spelled as the oldest of these spells them. */
async function expectedTopics(reader: Reader): Promise<Topics> {
  const topics: Topics = {}
  const rows = await reader.all<{ tags: string }>(sql`SELECT e.tags FROM entry e WHERE ${entryShown} ORDER BY e.number`)
  for (const tag of rows.flatMap(({ tags }) => JSON.parse(tags) as string[])) {
    const [spelling, entries] = topics[tag.toLowerCase()] ?? [tag, 0]
    topics[tag.toLowerCase()] = [spelling, entries + 1]
  }
  return topics
}

/** Writes and moderates at random, and asserts after each step that totals, topics and the feed follow the flags. */
export async function moderateAtRandom(store: BareStore, steps: number): Promise<void> {
  const { reader } = store
  const random = seededRandom('moderation totals')
  const actors: { id: string; number: number }[] = []
  for (let n = 0; n < 4; n++) {
    const caller = { requestId: 'r', actor: null, origin: random.pick(origins) }
    const { body } = await store.write('createActor', { params: {}, body: {}, caller })
    actors.push({ id: (body as { actor: { id: string } }).actor.id, number: n + 1 })
  }
  const entries: Made[] = []
  const perform = async (name: WriteName, params: Record<string, string>, body: object): Promise<object> => {
    const caller = { requestId: 'r', actor: random.pick(actors).number, origin: random.pick(origins) }
    try {
      return (await store.write(name, { params, body, caller })).body
    } catch (error) {
      // Refused: blocked actors do not write, and withdrawn entries take no writes.
      assert.equal((error as Error).name, 'Problem', String(error))
      return {}
    }
  }
  const text = { title: 't', summary: 's', content: 'c', rationale: 'r' }
  const add: (() => Promise<void>)[] = [
    async () => {
      const { title, summary, content } = text
      const spellings = [
        random.pick(['one', 'ONE']),
        random.pick(['Two', 'two']),
        random.pick(['two words', 'Two Words']),
      ]
      const tags = spellings.filter(() => random.below(2) === 0)
      const made = await perform('createEntry', {}, { title, summary, content, tags })
      if ('id' in made) entries.push(made as Made)
    },
    async () => {
      const entry = random.pick(entries)
      const body = { ...text, previousRevisionId: entry.currentRevisionId, changeType: 'EXPAND' }
      Object.assign(entry, await perform('reviseEntry', { slug: entry.slug }, body))
    },
    async () => {
      const { slug, currentRevisionId: revisionId } = random.pick(entries)
      await perform('verifyRevision', { slug }, { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' })
    },
    async () => {
      const { slug, currentRevisionId: revisionId } = random.pick(entries)
      await perform('contradictRevision', { slug }, { revisionId, rationale: 'r' })
    },
    async () => {
      const ends = { sourceEntryId: random.pick(entries).id, targetEntryId: random.pick(entries).id }
      await perform('relateEntries', {}, { ...ends, relationType: 'CONNECT', rationale: 'r' })
    },
  ]
  const moderateSomething = async (): Promise<void> => {
    const action: ModerationAction = random.pick([...MODERATION_ACTIONS, 'RESTORE', 'UNBLOCK'])
    const [targetType, targetId] = random.pick([
      ['ENTRY', random.pick(entries).id],
      ['ACTOR', random.pick(actors).id],
      ['ORIGIN', random.pick(origins).id],
      ['RECORD', String(1 + random.below((await readHead(reader)).record))],
    ] as const)
    await perform('moderate', {}, { targetType, targetId, action, reason: 'r' })
  }
  for (let n = 0; n < 8; n++) await add[0]?.()
  for (let step = 0; step < steps; step++) {
    await (random.below(3) === 0 ? moderateSomething() : random.pick(add)())
    const { entries: shown, revisions, verifications, contradictions, relations } = await readHead(reader)
    assert.deepEqual(
      { entries: shown, revisions, verifications, contradictions, relations },
      await expectedTotals(reader),
      `step ${step}`,
    )
    assert.equal(await damageOfTotals(reader), undefined, `step ${step}`)
    assert.equal(await counted(reader, misplaced), 0, `step ${step}`)
    assert.deepEqual(await spelled(reader), await expectedTopics(reader), `step ${step}`)
  }
}
