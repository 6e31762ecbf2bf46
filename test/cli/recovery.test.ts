import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Activity, ActorIssued, Entry } from '../../src/contract/resources.ts'
import { SEQUENCE_GAP } from '../../src/memory/head-rows.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, callPatiently, expectStatus } from '../support/client.ts'
import { type Cluster, createDatabase, findBinaries, startCluster, withClient } from '../support/cluster.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { eventually, makeDirectory } from '../support/process.ts'
import { expectDone, expectRefusal, linesOf, palimpsest, STORY } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
const binaries = findBinaries()
const options = { skip: binaries === undefined && NO_POSTGRES }
/** How long a condition is waited for, in milliseconds. */
const PATIENCE = 60_000
const directory = makeDirectory()
let cluster: Cluster | undefined
after(async () => {
  await cluster?.close()
  directory.remove()
})

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
/** The tables that the guide omits from a dump. */
const DUMP_FLAGS = GUIDE.match(/--exclude-table-data=\w+/g) ?? []
const program = (name: string, args: readonly string[]): void => {
  execFileSync(join(binaries ?? '', name), args, { stdio: 'pipe' })
}

async function publish(node: TestApp, title: string): Promise<{ entry: Entry; sequence: number }> {
  const { token } = expectStatus(
    await call<ActorIssued>(node.url, 'POST', '/api/actors', {
      body: {},
      headers: { 'idempotency-key': randomUUID() },
    }),
    201,
  )
  const body = { title, summary: 'A summary', content: `Of the ${title}`, tags: [] }
  const entry = expectStatus(await call<Entry>(node.url, 'POST', '/api/entries', { body, token }), 201)
  const feed = expectStatus(await call<{ items: Activity[] }>(node.url, 'GET', '/api/activity?limit=1'), 200)
  return { entry, sequence: Number(feed.items[0]?.sequence) }
}

const startNode = (name: string, url: string): Promise<TestApp> =>
  startApp({ DATA_DIR: join(directory.path, name), DATABASE_URL: url }, { engine: 'embedded' })

test(
  'a standby is verified and watched; a dump without secrets becomes a store that assigns no number twice',
  options,
  async () => {
    cluster = await startCluster(binaries ?? '')
    const { url } = await createDatabase(cluster.url('postgres'))
    const from = join(directory.path, 'store')
    expectDone(await inProcess(['load', '--from', '-', '--data-dir', from], { input: linesOf(STORY) }))
    expectDone(await inProcess(['copy', '--from', from, '--to', url]))
    const node = await startNode('node', url)
    const { sequence } = await publish(node, 'newt')

    const standby = (await cluster.standby()).url(new URL(url).pathname.slice(1))
    const onStandby = { env: { DATABASE_URL: standby } }
    assert.match(expectDone(await palimpsest(['check'], onStandby)), /entries +3$/m)
    expectRefusal(await inProcess(['migrate'], onStandby), 1, /is a standby, which only reads; name its primary/)
    expectRefusal(await inProcess(['copy', '--from', from, '--to', standby]), 1, /is a standby/)
    const watched = { DATABASE_URL: url, DATABASE_READ_URL: standby, DATA_DIR: join(directory.path, 'node') }
    await eventually('the standby catches up on a busy machine', PATIENCE, async () => {
      const report = expectDone(await inProcess(['doctor'], { env: watched }))
      return /^ok {3}standby: \d+ ms after its primary$/m.test(report) || undefined
    })

    const dump = join(directory.path, 'store.dump')
    program('pg_dump', ['-Fc', '-Z0', ...DUMP_FLAGS, '-f', dump, url])
    await node.close()
    const secrets = await withClient(url, async client => [
      ...(await client.query('SELECT value FROM secret')).rows.map(row => String(row.value)),
      ...(await client.query('SELECT salt FROM origin_salt')).rows.map(row => String(row.salt)),
      ...(await client.query('SELECT answer FROM retry')).rows.map(row => String(row.answer)),
    ])
    assert.ok(secrets.length >= 3)
    const dumped = readFileSync(dump)
    assert.ok(dumped.includes('Of the newt'))
    assert.deepEqual(
      secrets.filter(secret => dumped.includes(secret)),
      [],
    )

    const restored = (await createDatabase(cluster.url('postgres'))).url
    program('pg_restore', ['--no-owner', '-d', restored, dump])
    const clean = /^psql .* -c '(.*)'$/m.exec(GUIDE)?.[1] ?? ''
    await withClient(restored, client => client.query(clean))
    expectDone(await inProcess(['check'], { env: { DATABASE_URL: restored } }))
    const again = await startNode('again', restored)
    const after = await publish(again, 'toad')
    assert.ok(after.sequence > sequence + SEQUENCE_GAP, `${after.sequence} after ${sequence}`)
    const found = await callPatiently<{ items: Entry[] }>(again.url, 'GET', '/api/search?q=newt')
    assert.equal(expectStatus(found, 200).items.length, 1)

    const asIfPutBack = /`(UPDATE cluster SET [^`]*)`/.exec(GUIDE)?.[1] ?? ''
    await withClient(restored, client => client.query(asIfPutBack))
    assert.ok((await publish(again, 'crow')).sequence > after.sequence + SEQUENCE_GAP)
    await again.close()
  },
)
