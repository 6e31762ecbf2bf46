import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { type Cluster, createDatabase, findBinaries, startCluster, withClient } from '../support/cluster.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { eventually, makeDirectory, spawnService } from '../support/process.ts'

const binaries = findBinaries()
const withServer = { skip: binaries === undefined && NO_POSTGRES }
const directory = makeDirectory()
let cluster: Cluster | undefined
after(async () => {
  await cluster?.close()
  directory.remove()
})

const serve = (name: string, url: string, env: Record<string, string> = {}) =>
  spawnService(['serve'], { env: { DATABASE_URL: url, DATA_DIR: `${directory.path}/${name}`, ...env } })

test('a node that starts before the database waits, and serves and logs once that is up', withServer, async () => {
  cluster = await startCluster(binaries ?? '')
  const { url } = await createDatabase(cluster.url('postgres'))
  await cluster.stop('fast')
  const { child, output, ended } = serve('early', url, { TLOG_INTERVAL_SECONDS: '3600' })
  const base = await eventually('it listens', 60_000, async () => /at (http:\S+)/.exec(output.stdout)?.[1])
  assert.match(output.stdout, /waiting for the database/)
  expectStatus(await call(base, 'GET', '/health'), 200)
  const { headers } = expectProblem(await call(base, 'GET', '/ready'), 503, 'NOT_READY')
  assert.equal(headers.get('reason'), 'waiting for the database')
  await eventually('the reason is logged', 60_000, async () =>
    output.stderr.includes('"code":"NOT_READY","reason":"waiting for the database"') ? true : undefined,
  )
  expectProblem(await call(base, 'GET', '/api/entries'), 503, 'STORE_UNAVAILABLE')
  await cluster.start()
  await eventually('it is ready', 60_000, async () => (await call(base, 'GET', '/ready')).status === 200 || undefined)
  await newEntry(base, (await newActor(base)).token)
  // An epoch of the log gives each record a salt, however long the interval between two checkpoints is.
  await eventually('the log has begun', 60_000, async () =>
    (await call(base, 'GET', '/api/export')).text.includes('"salt"') ? true : undefined,
  )
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})

test('a start continues after its session is lost while nodes share their secrets', { skip: NO_POSTGRES }, async t => {
  const url = new URL(await databaseOf('cut secrets'))
  const proxy = await startCuttingProxy(Number(url.port))
  t.after(() => proxy.close())
  url.port = String(proxy.port)
  const cuts = proxy.cut('secret').then(() => proxy.cut('secret'))
  const { child, output, ended } = serve('cut-secrets', url.href)
  const base = await eventually('it listens', 60_000, async () => /at (http:\S+)/.exec(output.stdout)?.[1])
  await eventually('it is ready', 60_000, async () => (await call(base, 'GET', '/ready')).status === 200 || undefined)
  await cuts
  expectStatus(await call(base, 'POST', '/api/actors', { body: {} }), 201)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})

test('a database that was read-only for a while is written to and searched again', {
  skip: NO_POSTGRES,
}, async () => {
  const url = await databaseOf('only reads')
  // Every write is counted separately, in a session that is opened in between.
  const { child, output, ended } = serve('only-reads', url, { WRITE_LIMIT_PER_MINUTE: '1000' })
  const base = await eventually('it is ready', 60_000, async () => /ready at (http:\S+)/.exec(output.stdout)?.[1])
  const write = async () => (await call(base, 'POST', '/api/actors', { body: {} })).status
  const search = async () => (await call(base, 'GET', '/api/search?q=fox')).status
  const onlyReads = (value: string) =>
    withClient(url, async client => {
      await client.query('SET default_transaction_read_only = off')
      await client.query(
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${value}`,
      )
    })
  assert.equal(await write(), 201)
  await onlyReads('on')
  await withClient(url, client =>
    client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ),
  )
  await eventually(
    'it is not ready',
    60_000,
    async () => (await call(base, 'GET', '/ready')).status === 503 || undefined,
  )
  for (let again = 0; again < 3; again++) assert.equal(await write(), 503)
  await onlyReads('off')
  await eventually('it writes again', 60_000, async () => (await write()) === 201 || undefined)
  await eventually('it finds again', 60_000, async () => (await search()) === 200 || undefined)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})

const REFUSED = [
  ['that would acknowledge what it can lose', (name: string) => `ALTER DATABASE ${name} SET synchronous_commit = off`],
  [
    'of encoding SQL_ASCII',
    (name: string) =>
      `DROP DATABASE ${name}; CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
  ],
] as const
for (const [sentence, change] of REFUSED) {
  test(`a database is refused with the remedy when it is one ${sentence}`, { skip: NO_POSTGRES }, async () => {
    const url = await databaseOf(sentence)
    const server = new URL(url)
    server.pathname = '/postgres'
    for (const statement of change(new URL(url).pathname.slice(1)).split('; ')) {
      await withClient(server.href, client => client.query(statement))
    }
    const { code, stderr } = await serve('refused', url).ended
    assert.equal(code, 1)
    assert.match(
      stderr.trimEnd().split('\n').at(-1) ?? '',
      new RegExp(`^PostgreSQL at DATABASE_URL .*${sentence.replace('that ', '')}.*; `),
    )
  })
}
