import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ClientSettings, createClient, type ResponseMetadata } from '../../src/client/index.ts'
import { type Copy, openCopy } from '../cli/mirror/copy.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { newActor, newEntry } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'

let app: TestApp
let mirror: Copy
before(async () => {
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05' }, { engine: 'embedded' })
  await newEntry(app.url, (await newActor(app.url)).token)
  await signedCheckpoint(app)
  mirror = await openCopy(app.url)
  await mirror.catchUp()
})
after(async () => {
  await mirror.close()
  await app.close()
})

/** A client of the original that reads at the mirror, and the servers that its calls went to. */
function nearClient(settings: Partial<ClientSettings> = {}) {
  const asked: [string, string][] = []
  const answered: ResponseMetadata[] = []
  const client = createClient({
    baseUrl: app.url,
    readUrl: mirror.app.url,
    fetch: (url, init) => {
      const { origin } = new URL(url)
      const { 'min-sequence': sequence = '' } = init.headers as Record<string, string>
      asked.push([origin === app.url ? 'original' : 'mirror', sequence])
      return fetch(url, init)
    },
    onResponse: metadata => answered.push(metadata),
    ...settings,
  })
  return { client, asked, answered }
}
const TEXT = { title: 'Read near', summary: 'S', content: 'C' }

test('reads go to the read URL with the sequence of the last write, and writes to the service', async () => {
  const { client, asked, answered } = nearClient()
  await client.readStats()
  await client.createActor({})
  const entry = await client.createEntry(TEXT)
  const sequence = answered.at(-1)?.sequence ?? ''
  assert.match(sequence, /^[1-9][0-9]*$/)
  await mirror.catchUp()
  assert.equal((await client.readEntry(entry.slug)).id, entry.id)
  assert.deepEqual(asked, [
    ['mirror', ''],
    ['original', ''],
    ['original', ''],
    ['mirror', sequence],
  ])
})

test('a read that the mirror cannot answer yet goes to the service, without a pause', async () => {
  const retried: string[] = []
  const { client, asked } = nearClient({ retries: 0, onRetry: ({ error }) => retried.push(error.message) })
  await client.createActor({})
  const entry = await client.createEntry(TEXT)
  assert.equal((await client.readEntry(entry.slug)).id, entry.id)
  assert.deepEqual(
    asked.slice(2).map(([server]) => server),
    ['mirror', 'original'],
  )
  assert.match(retried.join(), /^NOT_READY/)
})

test('a read URL without a server costs nothing but the try; a refusal of the read itself is final', async () => {
  const gone = nearClient({ readUrl: 'http://127.0.0.1:1' })
  await gone.client.readStats()
  assert.deepEqual(gone.asked.length, 2)
  const { client, asked } = nearClient()
  await assert.rejects(client.readEntry('not-there'), { code: 'ENTRY_NOT_FOUND' })
  assert.deepEqual(asked, [['mirror', '']])
  assert.throws(() => createClient({ baseUrl: app.url, readUrl: 'ftp://x' }), { code: 'INVALID_ARGUMENT' })
})

test('a read with a token, a probe and a revision with retries stay with the service', async () => {
  const { client, asked } = nearClient({ tokenOnReads: true })
  await client.createActor({})
  const entry = await client.createEntry(TEXT)
  await client.readEntry(entry.slug)
  await client.readHealth()
  const plain = nearClient({ token: client.token() })
  const edit = () => ({ changeType: 'EXPAND', rationale: 'R', content: 'C2' }) as const
  await plain.client.reviseWithRetry(entry.slug, edit)
  for (const [server] of [...asked, ...plain.asked]) assert.equal(server, 'original')
})
