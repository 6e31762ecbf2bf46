import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import type { Activity, ActorIssued, Entry } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { allPages, call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { publicView } from '../support/public-view.ts'
import { expectDone, expectRefusal, palimpsest, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const WRITERS = 6
/** Writes acknowledged before and after the backup begins. */
const HEAD_START = 60

let app: TestApp
let directory: ReturnType<typeof temporaryDirectory>
let token: string
let entries: Entry[]
const path = (name: string): string => join(directory.path, name)

before(async () => {
  directory = temporaryDirectory()
  app = await startApp()
  token = (await newActor(app.url, { actorType: 'AGENT', declaredName: 'Keeper' })).token
  entries = []
  for (const title of ['Foxes', 'Owls', 'Newts'])
    entries.push(await newEntry(app.url, token, { title, tags: ['Fauna'] }))
  const [fox, owl] = entries as [Entry, Entry]
  const write = async (where: string, body: object): Promise<void> => {
    expectStatus(await call(app.url, 'POST', where, { body, token }), 201)
  }
  await write(`/api/entries/${fox.slug}/verify`, {
    revisionId: fox.currentRevisionId,
    result: 'SUPPORTED',
    confidence: 1,
    rationale: 'Seen',
  })
  await write(`/api/entries/${fox.slug}/contradict`, {
    revisionId: fox.currentRevisionId,
    rationale: 'No',
    sourceEntryId: owl.id,
  })
  await write('/api/relations', {
    sourceEntryId: fox.id,
    targetEntryId: owl.id,
    relationType: 'CONNECT',
    rationale: 'Night',
  })
  await write(`/api/entries/${fox.slug}/revisions`, revisionOf(fox, { content: 'Foxes hunt at night.' }))
})
after(async () => {
  await app.close()
  directory.remove()
})

const { inProcess } = commandLine()
/** Backs up the served store. With `palimpsest` as `run`, in another process. */
const backup = async (name: string, run: typeof inProcess | typeof palimpsest = inProcess): Promise<string> =>
  expectDone(await run(['backup', '--to', path(name), '--data-dir', app.dataDir]))
const restore = (name: string, target: string, run: typeof inProcess | typeof palimpsest = inProcess) =>
  run(['restore', '--from', path(name), '--data-dir', path(target)])
const numberIn = (said: string, what: string): number => Number(new RegExp(`${what} +(\\d+)$`, 'm').exec(said)?.[1])

test('a restored backup answers every public read like the original, and continues its numbers', async () => {
  await allPages(app.url, '/api/activity')
  const said = await backup('quiet.db', palimpsest)
  const restored = expectDone(await restore('quiet.db', 'quiet', palimpsest))
  for (const what of ['entries', 'revisions', 'evidence', 'relations', 'activity', 'last record']) {
    assert.ok(numberIn(said, what) > 0, what)
    assert.equal(numberIn(restored, what), numberIn(said, what), what)
  }
  // No sequence that the lost store assigned after the backup is assigned again.
  assert.equal(numberIn(restored, 'last sequence'), numberIn(said, 'last sequence') + 1_000_000_000)
  assert.match(restored, /origin-key/)
  const copy = await startApp({ DATA_DIR: path('quiet') })
  try {
    const words = ['foxes', 'night', 'Fauna']
    assert.deepEqual(await publicView(copy.url, entries, words), await publicView(app.url, entries, words))
    const made = await newEntry(copy.url, token)
    const [newest] = expectStatus(await call<{ items: Activity[] }>(copy.url, 'GET', '/api/activity'), 200).items
    assert.equal(newest?.entryId, made.id)
    assert.ok(Number(newest?.sequence) > numberIn(restored, 'last sequence'))
  } finally {
    await copy.close()
  }
  // The record numbers went on without a hole.
  expectDone(await inProcess(['check', '--data-dir', path('quiet')]))
})

test('a backup under load is intact and has everything that was acknowledged before it began', async () => {
  const acknowledged: string[] = []
  let stopping = false
  const writer = async (): Promise<void> => {
    for (let entry = await newEntry(app.url, token); !stopping; ) {
      acknowledged.push(entry.currentRevisionId)
      const body = revisionOf(entry, { content: `Line ${acknowledged.length}. `.repeat(100) })
      entry = expectStatus(
        await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { body, token }),
        201,
      )
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, writer))
  while (acknowledged.length < HEAD_START) await new Promise(setImmediate)
  const before = [...acknowledged]
  const said = await backup('busy.db', palimpsest).finally(() => {
    stopping = true
  })
  await writers
  assert.ok(acknowledged.length > before.length, 'nothing was written during the backup')
  expectDone(await inProcess(['check', '--data-dir', app.dataDir]))
  expectDone(await restore('busy.db', 'busy'))
  const store = new DatabaseSync(join(path('busy'), 'palimpsest.db'), { readOnly: true })
  const kept = new Set(
    store
      .prepare('SELECT id FROM revision')
      .all()
      .map(row => row.id),
  )
  store.close()
  assert.equal(kept.size, numberIn(said, 'revisions'))
  for (const id of before) assert.ok(kept.has(id), id)
})

test('a backup has no token, salt, network key, limit, cooldown or stored answer', async () => {
  await using limited = await startApp({ DATA_DIR: path('limited'), COOLDOWN_SECONDS: '1' })
  const options = { body: {}, headers: { 'idempotency-key': 'a-key-of-some-length' } }
  const issued = expectStatus(await call<ActorIssued>(limited.url, 'POST', '/api/actors', options), 201)
  await newEntry(limited.url, issued.token)
  expectDone(await inProcess(['backup', '--to', path('scrubbed.db'), '--data-dir', limited.dataDir]))
  const source = new DatabaseSync(join(limited.dataDir, 'palimpsest.db'), { readOnly: true })
  const column = (text: string): string[] =>
    source
      .prepare(text)
      .all()
      .map(row => String(row.it))
  const secrets = [
    ...column('SELECT salt AS it FROM origin_salt'),
    ...column('SELECT network_key AS it FROM origin WHERE network_key IS NOT NULL'),
    ...column('SELECT answer AS it FROM retry'),
    ...column("SELECT subject AS it FROM cooldown WHERE subject LIKE 'network:%'"),
  ]
  source.close()
  assert.ok(secrets.length >= 4, 'the store has a salt, a network key, an answer and a cooldown')
  const files = ['palimpsest.db', 'palimpsest.db-wal'].map(name => readFileSync(join(limited.dataDir, name)))
  const bytes = readFileSync(path('scrubbed.db'))
  for (const secret of secrets) {
    assert.ok(
      files.some(file => file.includes(secret)),
      'the original has the secrets',
    )
    assert.ok(!bytes.includes(secret), 'the backup has a secret')
  }
  const key = readFileSync(join(limited.dataDir, 'origin-key'), 'utf8').trim()
  for (const secret of [issued.token, issued.token.slice(4), key]) assert.ok(!bytes.includes(secret))
  const copy = new DatabaseSync(path('scrubbed.db'), { readOnly: true })
  for (const table of ['origin_salt', 'admission', 'cooldown', 'retry']) {
    assert.equal(copy.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n, 0, table)
  }
  assert.ok(Number(copy.prepare('SELECT count(*) AS n FROM origin').get()?.n) > 0, 'origins stay, without their keys')
  assert.equal(copy.prepare('SELECT count(*) AS n FROM origin WHERE network_key IS NOT NULL').get()?.n, 0)
  copy.close()
})

test('a backup is readable by its owner only, overwrites no file and leaves no other file', async () => {
  await backup('mode.db', palimpsest)
  assert.equal(statSync(path('mode.db')).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(directory.path).filter(name => name.startsWith('mode.db')),
    ['mode.db'],
  )
  const whole = readFileSync(path('mode.db'))
  const again = ['backup', '--to', path('mode.db'), '--data-dir', app.dataDir]
  expectRefusal(await inProcess(again), 1, /mode\.db exists already and is not overwritten/)
  assert.ok(whole.equals(readFileSync(path('mode.db'))))
  const nowhere = ['backup', '--to', path('none/such.db'), '--data-dir', app.dataDir]
  expectRefusal(await inProcess(nowhere), 1, /such\.db\.partial cannot be written/)
  expectRefusal(
    await inProcess(['backup', '--to', path('x.db'), '--data-dir', path('no-store')]),
    1,
    /There is no store in/,
  )
})

test('a restore needs a directory without a store, and deletes an index that is there', async () => {
  await backup('again.db')
  const target = path('again')
  mkdirSync(target)
  writeFileSync(join(target, 'search.db'), 'of another store')
  expectDone(await restore('again.db', 'again'))
  assert.equal(existsSync(join(target, 'search.db')), false)
  expectRefusal(await restore('again.db', 'again'), 1, /has a store already/)
  mkdirSync(path('rest'))
  writeFileSync(join(path('rest'), 'palimpsest.db-wal'), 'the rest of a store')
  expectRefusal(await restore('again.db', 'rest'), 1, /has a store already .*palimpsest\.db-wal/)
  const served = ['restore', '--from', path('again.db'), '--data-dir', app.dataDir]
  expectRefusal(await inProcess(served), 1, /in use by another palimpsest process/)
})

/** Copies a backup with one bit of one byte changed. */
function flipped(name: string, at: number): string {
  const bytes = readFileSync(path(name))
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path(`${name}.flipped`), bytes)
  return `${name}.flipped`
}

const FLIPS = 12
/** Words of the schema, which SQLite does not understand or finds no column by when they are changed. */
const SCHEMA = ['TABLE entry', 'relations INTEGER']
test('a backup with one flipped byte at any place is not restored, and check finds the fault', async () => {
  await backup('sealed.db')
  const { size } = statSync(path('sealed.db'))
  const bytes = readFileSync(path('sealed.db'))
  const spread = Array.from({ length: FLIPS + 1 }, (_, n) => Math.min(size - 1, Math.floor((n * size) / FLIPS)))
  const within = SCHEMA.map(words => bytes.indexOf(words))
  for (const at of [...spread, ...within]) {
    assert.ok(at >= 0)
    const name = flipped('sealed.db', at)
    const sentence = /checksum|is not a readable Palimpsest store/
    expectRefusal(await restore(name, 'flipped'), 1, sentence)
    assert.equal(existsSync(path('flipped')), false)
    const checked = await inProcess(['check', '--file', path(name)])
    expectRefusal(checked, 1, /\.$/)
    assert.match(checked.stderr, /checksum of the file is wrong|is damaged|is not a readable/)
  }
  assert.match(expectDone(await inProcess(['check', '--file', path('sealed.db')])), /checksum of the file/)
  assert.match(expectDone(await restore('sealed.db', 'sealed')), /is restored and intact/)
})

test('a file without a checksum is restored only with the flag for it', async () => {
  await backup('plain.db')
  const { size } = statSync(path('plain.db'))
  truncateSync(path('plain.db'), size - (size % 8_192))
  expectRefusal(await restore('plain.db', 'plain'), 1, /has no checksum.*--ignore-checksum/)
  const args = ['restore', '--from', path('plain.db'), '--data-dir', path('plain'), '--ignore-checksum']
  assert.match(expectDone(await inProcess(args)), /checksum was not checked/)
})

test('a damaged backup is not restored, not even in part', async () => {
  await backup('damaged.db')
  const file = new DatabaseSync(path('damaged.db'))
  file.exec("UPDATE revision SET content = content || '!' WHERE number = 1")
  file.close()
  expectRefusal(await restore('damaged.db', 'damaged'), 1, /checksum/)
  assert.equal(existsSync(path('damaged')), false)
  mkdirSync(path('standing'))
  const anyway = ['restore', '--from', path('damaged.db'), '--data-dir', path('standing'), '--ignore-checksum']
  expectRefusal(await inProcess(anyway), 1, /is damaged.*revision .* has evidenceHash/)
  assert.deepEqual(
    readdirSync(path('standing')).filter(name => name !== 'palimpsest.lock'),
    [],
  )

  await backup('torn.db')
  truncateSync(path('torn.db'), Math.floor(statSync(path('torn.db')).size / 2))
  const torn = await restore('torn.db', 'torn')
  expectRefusal(torn, 1, /malformed|damaged|not a readable/)
  assert.equal(existsSync(path('torn')), false)
  expectRefusal(await restore('no-such.db', 'none'), 1, /There is no file .*no-such\.db/)
  assert.equal(existsSync(path('none')), false)
})
