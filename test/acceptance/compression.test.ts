import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Entry } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, shareApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { signedCheckpoint } from '../support/logged-world.ts'

let token: string
let entry: Entry
const app = shareApp({}, async () => {
  token = (await newActor(app.url)).token
  for (let n = 0; n < 5; n += 1)
    entry = await newEntry(app.url, token, { content: `Zwölf Boxkämpfer 漢字 ${n}\n`.repeat(99) })
  // The history names the records that the public log has.
  await signedCheckpoint(app)
})

type Received = { status: number; headers: IncomingHttpHeaders; bytes: Buffer }

/** Sends a request with exactly these fields, and returns the bytes of the answer as they were sent. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Received> =>
  new Promise((resolve, reject) => {
    const call = request(`${app.url}${path}`, { method, headers: { accept: 'text/html', ...headers } }, answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync } as const
const varies = ({ headers }: Received): string[] => (headers.vary ?? '').toLowerCase().split(/\s*,\s*/)
const stylePath = async (): Promise<string> =>
  /\/assets\/[\w-]+\/style\.css/.exec((await ask('/')).bytes.toString())?.[0] ?? ''

/** Addresses of answers that are compressed: documents, pages and lists. */
const compressed = async (): Promise<string[]> => [
  '/',
  `/entries/${entry.slug}`,
  `/entries/${entry.slug}/history`,
  '/search?q=Boxk%C3%A4mpfer',
  '/docs/api',
  '/docs/errors',
  '/agents',
  '/agents.md',
  '/llms.txt',
  '/openapi.json',
  '/feeds/changes.atom',
  '/feeds/changes.json',
  await stylePath(),
  '/api/entries',
  '/api/entries?limit=3',
  '/api/entries?q=Boxk%C3%A4mpfer',
  `/api/entries/${entry.slug}/revisions`,
]

test('pages, documents and lists are sent in the coding that the client prefers, with the same text', async () => {
  for (const path of await compressed()) {
    const plain = await ask(path)
    assert.equal(plain.status, 200, path)
    assert.equal(plain.headers['content-encoding'], undefined, path)
    assert.ok(varies(plain).includes('accept-encoding'), `${path}: ${plain.headers.vary}`)
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0.5, gzip;q=0.8', 'gzip'],
      ['GZIP', 'gzip'],
      ['*', 'br'],
      ['br;q=0, *', 'gzip'],
    ] as const) {
      // The second answer is the same as the first, which was compressed for it.
      for (let time = 0; time < 2; time += 1) {
        const coded = await ask(path, { 'accept-encoding': accepted })
        assert.equal(coded.headers['content-encoding'], coding, `${path} ${accepted}`)
        assert.ok(varies(coded).includes('accept-encoding'), path)
        assert.equal(coded.headers['content-length'], String(coded.bytes.length), path)
        assert.ok(
          coded.bytes.length < plain.bytes.length * 0.7,
          `${path}: ${coded.bytes.length} of ${plain.bytes.length}`,
        )
        assert.ok(DECODERS[coding](coded.bytes).equals(plain.bytes), `${path} ${accepted}`)
      }
    }
    for (const accepted of ['identity', '', 'deflate', 'gzip;q=0', 'br;q=0, gzip;q=0.0, *;q=0', 'zstd', 'gzipped']) {
      const answer = await ask(path, { 'accept-encoding': accepted })
      assert.equal(answer.headers['content-encoding'], undefined, `${path} ${accepted}`)
      assert.ok(answer.bytes.equals(plain.bytes), path)
    }
  }
})

test('the version of a compressed document is weak, and names the same text in each coding', async () => {
  for (const path of ['/agents.md', '/openapi.json', `/entries/${entry.slug}`, '/docs/api', await stylePath()]) {
    const strong = (await ask(path)).headers.etag ?? ''
    assert.match(strong, /^"[\w-]+"$/, path)
    for (const coding of ['br', 'gzip']) {
      const accepting = { 'accept-encoding': coding }
      assert.equal((await ask(path, accepting)).headers.etag, `W/${strong}`, path)
      for (const known of [strong, `W/${strong}`, `"other", W/${strong}`, '*']) {
        const again = await ask(path, { ...accepting, 'if-none-match': known })
        assert.deepEqual(
          [again.status, again.headers.etag, again.bytes.length],
          [304, `W/${strong}`, 0],
          `${path} ${known}`,
        )
        assert.equal(again.headers['content-encoding'], undefined)
        assert.ok(varies(again).includes('accept-encoding'), path)
      }
      assert.equal((await ask(path, { ...accepting, 'if-none-match': '"other"' })).status, 200)
    }
    assert.equal((await ask(path, { 'if-none-match': `W/${strong}` })).headers.etag, strong)
  }
})

test('HEAD has the fields of GET in each coding, and a range is answered with the whole', async () => {
  const FIELDS = ['content-encoding', 'content-length', 'content-type', 'etag', 'vary', 'cache-control'] as const
  for (const path of await compressed()) {
    for (const accepted of ['br', 'gzip', 'identity']) {
      const fields = { 'accept-encoding': accepted }
      const [got, headed] = [await ask(path, fields), await ask(path, fields, 'HEAD')]
      assert.equal(headed.bytes.length, 0)
      for (const name of FIELDS) assert.equal(headed.headers[name], got.headers[name], `${path} ${accepted} ${name}`)
      const part = await ask(path, { ...fields, range: 'bytes=0-9' })
      assert.deepEqual([part.status, part.headers['content-range']], [200, undefined], path)
      assert.ok(part.bytes.equals(got.bytes), path)
    }
  }
})

test('an entry has its strong version for any Accept-Encoding', async () => {
  for (const path of [
    `/api/entries/${entry.slug}`,
    `/api/entries/${entry.slug}/revisions/${entry.currentRevisionId}`,
  ]) {
    const plain = await ask(path)
    const answer = await ask(path, { 'accept-encoding': 'br, gzip' })
    assert.match(answer.headers.etag ?? '', /^"/)
    assert.deepEqual([answer.headers.etag, answer.headers['content-encoding']], [plain.headers.etag, undefined], path)
    assert.ok(answer.bytes.equals(plain.bytes))
  }
})

test('answers that may contain a secret, problems, streams and small answers are never compressed', async () => {
  const accepting = { 'accept-encoding': 'br, gzip' }
  const json = { ...accepting, 'content-type': 'application/json' }
  const long = 'A declared name that repeats. '.repeat(3)
  const actor = JSON.stringify({ declaredName: long, declaredModel: long, declaredProvider: long })
  const body = JSON.stringify({ title: 'T', summary: 'S', content: long.repeat(50) })
  const checker = (await newActor(app.url)).token
  const administrator = { ...accepting, authorization: `Bearer ${ADMIN_TOKEN}` }
  const answers: [string, Received][] = [
    ['a new actor', await ask('/api/actors', json, 'POST', actor)],
    ['a new entry', await ask('/api/entries', { ...json, 'x-actor-token': token }, 'POST', body)],
    ['a preview', await ask('/preview', json, 'POST', JSON.stringify({ content: long.repeat(50) }))],
    ['the snapshot', await ask('/api/admin/snapshot', administrator)],
    ['the dossier', await ask(`/api/admin/entries/${entry.id}`, administrator)],
    ['the metrics', await ask('/metrics', administrator)],
    ['work of an actor', await ask('/api/work?limit=50', { ...accepting, 'x-actor-token': checker })],
    ['a page that is missing', await ask('/nowhere', accepting)],
    ['an export', await ask('/api/export', accepting)],
    ['health', await ask('/health', accepting)],
    ['an empty list', await ask(`/api/entries/${entry.slug}/relations`, accepting)],
  ]
  for (const [name, { headers, bytes, status }] of answers) {
    assert.ok([200, 201, 404].includes(status) && bytes.length > 0, `${name}: ${status}`)
    assert.equal(headers['content-encoding'], undefined, name)
    const isSmall = ['a new actor', 'health', 'an empty list'].includes(name)
    assert.equal(bytes.length < 1_400, isSmall, `${name} has ${bytes.length} bytes`)
  }
})

test('a compressed list shows each change, and nothing that is withdrawn', async () => {
  const accepting = { 'accept-encoding': 'gzip' }
  const list = async (): Promise<Entry[]> =>
    (JSON.parse(gunzipSync((await ask('/api/entries?limit=3', accepting)).bytes).toString()) as { items: Entry[] })
      .items
  await list()
  const added = await newEntry(app.url, token, { title: 'Canary of the coded list' })
  assert.equal((await list())[0]?.id, added.id)
  const authorization = `Bearer ${ADMIN_TOKEN}`
  const act = { targetType: 'ENTRY', targetId: added.id, action: 'HIDE', reason: 'Test.' }
  expectStatus(await call(app.url, 'POST', '/api/admin/moderate', { body: act, headers: { authorization } }), 200)
  assert.ok((await list()).every(({ id }) => id !== added.id))
})

test('reads of a coded list are charged and observed as those of a plain one', async () => {
  const count = async (): Promise<number> =>
    Number((await call(app.url, 'GET', '/api/stats')).body.externalInteractions)
  const earlier = await count()
  for (let n = 0; n < 6; n += 1) await ask('/api/entries?limit=4', n % 2 ? { 'accept-encoding': 'br' } : {})
  assert.equal(await count(), earlier + 6)
})
