import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { MODERATION_ACTIONS, type ModerationAction } from '../../src/contract/words.ts'
import { migrate } from '../../src/database/migrate.ts'
import { sql } from '../../src/database/sql.ts'
import { openSqlite } from '../../src/database/sqlite.ts'
import { transact } from '../../src/database/write-queue.ts'
import { createContexts } from '../../src/operations/context.ts'
import { WRITES } from '../../src/operations/index.ts'
import { insertHead, readHead } from '../../src/store/head.ts'
import { seededRandom } from '../support/random.ts'

const STEPS = 400
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-totals-'))
const store = openSqlite(join(directory, 'store.db'), 'write')
after(() => {
  store.close()
  rmSync(directory, { recursive: true, force: true })
})

const contextOf = createContexts()
const context = () => contextOf({ at: 1_000, cooldown: 0, dataClass: 'EXTERNAL' })
const origins = ['a', 'b', 'c'].map(id => ({ id: `origin-${id}`, day: '2026-01-01', networkKey: `network-${id}` }))
type Made = { id: string; currentRevisionId: string; slug: string }

const entryShown = sql`e.hidden = 0 AND e.quarantined = 0 AND NOT EXISTS (SELECT 1 FROM actor q WHERE q.number = e.actor AND q.quarantined = 1)
  AND NOT EXISTS (SELECT 1 FROM origin q WHERE q.number = e.origin AND q.quarantined = 1)`
const authorShown = sql`NOT EXISTS (SELECT 1 FROM actor q WHERE q.number = v.actor AND q.quarantined = 1)
  AND NOT EXISTS (SELECT 1 FROM origin q WHERE q.number = v.origin AND q.quarantined = 1)`
const counted = (from: ReturnType<typeof sql>): number =>
  store.one<{ n: number }>(sql`SELECT count(*) AS n ${from}`)?.n ?? -1

/** What stats should say, derived from the flags alone. */
const expectedTotals = () => ({
  entries: counted(sql`FROM entry e WHERE ${entryShown}`),
  revisions: counted(sql`FROM revision v JOIN entry e ON e.number = v.entry WHERE ${entryShown}`),
  verifications: counted(
    sql`FROM evidence v JOIN entry e ON e.number = v.entry WHERE v.kind = 'VERIFY' AND ${entryShown} AND ${authorShown}`,
  ),
  contradictions: counted(
    sql`FROM evidence v JOIN entry e ON e.number = v.entry WHERE v.kind = 'CONTRADICT' AND ${entryShown} AND ${authorShown}`,
  ),
  relations: counted(sql`FROM relation v WHERE ${authorShown}
    AND EXISTS (SELECT 1 FROM entry e WHERE e.number = v.source_entry AND ${entryShown})
    AND EXISTS (SELECT 1 FROM entry e WHERE e.number = v.target_entry AND ${entryShown})`),
})

test('totals, topics and the feed follow the flags exactly, whatever is moderated and undone in whatever order', async () => {
  const random = seededRandom('moderation totals')
  migrate(store, 1)
  await insertHead(store, '01990000-0000-7000-8000-000000000000')
  const actors: { id: string; number: number }[] = []
  for (let n = 0; n < 4; n++) {
    const caller = { requestId: 'r', actor: null, origin: random.pick(origins) }
    const { body } = await transact(store, tx => WRITES.createActor(tx, context(), { params: {}, body: {}, caller }))
    actors.push({ id: (body as { actor: { id: string } }).actor.id, number: n + 1 })
  }
  const entries: Made[] = []
  const perform = async (name: keyof typeof WRITES, params: Record<string, string>, body: object): Promise<object> => {
    const caller = { requestId: 'r', actor: random.pick(actors).number, origin: random.pick(origins) }
    const run = WRITES[name] as (typeof WRITES)['createEntry']
    try {
      return (await transact(store, tx => run(tx, context(), { params, body: body as never, caller }))).body
    } catch (error) {
      // Refused: what is blocked or withdrawn takes no writes.
      assert.equal((error as Error).name, 'Problem', String(error))
      return {}
    }
  }
  const text = { title: 't', summary: 's', content: 'c', rationale: 'r' }
  const add: (() => Promise<void>)[] = [
    async () => {
      const { title, summary, content } = text
      const tags = ['one', 'Two', 'two words'].filter(() => random.below(2) === 0)
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
    ] as const)
    await perform('moderate', {}, { targetType, targetId, action, reason: 'r' })
  }
  for (let n = 0; n < 8; n++) await add[0]?.()
  for (let step = 0; step < STEPS; step++) {
    await (random.below(3) === 0 ? moderateSomething() : random.pick(add)())
    const { entries: shown, revisions, verifications, contradictions, relations } = await readHead(store)
    assert.deepEqual(
      { entries: shown, revisions, verifications, contradictions, relations },
      expectedTotals(),
      `step ${step}`,
    )
  }
  const topics = store.all<{ key: string; entries: number }>(sql`SELECT key, entries FROM topic ORDER BY key`)
  for (const { key, entries: had } of topics) {
    const tag = key === 'two' ? 'Two' : key
    assert.equal(had, counted(sql`FROM entry e, json_each(e.tags) j WHERE ${entryShown} AND j.value = ${tag}`), key)
  }
  const misplaced = counted(
    sql`FROM activity s JOIN evidence v ON v.number = s.subject WHERE s.withdrawn <> v.withdrawn`,
  )
  assert.equal(
    misplaced + counted(sql`FROM activity s JOIN relation v ON v.number = s.subject WHERE s.withdrawn <> v.withdrawn`),
    0,
  )
})
