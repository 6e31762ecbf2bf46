import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startPurgedCache } from '../support/cache.ts'
import { spawn } from '../support/children.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'

const VARNISH = pathOf('varnishd')
const skip = missing('varnishd')
const PATIENCE = 60_000
/** How many reads there are; set by the long run, which also measures times. */
const READS = Number(process.env.CACHE_READS ?? 1_000)
const IS_LONG = process.env.CACHE_READS !== undefined
const ENTRIES = READS / 100

const SECRET = '0123456789abcdef'
const endings: (() => unknown)[] = []

/** Starts Varnish with the file of `deploy/` before a service that is not there yet. `secretFile` has the field of a purge. */
async function startVarnish(backend: number, secretFile: string): Promise<string> {
  const port = await freePort()
  const { path, remove } = makeDirectory()
  endings.push(remove)
  const file = join(path, 'default.vcl')
  const text = readFileSync(join(import.meta.dirname, '../../deploy/varnish/default.vcl'), 'utf8')
  assert.match(text, /\.port = "8080";/)
  assert.match(text, /"\/etc\/varnish\/purge-header"/)
  const own = text.replace('.port = "8080";', `.port = "${backend}";`)
  writeFileSync(file, own.replace('/etc/varnish/purge-header', secretFile))
  const args = ['-F', '-j', 'none', '-n', join(path, 'work'), '-a', `127.0.0.1:${port}`, '-f', file, '-s', 'malloc,64m']
  const child = spawn(String(VARNISH), args, { stdio: 'ignore' })
  endings.push(() => child.kill('SIGTERM'))
  return `http://127.0.0.1:${port}`
}

let cache: string
let server: ServerProcess
let token: string
let dataDir: string
let secretFile: string
let env: Record<string, string>
before(async () => {
  if (skip !== false) return
  const port = await freePort()
  const { path, remove } = makeDirectory()
  endings.push(remove)
  dataDir = join(path, 'data')
  secretFile = join(path, 'purge-header')
  writeFileSync(secretFile, `Purge-Secret: ${SECRET}\n`)
  cache = await startVarnish(port, secretFile)
  env = {
    ...{ PORT: String(port), SHARED_CACHE_SECONDS: '600', TRUSTED_PROXIES: '127.0.0.1' },
    ...{ PURGE_URL: `${cache}/.purge`, PURGE_HEADER_FILE: secretFile },
  }
  server = await startServer(dataDir, { env })
  await untilServed()
  token = (await newActor(server.url)).token
})
after(async () => {
  await server?.stop()
  for (const end of endings.reverse()) end()
})

const get = (path: string, headers: Record<string, string> = {}) => call(cache, 'GET', path, { headers })
const isHit = ({ headers }: Answer): boolean => headers.get('x-cache') === 'HIT'
const untilServed = () =>
  eventually('the cache reaches the service', PATIENCE, async () => {
    const answer = await get('/health').catch(() => undefined)
    return answer?.status === 200 ? true : undefined
  })
const untilHit = (path: string) =>
  eventually(`${path} is stored`, PATIENCE, async () => (isHit(await get(path)) ? true : undefined))

test(`more than 95 % of ${READS} reads of ${ENTRIES} entries are answered by the cache`, { skip }, async () => {
  const made: Entry[] = []
  for (let count = 0; count < ENTRIES; count++) made.push(await newEntry(server.url, token))
  let hits = 0
  let next = 0
  const read = async (): Promise<void> => {
    for (let index = next++; index < READS; index = next++) {
      const { slug, id } = made[index % ENTRIES] as Entry
      const answer = await get(`/api/entries/${slug}`)
      assert.equal(expectStatus(answer, 200).id, id)
      if (isHit(answer)) hits += 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, read))
  assert.ok(hits > 0.95 * READS, `${hits} hits`)
  process.stderr.write(`${hits} of ${READS} reads were answered by the cache.\n`)
})

test('an entry that was hidden is 410 through the cache, on every path', { skip }, async () => {
  const entry = await newEntry(server.url, token, { title: 'Zebrafish', content: 'Zebrafish' })
  const revision = `/entries/${entry.slug}/revisions/${entry.currentRevisionId}`
  const paths = [`/api/entries/${entry.slug}`, `/api/entries/${entry.id}`, `/api${revision}`, `/entries/${entry.slug}`]
  for (const path of paths) await untilHit(path)
  await untilHit('/api/entries?limit=3')
  await moderate(server.url, 'ENTRY', entry.id, 'HIDE')
  const began = performance.now()
  for (const path of paths) {
    await eventually(`${path} is 410`, PATIENCE, async () => ((await get(path)).status === 410 ? true : undefined))
  }
  const milliseconds = performance.now() - began
  assert.doesNotMatch((await get('/api/entries?limit=3')).text, /Zebrafish/)
  assert.ok(!IS_LONG || milliseconds < 1_000, `${milliseconds} ms`)
  process.stderr.write(`All paths were 410 after ${Math.round(milliseconds)} ms.\n`)
})

test('a revision is read through the cache soon after it was written', { skip }, async () => {
  const entry = await newEntry(server.url, token)
  const path = `/api/entries/${entry.slug}`
  await untilHit(path)
  const body = { ...revisionOf(entry), title: 'Revised title' }
  expectStatus(await call(cache, 'POST', `${path}/revisions`, { body, token }), 201)
  await eventually('the new title', IS_LONG ? 1_000 : PATIENCE, async () =>
    (await get(path)).body.title === 'Revised title' ? true : undefined,
  )
})

test('a request with a token is neither stored nor answered from the cache', { skip }, async () => {
  const path = `/api/entries/${(await newEntry(server.url, token)).slug}`
  for (const headers of [{ 'x-actor-token': token }, { 'min-sequence': '1' }] as unknown as Record<string, string>[]) {
    for (let count = 0; count < 3; count++) assert.ok(!isHit(await get(path, headers)))
  }
  assert.ok(!isHit(await get(path)), 'the answers to requests with a token were not stored')
  await untilHit(path)
  const stored = await get(path)
  for (const field of ['ratelimit', 'surrogate-key', 'xkey', 'cdn-cache-control']) {
    assert.equal(stored.headers.get(field), null, field)
  }
  expectProblem(await get(path, { 'x-actor-token': 'wrong' }), 401, 'ACTOR_TOKEN_INVALID')
})

test('an entry that was hidden just before a kill is purged after the restart', { skip }, async () => {
  const entry = await newEntry(server.url, token)
  const path = `/api/entries/${entry.slug}`
  // Without a purge for this start, so that the kill is surely between the commit and the purge.
  const silent = await startPurgedCache()
  silent.status = 503
  await server.stop()
  server = await startServer(dataDir, { env: { ...env, PURGE_URL: silent.url } })
  await untilServed()
  // Not before: the purge of the new entry may come after the first reads of it.
  await untilHit(path)
  await moderate(server.url, 'ENTRY', entry.id, 'HIDE')
  server.kill('SIGKILL')
  await server.ended
  assert.equal((await get(path)).status, 200, 'the cache still has it')
  server = await startServer(dataDir, { env })
  await untilServed()
  await eventually('410 after the restart', PATIENCE, async () => ((await get(path)).status === 410 ? true : undefined))
  silent.close()
})

test('a purge needs POST and the secret, although the client has an address of the nodes', { skip }, async () => {
  const path = `/api/entries/${(await newEntry(server.url, token)).slug}`
  const purge = (method: string, secret?: string): Promise<Answer> =>
    call(cache, method, '/.purge', {
      headers: { 'surrogate-key': 'e l m', ...(secret === undefined ? {} : { 'purge-secret': secret }) },
    })
  for (const wrong of [undefined, '', SECRET.slice(1), `${SECRET}0`, SECRET.toUpperCase()]) {
    assert.equal((await purge('POST', wrong)).status, 403, wrong)
  }
  assert.equal((await purge('GET', SECRET)).status, 403)
  await untilHit(path)
  assert.equal((await purge('POST', SECRET)).status, 204)
  assert.ok(!isHit(await get(path)), 'the purge with the secret removes it')
  // Without the file, every purge is refused.
  const bare = await startVarnish(Number(env.PORT), join(dataDir, 'no-such-file'))
  const refused = await eventually('the cache without a secret answers', PATIENCE, () =>
    call(bare, 'POST', '/.purge', { headers: { 'surrogate-key': 'e', 'purge-secret': SECRET } }).catch(() => undefined),
  )
  assert.ok(refused.status >= 400, `${refused.status}`)
})
