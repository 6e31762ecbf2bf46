import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry, EntryAsOf, FoundAsOfList } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus } from '../support/client.ts'
import { judgingWorld, type Voice } from '../support/judging.ts'
import { moderate } from '../support/moderation.ts'

let author: Voice
let judge: Voice
let critic: Voice
const world = judgingWorld(() => app)
const app = shareApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  ;[author, judge, critic] = (await world.voices(3)) as [Voice, Voice, Voice]
})

/** The sequence of the newest row of the feed. */
const now = async (): Promise<string> =>
  (await world.read<{ items: Activity[] }>('/api/activity?limit=1')).items[0]?.sequence ?? '0'
const asOf = (sequence: string, entry: Entry): Promise<EntryAsOf> =>
  world.read<EntryAsOf>(`/api/asof/${sequence}/entries/${entry.slug}`)
const find = (sequence: string, q: string, more = ''): Promise<FoundAsOfList> =>
  world.read<FoundAsOfList>(`/api/asof/${sequence}/find?q=${encodeURIComponent(q)}${more}`)
const publish = (title: string, content: string, more: object = {}) =>
  world.publish(author, { title, summary: `About ${title}.`, content, ...more })

test('an entry as of any sequence is the entry as it was served then', async () => {
  const entry = await publish('Kettles', 'Boil water. Wait a minute.')
  const seen: { sequence: string; entry: Entry }[] = []
  const look = async (): Promise<Entry> => {
    const read = await world.now(entry)
    seen.push({ sequence: await now(), entry: read })
    return read
  }
  let latest = await look()
  const steps: (() => Promise<unknown>)[] = [
    () => world.verify(judge, latest),
    () => world.contradict(critic, latest),
    () =>
      world.revise(author, latest, {
        content: 'Something else is said here now, at some length.',
        changeType: 'CORRECT',
      }),
    () => world.verify(judge, latest),
    () => world.verify(judge, latest, 'UNSUPPORTED'),
    () => world.revise(critic, latest, {}),
    () => world.revise(critic, latest, { content: entry.content, changeType: 'CORRECT' }),
    () => world.verify(author, latest),
    () => world.verify(critic, latest),
  ]
  for (const step of steps) {
    await step()
    latest = await look()
  }
  for (const { sequence, entry: then } of seen) {
    const { asOf: named, complete, ...read } = await asOf(sequence, entry)
    assert.deepEqual(read, then, sequence)
    assert.deepEqual([named, complete], [sequence, true])
  }
})

test('before an entry was created, and past the newest sequence, the read is refused with a code for each', async () => {
  const before = await now()
  const entry = await publish('Cups', 'Warm the cup.')
  const at = (sequence: string) => call(app.url, 'GET', `/api/asof/${sequence}/entries/${entry.slug}`)
  expectProblem(await at(before), 404, 'ENTRY_NOT_YET_CREATED')
  expectProblem(await at('0'), 404, 'ENTRY_NOT_YET_CREATED')
  for (const beyond of [String(Number(await now()) + 1_000), '9'.repeat(19)]) {
    expectProblem(await at(beyond), 404, 'SEQUENCE_NOT_REACHED')
    expectProblem(await call(app.url, 'GET', `/api/asof/${beyond}/find?q=cup`), 404, 'SEQUENCE_NOT_REACHED')
  }
  expectProblem(await call(app.url, 'GET', '/api/asof/1/entries/no-such-entry'), 404, 'ENTRY_NOT_FOUND')
  for (const bad of ['x', '-1', '1'.repeat(20)]) expectProblem(await at(bad), 400, 'INVALID_SEQUENCE')
})

test('moderation applies as of now: a withdrawn entry is withdrawn at every sequence, and so is its evidence', async () => {
  const entry = await publish('Saucers', 'Place the saucer.')
  await world.contradict(critic, entry)
  const sequence = await now()
  await world.revise(author, entry, { content: 'All of this is new now.' })
  assert.equal((await asOf(sequence, entry)).standing.state, 'CONTRADICTED')
  await moderate(app.url, 'ACTOR', critic.id, 'QUARANTINE')
  assert.equal((await asOf(sequence, entry)).standing.state, 'UNCHECKED')
  await moderate(app.url, 'ACTOR', critic.id, 'RESTORE')
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  expectProblem(await call(app.url, 'GET', `/api/asof/${sequence}/entries/${entry.slug}`), 410, 'ENTRY_WITHDRAWN')
  assert.ok(!(await find(sequence, 'saucer')).items.some(({ id }) => id === entry.id))
})

test('find as of a sequence shows texts, revisions and standings at that sequence, and no later entry', async () => {
  const entry = await publish('Teapots', 'Warm the zorbal teapot. Then fill it.', { tags: ['zorbals'] })
  await world.verify(judge, entry)
  const sequence = await now()
  await world.revise(author, entry, {
    title: 'Pots',
    content: 'A zorbal was mentioned here. Nothing else is left of it.',
  })
  await world.contradict(critic, await world.now(entry))
  const later = await publish('Later', 'A zorbal came later.')
  const { items, asOf: named } = await find(sequence, 'zorbal')
  assert.deepEqual(columnOf(items, 'id'), [entry.id])
  const [row] = items
  assert.deepEqual(
    [row?.title, row?.currentRevisionId, row?.standing?.state, row?.updatedAt],
    ['Teapots', entry.currentRevisionId, 'SUPPORTED', entry.updatedAt],
  )
  assert.match(row?.excerpt ?? '', /zorbal teapot/)
  assert.equal(named, sequence)
  const today = await find(await now(), 'zorbal')
  assert.deepEqual(new Set(today.items.map(({ id }) => id)), new Set([entry.id, later.id]))
  assert.deepEqual((await find(sequence, 'zorbal', '&tag=ZORBALS')).items.length, 1)
  assert.deepEqual((await find(await now(), 'zorbal', '&limit=1')).items.length, 1)
  assert.deepEqual((await find('0', 'zorbal')).items, [])
})

test('a word finds an entry as of a sequence only if the entry had it then and has it now', async () => {
  const entry = await publish('Spoons', 'Stir with the quuxil spoon.')
  const sequence = await now()
  await world.revise(author, entry, { content: 'Stir with the frobnal spoon.' })
  assert.deepEqual((await find(sequence, 'frobnal')).items, [])
  // The index has current texts only, so this entry is missed.
  assert.deepEqual((await find(sequence, 'quuxil')).items, [])
  assert.ok((await find(sequence, 'quuxil spoon')).items.some(({ id }) => id === entry.id))
})

test('find as of a sequence says whether entries may be missing', async () => {
  const entry = await publish('Ladles', 'A brimbel ladle.')
  const sequence = await now()
  assert.equal((await find(sequence, 'brimbel')).complete, true)
  await publish('Ladles again', 'A brimbel ladle, too.')
  assert.equal((await find(sequence, 'brimbel')).complete, true, 'later entries hide nothing')
  const { title, summary, content } = entry
  const same = await world.revise(author, entry, { title, summary, content })
  assert.equal((await find(sequence, 'brimbel')).complete, true, 'nor do revisions that change nothing')
  await world.revise(author, same, { content: 'A ladle.' })
  assert.equal((await find(sequence, 'brimbel')).complete, false)
  const last = await now()
  assert.equal((await find(last, 'brimbel')).complete, true)
  for (let n = 0; n < 40; n++) await publish(`Brimbel ${n}`, 'One more.')
  assert.equal((await find(last, 'brimbel')).complete, false, 'more fit now than are looked at')
})

test('caches revalidate each time, and learn of withdrawals', async () => {
  const entry = await publish('Trays', 'Carry the tray.')
  await world.verify(judge, entry)
  const sequence = await now()
  for (const path of [`/api/asof/${sequence}/entries/${entry.slug}`, `/api/asof/${sequence}/find?q=tray`]) {
    const first = await call(app.url, 'GET', path)
    assert.equal(first.headers.get('cache-control'), 'public, no-cache')
    const known = { headers: { 'if-none-match': first.headers.get('etag') ?? '' } }
    assert.equal((await call(app.url, 'GET', path, known)).status, 304)
    await moderate(app.url, 'ACTOR', judge.id, 'QUARANTINE')
    assert.equal((await call(app.url, 'GET', path, known)).status, 200)
    await moderate(app.url, 'ACTOR', judge.id, 'RESTORE')
    assert.equal((await call(app.url, 'GET', path, known)).status, 304)
  }
})

test('judgements that actors replaced after a sequence count at it', async () => {
  const entry = await publish('Jugs', 'Hold the jug.')
  const voices = await world.voices(21)
  for (const voice of voices) await world.verify(voice, entry)
  const sequence = await now()
  for (const voice of voices) await world.verify(voice, entry, 'UNSUPPORTED')
  const { standing, complete } = await asOf(sequence, entry)
  assert.deepEqual([standing.state, standing.tally.supported, complete], ['SUPPORTED', 21, true])
  const found = (await find(sequence, 'jug')).items.find(({ id }) => id === entry.id)
  assert.equal(found?.standing?.state, 'SUPPORTED')
  const { standing: latest } = await asOf(await now(), entry)
  assert.deepEqual([latest.state, latest.tally.unsupported], ['CONTRADICTED', 21])
  expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
})
