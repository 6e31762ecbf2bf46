import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, EntryList, FoundList } from '../../src/contract/resources.ts'
import { SEQUENCE_GAP } from '../../src/memory/head-rows.ts'
import { startApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { moderate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

test('after a database was replaced by an earlier state of itself no answer of the lost state is served from memory', {
  skip: NO_POSTGRES,
}, async () => {
  const DATABASE_URL = await databaseWithTables('another epoch')
  const { url } = await startApp({ DATABASE_URL })
  const { token } = await newActor(url)
  const { slug } = await newEntry(url, token, { title: 'As it was' })
  const titles = async () => {
    const { body: entry } = await call<Entry>(url, 'GET', `/api/entries/${slug}`)
    const { body: list } = await call<{ items: Entry[] }>(url, 'GET', '/api/entries')
    return [entry.title, list.items[0]?.title]
  }
  assert.deepEqual(await titles(), ['As it was', 'As it was'])
  await withClient(DATABASE_URL, async client => {
    // The same record with other contents: a revision of which the standby had heard nothing, and another one instead.
    await client.query("UPDATE revision SET title = 'As it is'")
    assert.deepEqual(await titles(), ['As it was', 'As it was'], 'the answers come from memory')
    await client.query('UPDATE head SET sequence = sequence + $1', [SEQUENCE_GAP])
  })
  assert.deepEqual(await titles(), ['As it is', 'As it is'])
})

/** More entries than are compared with the store at a time. */
const OLDER = 230
const PATIENCE = 60_000

test('the index of a node finds what the database has after a failover that lost commits', {
  skip: NO_POSTGRES,
}, async () => {
  const DATABASE_URL = await databaseWithTables('lost commits')
  const { url } = await startApp({ DATABASE_URL })
  const { token } = await newActor(url)
  const publish = (title: string) => newEntry(url, token, { title, summary: 'Of animals', content: 'As it was.' })
  const revise = async (entry: Entry, title: string): Promise<void> => {
    const body = revisionOf(entry, { title })
    expectStatus(await call(url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
  }
  /** Repeats a search if the index of a busy machine needs more time than the search waits. */
  const ask = <T>(path: string) =>
    eventually(`an answer of ${path}`, PATIENCE, async () => {
      const answer = await call<T>(url, 'GET', path)
      return answer.status === 503 ? undefined : answer
    })
  const found = async (q: string): Promise<string[]> => {
    const [list, answers] = await Promise.all([
      ask<EntryList>(`/api/search?q=${q}&sort=recent`),
      ask<FoundList>(`/api/find?q=${q}`),
    ])
    const titles = expectStatus(list, 200).items.map(({ title }) => title)
    assert.deepEqual(
      expectStatus(answers, 200)
        .items.map(({ title }) => title)
        .sort(),
      [...titles].sort(),
      q,
    )
    return titles.sort()
  }
  const [heron, badger, weasel, otter] = [
    await publish('heron'),
    await publish('badger'),
    await publish('weasel'),
    await publish('otter'),
  ]
  await moderate(url, 'ENTRY', weasel.id, 'HIDE')
  for (let n = 0; n < OLDER; n++) await publish(`shrimp${n}`)
  const recent = await publish('squirrel')
  await withClient(DATABASE_URL, client => client.query(SAVE))

  // The standby has not received revisions, withdrawals, a restoration and a new entry.
  await revise(heron, 'flamingo')
  await revise(recent, 'chipmunk')
  await moderate(url, 'ENTRY', badger.id, 'HIDE')
  await moderate(url, 'ENTRY', weasel.id, 'RESTORE')
  await publish('pelican')
  assert.deepEqual(await Promise.all(['heron', 'flamingo', 'chipmunk', 'badger', 'weasel', 'pelican'].map(found)), [
    [],
    ['flamingo'],
    ['chipmunk'],
    [],
    ['weasel'],
    ['pelican'],
  ])
  await withClient(DATABASE_URL, async client => {
    await client.query(restoring(SEQUENCE_GAP))
  })
  const now = () =>
    Promise.all(['heron', 'flamingo', 'squirrel', 'chipmunk', 'badger', 'weasel', 'pelican', 'otter'].map(found))
  const kept = [['heron'], [], ['squirrel'], [], ['badger'], [], [], ['otter']]
  assert.deepEqual(await now(), kept)
  // The numbers of the lost records are assigned again.
  await publish('walrus')
  await revise(otter, 'marmot')
  assert.deepEqual(await now(), [...kept.slice(0, -1), []])
  assert.deepEqual(await Promise.all(['walrus', 'marmot'].map(found)), [['walrus'], ['marmot']])
})

/** Copies every table; puts all rows back as they were then, in another epoch. */
const TABLES = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
const SAVE = `CREATE SCHEMA saved; DO $$ DECLARE one text; BEGIN
  FOR one IN ${TABLES} LOOP EXECUTE format('CREATE TABLE saved.%I AS TABLE public.%I', one, one); END LOOP; END $$`
const restoring = (gap: number): string => `BEGIN; SET LOCAL session_replication_role = replica;
  SELECT 1 FROM head FOR UPDATE; DO $$ DECLARE one text; BEGIN
  FOR one IN ${TABLES} LOOP
    EXECUTE format('DELETE FROM public.%I', one);
    EXECUTE format('INSERT INTO public.%I SELECT * FROM saved.%I', one, one);
  END LOOP;
  UPDATE head SET sequence = sequence + ${gap}; END $$; COMMIT`
