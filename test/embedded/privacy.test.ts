import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { openEmbeddedStore } from '../../src/stores/embedded/store.ts'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { AS_ADMIN, snapshot, toNoon } from '../support/moderation.ts'
import { readFiles } from '../support/process.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Forged addresses, some of which come in several spellings. */
const ADDRESSES = ['203.0.113.77', '198.51.100.201', '2001:db8:77::5', '::ffff:192.0.2.99']
/** How the addresses must not be found: as sent, as unmapped, as the network they are cut to. */
const SPELLINGS = [...ADDRESSES, '192.0.2.99', '2001:db8:77', '20010db800770000', '127.0.0.1']
const AGENT = 'SecretlyNamedAgent/7'
const QUERIES = ['pomegranate secret', 'mandragora']
/** Idempotency keys. Together with the token or the network they decrypt the stored answers. */
const KEYS = ['a-key-that-opens-an-answer', 'a-key-of-a-rotation']
const GUESSES = ['guessed-admin-token-000', 'plm_guessedguessedguessedguessed']

let directory: string
let dataDir: string
let app: TestApp
const tokens: string[] = []
const requestIds: string[] = []

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-privacy-'))
  dataDir = join(directory, 'data')
  app = await startApp({ DATA_DIR: dataDir, TRUSTED_PROXIES: '127.0.0.0/8', COOLDOWN_SECONDS: '60' })
  toNoon(app)
  for (const address of [undefined, ...ADDRESSES]) await beBusy(address)
})
after(async () => {
  try {
    await app.close()
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

/** One visitor who does a little of everything, some of it wrong. */
async function beBusy(address: string | undefined): Promise<void> {
  const headers = { 'user-agent': AGENT, ...(address === undefined ? {} : { 'x-forwarded-for': address }) }
  const visit = async (method: string, path: string, options: Parameters<typeof call>[3] = {}) => {
    const answer = await call(app.url, method, path, { ...options, headers: { ...headers, ...options.headers } })
    requestIds.push(answer.headers.get('x-request-id') ?? '')
    return answer
  }
  const issued = expectStatus(
    await visit('POST', '/api/actors', { body: {}, headers: { 'idempotency-key': KEYS[0] ?? '' } }),
    201,
  ) as unknown as { token: string }
  const rotation = { token: issued.token, body: {}, headers: { 'idempotency-key': KEYS[1] ?? '' } }
  const token = String(expectStatus(await visit('POST', '/api/actors/rotate', rotation), 200).token)
  assert.equal(expectStatus(await visit('POST', '/api/actors/rotate', rotation), 200).token, token)
  tokens.push(issued.token, token)
  const body = { title: 'Busy', content: 'Busy content', summary: 's', tags: ['busy'] }
  const entry = expectStatus(await visit('POST', '/api/entries', { token, body }), 201)
  const revisionId = entry.currentRevisionId
  expectStatus(
    await visit('POST', `/api/entries/${entry.slug}/contradict`, { token, body: { revisionId, rationale: 'r' } }),
    201,
  )
  for (const query of QUERIES) {
    const q = encodeURIComponent(query)
    expectStatus(await visit('GET', `/api/search?q=${q}`), 200)
    expectStatus(await visit('GET', `/api/search?q=${q}`, { token }), 200)
    assert.equal((await visit('GET', `/api/search?q=${q}&limit=0`)).status, 400)
  }
  expectStatus(await visit('GET', `/api/entries/${entry.slug}`, { token }), 200)
  assert.equal((await visit('POST', '/api/entries', { token, body })).status, 429)
  assert.equal((await visit('POST', '/api/entries', { token: GUESSES[1] ?? '', body })).status, 401)
  const wrong = { authorization: `Bearer ${GUESSES[0]}` }
  assert.equal((await visit('GET', '/api/admin/snapshot', { headers: wrong })).status, 401)
  expectStatus(await visit('GET', '/api/admin/snapshot', { headers: AS_ADMIN }), 200)
}

function assertNowhereOnDisk(secrets: readonly string[]): void {
  const files = readFiles(dataDir)
  assert.ok(
    files.some(({ bytes }) => bytes.includes('Busy content')),
    'the search finds what is there',
  )
  for (const { name, bytes } of files) {
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${secret} stands in ${name}`)
  }
}
const lines = (): Record<string, unknown>[] =>
  app
    .log()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)

test('tokens, addresses, queries and agents are in no file, while the service runs and after it stopped', async () => {
  const secrets = [...tokens, ...KEYS, ...GUESSES, ADMIN_TOKEN, ...SPELLINGS, ...QUERIES, 'pomegranate', AGENT]
  assert.equal(tokens.length, 2 * (ADDRESSES.length + 1))
  assertNowhereOnDisk(secrets)
  await app.restart()
  assertNowhereOnDisk(secrets)
})

test('tokens, addresses, queries, agents and published texts are not in the log either', async () => {
  // The service says where it listens; that address is its own.
  const said = lines().filter(line => !String(line.msg).includes('istening at'))
  assert.ok(said.length > 60)
  const log = JSON.stringify(said)
  const secrets = [
    ...tokens,
    ...KEYS,
    ...GUESSES,
    ADMIN_TOKEN,
    ...SPELLINGS,
    ...QUERIES,
    'pomegranate',
    AGENT,
    'Busy content',
  ]
  for (const secret of secrets) {
    assert.ok(!log.includes(secret), secret)
    assert.ok(!log.includes(encodeURIComponent(secret)), encodeURIComponent(secret))
  }
})

test('every request has its line in the log, found by its requestId', async () => {
  assert.ok(requestIds.length > 60)
  const answer = await call(app.url, 'GET', '/api/entries/no-such-entry')
  const { error } = answer.body as { error: { requestId: string } }
  const wanted = new Set([...requestIds, error.requestId])
  const deadline = Date.now() + 5_000
  const found = () => lines().filter(line => wanted.has(String(line.requestId)))
  while (new Set(found().map(line => line.requestId)).size < wanted.size && Date.now() < deadline) await pause(10)
  assert.deepEqual(new Set(found().map(line => line.requestId)), wanted)
  const line = found().find(({ requestId }) => requestId === error.requestId)
  assert.partialDeepStrictEqual(line, { operation: 'readEntry', status: 404 })
})

test('the feed shows the tag and order of a search, never its words', async () => {
  const { activity } = await snapshot(app.url)
  const searches = activity.filter(row => row.action === 'SEARCH')
  assert.ok(searches.length > 0)
  for (const { metadata } of searches) assert.deepEqual(Object.keys(metadata).sort(), ['resultCount', 'sort', 'tag'])
})

type Secrets = { salts: string[]; networkKeys: string[] }
function readSecrets(): Secrets {
  const store = new DatabaseSync(storeFile(dataDir), { readOnly: true })
  const column = (text: string): string[] =>
    store
      .prepare(text)
      .all()
      .map(row => String(row.value))
  const secrets = {
    salts: column('SELECT salt AS value FROM origin_salt'),
    networkKeys: column('SELECT network_key AS value FROM origin WHERE network_key IS NOT NULL'),
  }
  store.close()
  return secrets
}

test('two days later salts and network keys are gone from every byte of the store, and writes still work', async () => {
  app.advance(HOUR)
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const { salts, networkKeys } = readSecrets()
  assert.ok(salts.length > 0 && networkKeys.length >= ADDRESSES.length)
  await app.close()
  const store = await openEmbeddedStore(dataDir)
  const at = Date.now() + 3 * DAY
  const today = new Date(at).toISOString().slice(0, 10)
  await store.maintain('sweep', { today, retentionDays: 90, served: 0 }, { at, cooldown: 1_000, dataClass: 'EXTERNAL' })
  await store.close()
  const left = readSecrets()
  assert.deepEqual(left, { salts: [], networkKeys: [] })
  assertNowhereOnDisk([...salts, ...networkKeys])
  app = await startApp({ DATA_DIR: dataDir })
  app.advance(5 * DAY)
  expectStatus(
    await call(app.url, 'POST', `/api/entries/${entry.id}/revisions`, { token, body: revisionOf(entry) }),
    201,
  )
})
