import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { FoundList, WorkItem, WorkList } from '../../src/contract/resources.ts'
import type { UnansweredTopic } from '../../src/memory/activity/unanswered.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { useApp } from '../support/app.ts'
import { call, callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseOf, ENGINE } from '../support/engine.ts'
import { moderate, snapshot, toNoon } from '../support/moderation.ts'
import { readFiles } from '../support/process.ts'
import { publicView } from '../support/public-view.ts'

const DAY = 86_400_000

let token: string
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  toNoon(app)
  token = (await newActor(app.url)).token
  for (const title of ['Polishing stones by hand', 'Sharpening knives on stones', 'Baking bread at home']) {
    await newEntry(app.url, token, { title, summary: title, content: `${title}, step by step.` })
  }
})

let networks = 0
const network = (): string => {
  networks += 1
  return `10.8.${Math.floor(networks / 200)}.${1 + (networks % 200)}`
}
const find = async (q: string, from: string, as?: string): Promise<FoundList> => {
  const options = { headers: { 'x-forwarded-for': from }, ...(as === undefined ? {} : { token: as }) }
  return expectStatus(
    await callPatiently<FoundList>(app.url, 'GET', `/api/find?q=${encodeURIComponent(q)}`, options),
    200,
  )
}
const ask = async (q: string, from = network(), as?: string): Promise<void> => {
  assert.equal((await find(q, from, as)).answerable, false, q)
}
const topics = async (): Promise<WorkItem[]> =>
  expectStatus(await call<WorkList>(app.url, 'GET', '/api/work?kind=UNANSWERED&limit=50'), 200).items
const termsOf = (items: readonly WorkItem[]): string[] => items.map(({ topic }) => topic?.term ?? '')
/** Waits until the searches are counted. */
const counted = () => call(app.url, 'GET', '/api/stats')

/** Everything that is stored, as text. */
async function storedTexts(): Promise<string> {
  const directory = dirname(app.dataDir)
  const texts = readFiles(directory).map(({ bytes }) => bytes.toString('latin1'))
  if (ENGINE !== 'postgres') return texts.join('\n')
  const rows = await withClient(await databaseOf(directory), async client => {
    const { rows: tables } = await client.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
    const all: string[] = []
    for (const { name } of tables) {
      all.push(...(await client.query(`SELECT t::text AS row FROM "${name}" t`)).rows.map(({ row }) => String(row)))
    }
    return all
  })
  return [...texts, ...rows].join('\n')
}

/** How many topics are stored, public or not. */
async function countTopics(): Promise<number> {
  const text = 'SELECT count(*) AS n FROM asked_topic'
  if (ENGINE === 'postgres') {
    const url = await databaseOf(dirname(app.dataDir))
    return withClient(url, async client => Number((await client.query(text)).rows[0]?.n))
  }
  const store = new DatabaseSync(storeFile(app.dataDir), { readOnly: true })
  const row = store.prepare(text).get()
  store.close()
  return Number(row?.n)
}

test('four networks leave words in no file; with the fifth they are listed, with their day and number of networks', async () => {
  for (let n = 0; n < 4; n++) await ask(`how does one polish zirkelstein in a trommel ${n}`)
  await counted()
  assert.deepEqual(await topics(), [])
  assert.ok(!(await storedTexts()).includes('zirkel'), 'no file and no row has the word')
  assert.ok(!app.log().includes('zirkel'))
  const view = JSON.stringify(await publicView(app.url, [], []))
  assert.ok(!view.includes('zirkel'))
  await ask('which zirkelstein for a trommel')
  const [item, ...others] = (await topics()).filter(({ topic }) => topic?.term === 'zirkelstein trommel')
  assert.deepEqual(others, [])
  assert.equal(item?.kind, 'UNANSWERED')
  assert.deepEqual(item?.reason, { networks: 5 })
  assert.equal(item?.topic?.contentTrust, 'UNTRUSTED_USER_DATA')
  assert.match(item?.topic?.day ?? '', /^\d{4}-\d{2}-\d{2}$/)
  assert.equal(item?.entry, undefined)
  await ask('zirkelsteins and trommels for sale')
  assert.equal((await topics()).find(({ topic }) => topic?.term === 'zirkelstein trommel')?.reason.networks, 6)
  const { items } = expectStatus(await call<WorkList>(app.url, 'GET', '/api/work'), 200)
  assert.ok(
    items.some(({ kind }) => kind === 'UNANSWERED'),
    'a mixed list has it too',
  )
})

test('one word is never listed; words that came together in different pairs are one question', async () => {
  for (let n = 0; n < 6; n++) await ask('schnurrbarten')
  for (const q of ['gribbelwax candles', 'candles for a mondlampe', 'mondlampe from gribbelwax'])
    for (let n = 0; n < 5; n++) await ask(q)
  const terms = termsOf(await topics())
  assert.ok(!terms.some(term => term.includes('schnurrbarten') || !term.includes(' ')), terms.join())
  assert.deepEqual(
    terms.filter(term => /gribbelwax|mondlampe/.test(term)).map(term => term.split(' ').sort()),
    [['candles', 'gribbelwax', 'mondlampe']],
  )
})

test('one network, one IPv6 /48 and one actor are one voice each, for any number of searches', async () => {
  for (let n = 0; n < 10; n++) await ask(`quixworth lantern ${n}`, '192.0.2.77')
  for (let n = 0; n < 10; n++) await ask(`quixworth lantern ${n}`, `2001:db8:1:${n + 1}::${n + 1}`)
  const { token: same } = await newActor(app.url)
  for (let n = 0; n < 10; n++) await ask(`quixworth lantern ${n}`, network(), same)
  await counted()
  assert.ok(!termsOf(await topics()).includes('quixworth lantern'))
  assert.ok(!(await storedTexts()).includes('quixworth'))
})

test('networks of different days do not add up', async () => {
  for (let n = 0; n < 3; n++) await ask('vellumnaut compass')
  app.advance(DAY)
  for (let n = 0; n < 4; n++) await ask('vellumnaut compass')
  await counted()
  assert.ok(!termsOf(await topics()).includes('vellumnaut compass'))
  await ask('vellumnaut compass')
  assert.ok(termsOf(await topics()).includes('vellumnaut compass'))
})

test('private-looking words are never counted', async () => {
  const canaries = ['ghostuser@example.org', 'QKZA4GHOSTKEY99XYZ', '/srv/ghosthome/diary', 'ghosthost=secret']
  for (let n = 0; n < 6; n++) await ask(canaries.join(' '))
  await counted()
  assert.deepEqual(
    termsOf(await topics()).filter(term => /ghost/i.test(term)),
    [],
  )
  assert.ok(!/ghost/i.test(await storedTexts()))
})

test('the words of a question are in the order in which they came', async () => {
  for (let n = 0; n < 5; n++) await ask('rotate the zorbvault unseal keyring')
  const terms = termsOf(await topics()).filter(term => term.includes('zorbvault'))
  assert.deepEqual(terms, ['rotate zorbvault unseal keyring'])
})

test('an answered question is not counted, and a topic that is answered later is not listed', async () => {
  for (let n = 0; n < 6; n++) assert.equal((await find('sharpening knives', network())).answerable, true)
  for (let n = 0; n < 5; n++) await ask('marzipanology diploma')
  assert.ok(termsOf(await topics()).includes('marzipanology diploma'))
  assert.ok(!termsOf(await topics()).some(term => term.includes('sharpening')))
  const entry = await newEntry(app.url, token, {
    title: 'Marzipanology',
    summary: 'Who gives a diploma in marzipanology',
  })
  assert.ok(!termsOf(await topics()).includes('marzipanology diploma'))
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  assert.ok(termsOf(await topics()).includes('marzipanology diploma'))
})

test('a quarantined network is not counted', async () => {
  const from = network()
  await newEntry(app.url, token, {})
  const { token: other } = await newActor(app.url)
  const body = { title: 'Of a bad network', content: 'x', summary: 'y' }
  const made = await call(app.url, 'POST', '/api/entries', {
    ...{ body, token: other, headers: { 'x-forwarded-for': from } },
  })
  const { id } = expectStatus(made, 201) as { id: string }
  const row = (await snapshot(app.url)).entries.find(one => one.id === id)
  await moderate(app.url, 'ORIGIN', row?.originId ?? '', 'QUARANTINE')
  for (let n = 0; n < 4; n++) await ask('oblongitude chart')
  await ask('oblongitude chart', from)
  assert.ok(!termsOf(await topics()).includes('oblongitude chart'))
})

test('one network cannot fill the table: of hundreds of queries 30 topics a day are counted', async () => {
  const from = network()
  await counted()
  const before = await countTopics()
  for (let n = 0; n < 200; n += 20) {
    const names = Array.from({ length: 20 }, (_, i) => letters(`flood${n + i}`))
    await Promise.all(names.map(name => find(`${name} ${name}x ${name}y`, from)))
  }
  await counted()
  assert.equal((await countTopics()) - before, 30)
  for (let n = 0; n < 5; n++) await ask('pellucidarium entrance')
  assert.ok(termsOf(await topics()).includes('pellucidarium entrance'), 'what others ask is counted as before')
})

test('the store counts one network for at most 30 topics a day, and at most 20,000 topics a day', async () => {
  const day = '2031-05-05'
  const keep = (topics: UnansweredTopic[]) =>
    app.store.maintain('recordUnansweredTopics', topics, { at: Date.parse(day), cooldown: 0, dataClass: 'EXTERNAL' })
  const topicOf = (origin: string, n: number): UnansweredTopic => {
    const digest = `${origin} ${n}`
    return {
      origin: { id: origin, day, networkKey: origin, voice: origin },
      digest,
      voices: [digest],
      words: 'flooding rivers',
    }
  }
  const before = await countTopics()
  for (let n = 0; n < 10_000; n += 500) await keep(Array.from({ length: 500 }, (_, i) => topicOf('one', n + i)))
  assert.equal((await countTopics()) - before, 30)
  for (let from = 0; from < 1_010; from += 10) {
    await keep(Array.from({ length: 200 }, (_, i) => topicOf(`network ${from + Math.floor(i / 20)}`, i)))
  }
  assert.equal((await countTopics()) - before, 20_000)
})

/** A text with letters in place of digits. */
const letters = (text: string): string => text.replaceAll(/\d/g, digit => 'klmnopqrst'[Number(digit)] ?? '')

test('topics survive a restart, with fewer and with enough networks, and end after 30 days', async () => {
  for (let n = 0; n < 4; n++) await ask('umbrellastic handle')
  await counted()
  await app.restart()
  await ask('umbrellastic handle')
  assert.ok(termsOf(await topics()).includes('umbrellastic handle'))
  for (let n = 0; n < 4; n++) await ask('krakeneering license')
  app.advance(DAY)
  await app.sweep(1)
  assert.ok(termsOf(await topics()).includes('umbrellastic handle'))
  app.advance(30 * DAY)
  await app.sweep(1)
  assert.deepEqual(await topics(), [])
})
