import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { call, expectProblem, expectStatus } from '../support/client.ts'
import { type Cluster, createDatabase, findBinaries, startCluster, withClient } from '../support/cluster.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { eventually, makeDirectory, spawnService } from '../support/process.ts'

const binaries = findBinaries()
const withServer = { skip: binaries === undefined && 'SKIPPED: there are no programs of PostgreSQL here' }
const directory = makeDirectory()
let cluster: Cluster | undefined
after(async () => {
  await cluster?.close()
  directory.remove()
})

const serve = (name: string, url: string) =>
  spawnService(['serve'], { env: { DATABASE_URL: url, DATA_DIR: `${directory.path}/${name}` } })

test('started before the database is up, a node says so, waits, and serves when it comes', withServer, async () => {
  cluster = await startCluster(binaries ?? '')
  const { url } = await createDatabase(cluster.url('postgres'))
  await cluster.stop('fast')
  const { child, output, ended } = serve('early', url)
  const base = await eventually('it listens', 20_000, async () => /at (http:\S+)/.exec(output.stdout)?.[1])
  assert.match(output.stdout, /waiting for the database/)
  expectStatus(await call(base, 'GET', '/health'), 200)
  assert.equal((await call(base, 'GET', '/ready')).status, 503)
  expectProblem(await call(base, 'GET', '/api/entries'), 503, 'STORE_UNAVAILABLE')
  await cluster.start()
  await eventually('it is ready', 20_000, async () => (await call(base, 'GET', '/ready')).status === 200 || undefined)
  expectStatus(await call(base, 'POST', '/api/actors', { body: {} }), 201)
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
  test(`a database is refused with the mend when it is one ${sentence}`, { skip: NO_POSTGRES }, async () => {
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
