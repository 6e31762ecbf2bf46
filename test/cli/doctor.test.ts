import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { indexFile } from '../../src/stores/embedded/directory.ts'
import { compileShim, NO_SHIM } from '../faults/tools.ts'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { callPatiently, expectStatus, newActor, newEntry } from '../support/client.ts'
import { freePort } from '../support/ports.ts'
import { eventually, startServer } from '../support/process.ts'
import { selfSigned } from '../support/self-signed.ts'
import { expectDone, linesOf, palimpsest, STORY, temporaryDirectory } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
let app: TestApp
let directory: ReturnType<typeof temporaryDirectory>
let idle: string
before(async () => {
  directory = temporaryDirectory()
  idle = join(directory.path, 'idle')
  app = await startApp()
  expectDone(await inProcess(['load', '--from', '-', '--data-dir', idle], { input: linesOf(STORY) }))
})
after(async () => {
  await app.close()
  directory.remove()
})

/** Where Linux has a file system in memory for everybody. */
const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const isInMemory = (path: string): boolean => existsSync(path) && statfsSync(path).type === TMPFS

/** Runs the doctor. Returns its exit code and its lines, each with a checked form. */
async function examine(
  env: Record<string, string>,
  run: typeof inProcess | typeof palimpsest = inProcess,
): Promise<{ code: number | null; said: string }> {
  const { code, stdout, stderr } = await run(['doctor'], { env })
  assert.equal(stderr, '')
  for (const line of stdout.trimEnd().split('\n')) assert.match(line, /^(ok {2}|warn|FAIL) [A-Za-z0-9 -]+: \S/)
  assert.equal(code, /^FAIL/m.test(stdout) ? 1 : 0, stdout)
  return { code, said: stdout }
}

test('a healthy store that is served passes every check', async () => {
  const { code, said } = await examine({ DATA_DIR: app.dataDir, PORT: new URL(app.url).port, ADMIN_TOKEN }, palimpsest)
  assert.equal(code, 0, said)
  for (const what of [
    'Node',
    'SQLite',
    'full-text search',
    'configuration',
    'data directory',
    'secrets',
    'schema',
    'durability',
    'integrity',
    'keys',
    'synced write',
    'search index',
    'sizes',
    'clock',
    'writes',
    'reports',
  ]) {
    assert.match(said, new RegExp(`^ok {3}${what}: `, 'm'))
  }
  assert.match(said, /^ok {3}served: .*\/ready is ready$/m)
})

test('a service on loopback that every web page may use is a warning, until its pages are restricted', async () => {
  const restricted = { ALLOWED_HOSTS: '127.0.0.1,localhost', ALLOWED_ORIGINS: 'http://127.0.0.1:8080' }
  const open =
    /^warn web pages: every page .* may read and write at 127\.0\.0\.1; if it is private, set ALLOWED_HOSTS=/m
  const env = { DATA_DIR: idle }
  assert.match((await examine(env)).said, open)
  assert.match((await examine({ ...env, ALLOWED_HOSTS: '127.0.0.1' })).said, open)
  assert.match((await examine({ ...env, ...restricted, ALLOWED_ORIGINS: '*' })).said, open)
  assert.match((await examine({ ...env, ...restricted })).said, /^ok {3}web pages: only allowed pages/m)
  for (const given of [{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://memory.example' }] as Record<string, string>[])
    assert.match((await examine({ ...env, ...given })).said, /^ok {3}web pages: all pages may use the service/m)
})

test('a store that is not served, and one that does not exist yet, are no failures', async () => {
  assert.match((await examine({ DATA_DIR: idle })).said, /^ok {3}served: no process has locked the store$/m)
  const { code, said } = await examine({ DATA_DIR: join(directory.path, 'none') })
  assert.equal(code, 0)
  assert.match(said, /^warn data directory: .* does not exist; the first start creates it/m)
  assert.match(said, /^ok {3}store: none yet/m)
})

test('a server that does not answer at its address is a warning, one that is not ready a failure', async () => {
  const answer = createServer((_request, response) => response.writeHead(503).end())
  await new Promise<void>(resolve => answer.listen(0, '127.0.0.1', resolve))
  const { port } = answer.address() as AddressInfo
  const env = { DATA_DIR: app.dataDir, PORT: String(port) }
  try {
    assert.match((await examine(env)).said, /^FAIL served: .* answers 503; /m)
  } finally {
    await new Promise(resolve => answer.close(resolve))
  }
  assert.match((await examine(env)).said, /^warn served: .* does not answer; set --host and --port/m)
})

test('a proxy that TRUSTED_PROXIES does not name is logged once, and doctor names the setting', async () => {
  const env = { DATA_DIR: app.dataDir, PORT: new URL(app.url).port, ADMIN_TOKEN }
  assert.match((await examine(env)).said, /^ok {3}proxy: no request came from a proxy that is not trusted$/m)
  await using trusting = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
  for (const { url } of [app, trusting, app]) {
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    expectStatus(await callPatiently(url, 'GET', '/api/stats', { headers }), 200)
  }
  assert.equal(app.log().match(/TRUSTED_PROXIES does not name/g)?.length, 1)
  assert.ok(!trusting.log().includes('TRUSTED_PROXIES'))
  assert.match(
    (await examine(env)).said,
    /^warn proxy: .*X-Forwarded-For.*; name the network of the proxy in TRUSTED_/m,
  )
  assert.match((await examine({ ...env, ADMIN_TOKEN: '' })).said, /^FAIL configuration: ADMIN_TOKEN/m)
  const unknown = await examine({ ...env, ADMIN_TOKEN: 'another-admin-token' })
  assert.match(unknown.said, /^warn status: unknown, because .* answers 401; run doctor with the ADMIN_TOKEN/m)
})

test('a jump of the clock of the served process is a warning', async () => {
  await using served = await startApp()
  const env = { DATA_DIR: served.dataDir, PORT: new URL(served.url).port, ADMIN_TOKEN }
  assert.match((await examine(env)).said, /^ok {3}clock jumps: none of more than a minute since the start/m)
  served.advance(120_000)
  const warned = () =>
    eventually('the jump', 60_000, async () => /^warn clock jumps: .*$/m.exec((await examine(env)).said)?.[0])
  assert.match(
    String(await warned()),
    /: 1 of more than a minute since the start; the log has them; run a time service/,
  )
})

test('a search index that lacks an entry is a failure, and the remedy names its file', async () => {
  await using served = await startApp()
  const { token } = await newActor(served.url)
  for (const title of ['Newt', 'Toad']) await newEntry(served.url, token, { title })
  expectStatus(await callPatiently(served.url, 'GET', '/api/search?q=newt'), 200)
  assert.match((await examine({ DATA_DIR: served.dataDir })).said, /^ok {3}search index: it has 2 of 2 entries$/m)
  const index = new DatabaseSync(indexFile(served.dataDir))
  index.exec('DELETE FROM doc WHERE number = (SELECT max(number) FROM doc)')
  index.close()
  const { said } = await examine({ DATA_DIR: served.dataDir })
  assert.match(said, /^FAIL search index: it has 1 of 2 entries; stop the service and delete .*search\.db; the next/m)
})

test('a secret that other users can read is a failure, and is not printed', async () => {
  const files = ['origin-key', 'log-key', 'admin-token', 'mcp-actor-token', 'witness-key']
  for (const file of files) {
    const key = join(idle, file)
    writeFileSync(key, 'a-secret-of-the-operator')
    chmodSync(key, 0o640)
    const open = await examine({ DATA_DIR: idle })
    assert.match(open.said, new RegExp(`^FAIL secrets: .*${file} has mode 0640, .*chmod 600`, 'm'))
    assert.ok(!open.said.includes('a-secret-of-the-operator'))
    chmodSync(key, 0o600)
    assert.match((await examine({ DATA_DIR: idle })).said, new RegExp(`^ok   secrets: .*${file} has mode 0600$`, 'm'))
    rmSync(key)
  }
})

test('a start warns once of each secret that other users can read', async t => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const made = await startServer(path)
  assert.equal((await made.stop()).stderr, '')
  chmodSync(join(path, 'log-key'), 0o644)
  const exposed = await startServer(path)
  const { stderr } = await exposed.stop()
  assert.equal(
    stderr.match(/log-key has mode 0644, so other users can read the secret; run chmod 600/g)?.length,
    1,
    stderr,
  )
})

test('a wrong setting is a failure, and the other checks continue', async () => {
  const { code, said } = await examine({ DATA_DIR: idle, PORT: 'high' })
  assert.equal(code, 1)
  assert.match(said, /^FAIL configuration: PORT must be /m)
  assert.match(said, /^ok {3}integrity: /m)
})

test('a file in place of the directory is a failure', async () => {
  const file = join(directory.path, 'file')
  writeFileSync(file, '')
  assert.match((await examine({ DATA_DIR: file })).said, /^FAIL data directory: .* is a file; set DATA_DIR/m)
})

test('a data directory in memory is a warning', {
  skip: !isInMemory(MEMORY) && `SKIPPED: ${MEMORY} is not in memory here`,
}, async t => {
  const inMemory = mkdtempSync(join(MEMORY, 'palimpsest-test-'))
  t.after(() => rmSync(inMemory, { recursive: true }))
  const { code, said } = await examine({ DATA_DIR: inMemory })
  assert.equal(code, 0)
  assert.match(said, /^warn file system: .* is on tmpfs, which is in memory: .*; set DATA_DIR to a local disk/m)
})

test('a disk that syncs slowly is a warning that names its page', { skip: NO_SHIM }, async () => {
  const shim = String(compileShim(directory.path))
  const env = { DATA_DIR: idle, LD_PRELOAD: shim, SHIM_DELAY_MS: '110' }
  assert.match(
    (await examine(env, palimpsest)).said,
    /^warn synced write: \d+\.\d ms, and each commit needs one; use a faster disk.*; see docs\/operating\.md#disk-slow$/m,
  )
})

/** Serves a certificate of `localhost` over TLS, and runs the doctor with that address as PUBLIC_URL. */
async function examineCertificate(from: number, to: number, isTrusted = false): Promise<string> {
  const { key, cert } = selfSigned({ name: 'localhost', from, to })
  const server = createTlsServer({ key, cert })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const file = join(directory.path, 'authority.pem')
  writeFileSync(file, cert)
  const env = { DATA_DIR: idle, PUBLIC_URL: `https://localhost:${(server.address() as AddressInfo).port}` }
  try {
    const { said } = await (isTrusted ? examine({ ...env, NODE_EXTRA_CA_CERTS: file }, palimpsest) : examine(env))
    return /^.* certificate: .*$/m.exec(said)?.[0] ?? said
  } finally {
    server.close()
  }
}

test('an expired certificate of PUBLIC_URL is a failure that names its page, one that was not renewed a warning', async () => {
  const [now, day] = [Date.now(), 86_400_000]
  const page = /; see docs\/operating\.md#certificate-expired$/
  const expired = await examineCertificate(now - 90 * day, now - day)
  assert.match(expired, /^FAIL certificate: that of localhost expired on .*; renew it and reload the proxy/)
  assert.match(expired, page)
  const late = await examineCertificate(now - 80 * day, now + 10 * day)
  assert.match(late, /^warn certificate: that of localhost is valid for 9 days, and was not renewed; renew it/)
  assert.match(late, page)
  assert.match(await examineCertificate(now - day, now + 89 * day), /^warn .*, and not trusted here: \w+; see/)
  assert.match(await examineCertificate(now - day, now + 89 * day, true), /^ok {3}certificate: .* valid for 88 days$/)
  const nowhere = await examine({ DATA_DIR: idle, PUBLIC_URL: `https://127.0.0.1:${await freePort()}` })
  assert.match(
    nowhere.said,
    /^warn certificate: unknown, because .* cannot be reached over TLS .*; see that the proxy/m,
  )
})

/** A store that a service has served for a while, and the file of its public log. */
async function stoppedStore(name: string): Promise<string> {
  const path = join(directory.path, name)
  const served = await startApp({ DATA_DIR: path, TLOG_INTERVAL_SECONDS: '0.05' }, { engine: 'embedded' })
  const { token } = await newActor(served.url)
  await newEntry(served.url, token)
  await eventually('a checkpoint', 60_000, async () => existsSync(join(path, 'log-head')) || undefined)
  await served.close()
  return path
}

test('a missing key, and another key than that of the last start, are failures before the next start', async () => {
  const path = await stoppedStore('keys')
  assert.match((await examine({ DATA_DIR: path })).said, /^ok {3}keys: those of the last start$/m)
  for (const name of ['log-key', 'origin-key']) {
    const file = join(path, name)
    renameSync(file, `${file}.away`)
    const lost = new RegExp(
      `^FAIL keys: .*${name} missing; put the earlier key back .*; see docs/operating\\.md#key-lost$`,
      'm',
    )
    assert.match((await examine({ DATA_DIR: path })).said, lost)
    renameSync(`${file}.away`, file)
  }
  const ORIGIN_KEY = 'another-key-of-origins'
  assert.match(
    (await examine({ DATA_DIR: path, ORIGIN_KEY })).said,
    /^FAIL keys: the origin key is not that of the last/m,
  )
  assert.match((await examine({ DATA_DIR: path })).said, /^ok {3}public log: the next start continues it$/m)
})

test('a public log that the next start would not continue is a failure that names its page', async () => {
  const path = await stoppedStore('forked')
  const store = new DatabaseSync(join(path, 'palimpsest.db'))
  store.exec(`UPDATE log SET root = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='`)
  store.close()
  assert.match(
    (await examine({ DATA_DIR: path })).said,
    /^FAIL public log: the next start begins another one: the store has other records .*; see docs\/operating\.md#log-forked$/m,
  )
})

test('a directory that has lost its store is a failure that names the restore', async () => {
  const path = await stoppedStore('lost')
  rmSync(join(path, 'palimpsest.db'))
  assert.match(
    (await examine({ DATA_DIR: path })).said,
    /^FAIL store: There was a store in .*palimpsest restore.*; see docs\/operating\.md#machine-lost$/m,
  )
})

test('a row with a future time means a wrong clock', async () => {
  const ahead = join(directory.path, 'ahead')
  expectDone(await inProcess(['load', '--from', '-', '--data-dir', ahead], { input: linesOf(STORY) }))
  const store = new DatabaseSync(join(ahead, 'palimpsest.db'))
  store.exec('UPDATE activity SET created_at = created_at + 3600000')
  store.close()
  assert.match((await examine({ DATA_DIR: ahead })).said, /^FAIL clock: .* is 3\d{3} s before the newest row/m)
})

/** The rows of the doctor that are not ok, for a directory whose store was made by `make`. */
async function troublesOf(name: string, make: (file: string) => void): Promise<string[]> {
  const path = join(directory.path, name)
  mkdirSync(path)
  make(join(path, 'palimpsest.db'))
  const { said } = await examine({ DATA_DIR: path })
  return said.split('\n').filter(line => /^(?:warn|FAIL) (?!free space|file system|web pages)/.test(line))
}

const changed =
  (from: string, change: string) =>
  (file: string): void => {
    if (from !== '') copyFileSync(join(from, 'palimpsest.db'), file)
    const store = new DatabaseSync(file)
    store.exec(change)
    store.close()
  }

test('a store that cannot be read is one row with the remedy', async () => {
  const broken = await troublesOf('broken', file => writeFileSync(file, 'no database '.repeat(500)))
  assert.equal(broken.length, 1, broken.join('\n'))
  assert.match(
    broken[0] ?? '',
    /^FAIL schema: .*not a readable Palimpsest store .*; name another file; see docs\/operating\.md#upgrade-failed$/,
  )
  for (const [name, table] of [
    ['foreign', 'customers (name)'],
    ['foreign-steps', 'migration (id)'],
    ['foreign-head', 'head (id)'],
  ] as const) {
    const rows = await troublesOf(name, changed('', `CREATE TABLE ${table}`))
    assert.equal(rows.length, 1, rows.join('\n'))
    assert.match(
      rows[0] ?? '',
      /^FAIL schema: .*palimpsest\.db .*a database of another program.*; name another file; see docs\/operating\.md#upgrade-failed$/,
    )
  }
})

test('a store of another version is one row with the remedy', async () => {
  const later = `INSERT INTO migration (number, name, applied_at) VALUES (999, 'later', 0)`
  const newer = await troublesOf('newer', changed(idle, later))
  assert.equal(newer.length, 1, newer.join('\n'))
  assert.match(
    newer[0] ?? '',
    /^FAIL schema: .*999 \(later\), which this version does not have; run the version that wrote it/,
  )
  assert.doesNotMatch(newer[0] ?? '', /"$/)
})

test('the database of another program in a data directory is not served, and not changed', async () => {
  await troublesOf('unserved', changed('', 'CREATE TABLE customers (name)'))
  const foreign = join(directory.path, 'unserved')
  const ended = await palimpsest(['serve'], { env: { DATA_DIR: foreign, PORT: '0', LOG_LEVEL: 'silent' } })
  assert.equal(ended.code, 1)
  assert.match(ended.stderr, /^The store failed: .*palimpsest\.db is a database of another program; set DATA_DIR/)
  const store = new DatabaseSync(join(foreign, 'palimpsest.db'))
  assert.deepEqual(
    store
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map(({ name }) => name),
    ['customers'],
  )
  store.close()
})
