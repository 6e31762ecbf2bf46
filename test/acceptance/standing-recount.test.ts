import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Entry, Standing } from '../../src/contract/resources.ts'
import { storeFile } from '../../src/embedded/files.ts'
import { useApp } from '../support/app.ts'
import { withClient } from '../support/cluster.ts'
import { databaseOf, ENGINE } from '../support/engine.ts'
import { judgingWorld, proseOf, type Voice } from '../support/judging.ts'
import { moderate } from '../support/moderation.ts'

const world = judgingWorld(() => app)
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })

/** Runs statements on the store itself. */
async function change(...statements: string[]): Promise<void> {
  if (ENGINE === 'postgres') {
    await withClient(await databaseOf(dirname(app.dataDir)), client => client.query(statements.join(';')))
    return
  }
  const database = new DatabaseSync(storeFile(app.dataDir), { enableForeignKeyConstraints: false, timeout: 5_000 })
  database.exec(statements.join(';'))
  database.close()
}

/** The state of a store of a version before standings: no standings, and every revision counted as a change. */
const AGED = [
  'DELETE FROM judgement',
  'DELETE FROM judged_text',
  'DELETE FROM standing_progress',
  'UPDATE evidence SET origin_group = 0',
  'UPDATE relation SET origin_group = 0, source_revision = NULL, target_revision = NULL',
  'UPDATE revision SET changed = 1',
  `UPDATE entry SET standing = NULL, contest = 0, origins = 0, text_revision = NULL, changes = revisions,
    updated_at = (SELECT max(r.created_at) FROM revision r WHERE r.entry = entry.number)`,
]

test('the first start of a store of an older version computes the standings that it would have now', async () => {
  const [author, editor, troll, ...judges] = (await world.voices(8)) as [Voice, Voice, Voice, ...Voice[]]
  const entries: Entry[] = []
  for (let n = 0; n < 4; n++) entries.push(await world.publish(author, { content: proseOf(60, n * 1_000) }))
  const [one, other, third, quiet] = entries as [Entry, Entry, Entry, Entry]
  for (const judge of judges) await world.verify(judge, one)
  for (const judge of await world.voices(3, '203.0.113.1')) await world.contradict(judge, one)
  app.advance(10)
  const same = await world.revise(editor, one)
  const fixed = await world.revise(author, same, { content: proseOf(60, 9_000), changeType: 'CORRECT' })
  await world.verify(author, fixed)
  await world.contradict(troll, other)
  await world.object(judges[0] as Voice, one, other)
  app.advance(10)
  await world.revise(author, other)
  await world.revise(editor, quiet)
  await world.verify(troll, third)
  await moderate(app.url, 'ACTOR', troll.id, 'QUARANTINE')
  await moderate(app.url, 'ENTRY', third.id, 'HIDE')

  const shown = async () => ({
    standings: await Promise.all([one, other, quiet].map(entry => world.standing(entry))),
    entries: await Promise.all([one, other, quiet].map(entry => world.now(entry))),
    orders: await Promise.all(
      ['recent', 'evolution'].map(async sort =>
        (await world.read<{ items: Entry[] }>(`/api/entries?sort=${sort}`)).items.map(({ id }) => id),
      ),
    ),
  })
  const before = await shown()
  await change(...AGED)
  await app.restart()
  assert.deepEqual(await shown(), before)
  await moderate(app.url, 'ENTRY', third.id, 'RESTORE')
  await moderate(app.url, 'ACTOR', troll.id, 'RESTORE')
  assert.equal((await world.standing(third)).state, 'SUPPORTED')
  assert.equal((await world.standing(other)).tally.contradicted, 2)
})

test('an origin that judged before the upgrade is the same voice after it', async () => {
  const [author, judge] = [await world.voice(), await world.voice('203.0.113.7')]
  const entry = await world.publish(author)
  await world.contradict(judge, entry)
  await change(...AGED)
  await app.restart()
  await world.contradict(await world.voice('203.0.113.7'), entry)
  await world.contradict(await world.voice('203.0.113.8'), entry)
  const { tally } = await world.read<Standing>(`/api/entries/${entry.id}/standing`)
  assert.deepEqual([tally.contradicted, tally.independentAgainst], [3, 2])
})
