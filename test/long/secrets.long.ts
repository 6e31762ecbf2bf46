import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { compileShim } from '../faults/tools.ts'
import { ADMIN_TOKEN } from '../support/app.ts'
import { call, expectStatus, newEntry } from '../support/client.ts'
import {
  eventually,
  makeDirectory,
  readFiles,
  type ServerProcess,
  spawnService,
  startServer,
} from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const VISITORS = 200
const directory = makeDirectory()
const dataDir = join(directory.path, 'data')
const shim = compileShim(directory.path)
const random = seededRandom('secrets')
after(() => directory.remove())

/** The secrets, made during the scenario. */
const secrets = new Set<string>([ADMIN_TOKEN, '127.0.0.1', 'guessed-admin-token-000', 'plm_guessedguessedguessed'])
/** Published texts: if they are not found either, the search looks in the wrong place. */
const PUBLISHED = 'published-for-all-to-read'
const AS_ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` }

/** A visitor from its own address, with a secret in everything that is sent but not published. */
async function visit(url: string, n: number): Promise<void> {
  const network = [random.below(256), random.below(256), random.below(256)]
  const sixth = `2001:db8:${random.below(65_536).toString(16)}:${(n + 4_096).toString(16)}`
  const address = n % 2 === 0 ? `203.${network.join('.')}` : `${sixth}::1`
  const spelled = n % 2 === 0 ? address : sixth
  const agent = `secret-agent-${n}-${random.below(1e9)}`
  const query = `secretquery${n}x${random.below(1e9)}`
  for (const secret of [spelled, agent, query]) secrets.add(secret)
  const headers = { 'x-forwarded-for': address, 'user-agent': agent }
  const issued = await call<{ token: string }>(url, 'POST', '/api/actors', { body: {}, headers })
  const { token } = expectStatus(issued, 201)
  secrets.add(token)
  const body = { title: `Note ${n}`, summary: 'A note', content: `${PUBLISHED} ${n}` }
  expectStatus(await call(url, 'POST', '/api/entries', { body, token, headers }), 201)
  await call(url, 'GET', `/api/search?q=${query}`, { token, headers })
  await call(url, 'GET', `/search?q=${query}`, { headers: { ...headers, accept: 'text/html' } })
  await call(url, 'POST', '/api/entries', { body, token: 'plm_guessedguessedguessed', headers })
  await call(url, 'POST', '/api/entries', {
    raw: `{"token":"${token}"`,
    token,
    headers: { ...headers, 'content-type': 'application/json' },
  })
  await call(url, 'GET', '/api/admin/snapshot', {
    headers: { ...headers, authorization: 'Bearer guessed-admin-token-000' },
  })
}

function assertNowhere(where: string, bytes: Buffer, published: boolean): void {
  if (published) assert.ok(bytes.includes(PUBLISHED), `the search finds what is there, in ${where}`)
  for (const secret of secrets) assert.ok(!bytes.includes(secret), `${secret} stands in ${where}`)
}

function assertNowhereOnDisk(): void {
  for (const { name, bytes } of readFiles(dataDir)) assertNowhere(name, bytes, false)
  const store = ['palimpsest.db', 'palimpsest.db-wal'].map(name => readFileSync(join(dataDir, name)))
  assert.ok(store.some(bytes => bytes.includes(PUBLISHED)))
}

/** The log without the one line in which the service says where it listens: that address is its own. */
const logOf = (server: ServerProcess): Buffer =>
  Buffer.from(
    server
      .stderr()
      .split('\n')
      .filter(line => !/istening at|"msg":"ready"/.test(line))
      .join('\n'),
  )

const env = { LOG_LEVEL: 'trace', TRUSTED_PROXIES: '127.0.0.0/8' }

test('tokens, addresses, agents and queries are in no file: on disk after a kill, in copies, and in the log of a broken service', async context => {
  let server = await startServer(dataDir, { env })
  for (let n = 0; n < VISITORS; n++) await visit(server.url, n)
  assertNowhereOnDisk()
  server.kill('SIGKILL')
  await server.ended
  assertNowhere('the log', logOf(server), false)
  assertNowhereOnDisk()

  const fail = join(directory.path, 'fail')
  const breaking = shim === false ? {} : { LD_PRELOAD: shim, SHIM_FAIL: fail }
  server = await startServer(dataDir, { env: { ...env, ...breaking } })
  await visit(server.url, VISITORS)
  for (const [command, ...flags] of [['backup'], ['export']]) {
    const file = join(directory.path, String(command))
    const end = await spawnService([String(command), '--to', file, ...flags], { env: { DATA_DIR: dataDir } }).ended
    assert.equal(end.code, 0, end.stderr)
    assertNowhere(String(command), readFileSync(file), true)
    assertNowhere(`what ${command} says`, Buffer.from(end.stdout + end.stderr), false)
  }
  expectStatus(await call(server.url, 'GET', '/api/admin/snapshot', { headers: AS_ADMIN }), 200)
  if (shim === false) server.kill('SIGKILL')
  else {
    writeFileSync(fail, '')
    await eventually('it broke', 10_000, async () => {
      const answer = await newEntry(server.url, [...secrets].find(secret => secret.startsWith('plm_')) ?? '').catch(
        () => undefined,
      )
      return answer === undefined || undefined
    })
  }
  await server.ended
  assertNowhere('the log of one that broke', logOf(server), false)
  assertNowhereOnDisk()
  context.diagnostic(`${secrets.size} secrets, ${logOf(server).length} bytes of log`)
})
