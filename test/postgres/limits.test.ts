import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresLimiter } from '../../src/stores/postgres/limiter.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call } from '../support/client.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'

const options = { skip: NO_POSTGRES }
const READS = 120
const WRITES = 10
const PATIENCE = 60_000
const limits = { READ_LIMIT_PER_MINUTE: String(READS), WRITE_LIMIT_PER_MINUTE: String(WRITES) }

const nodesOver = async (name: string, count: number, now = Date.now): Promise<TestApp[]> => {
  const DATABASE_URL = await databaseWithTables(name)
  return Promise.all(Array.from({ length: count }, () => startApp({ DATABASE_URL, ...limits }, { now })))
}

/** Sends `count` requests at once, one node after the other, and counts the answers by status. */
async function spread(urls: readonly string[], count: number, send: (url: string) => Promise<{ status: number }>) {
  const tally: Record<number, number> = {}
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => send(urls[n % urls.length] ?? '')))
  for (const { status } of answers) tally[status] = (tally[status] ?? 0) + 1
  return tally
}
/** A request that is sent again while it is refused as 503: a node on a busy machine waits for the database for two seconds. */
const decided = (send: () => ReturnType<typeof call>) =>
  eventually('an answer other than 503', PATIENCE, async () => {
    const answer = await send()
    return answer.status === 503 ? undefined : answer
  })
const write = (url: string) => decided(() => call(url, 'POST', '/api/actors', { body: {} }))
const read = (url: string) => decided(() => call(url, 'GET', '/api/entries?limit=1'))

test('three nodes together admit exactly the writes of a minute', options, async () => {
  // The clock does not advance: on a busy machine these requests may take longer than a minute.
  const at = Date.now()
  const urls = (await nodesOver('writes of three', 3, () => at)).map(({ url }) => url)
  assert.deepEqual(await spread(urls, 4 * WRITES, write), { 201: WRITES, 429: 3 * WRITES })
})

test('three nodes together admit the reads of a minute, at most a tenth fewer, never more', options, async () => {
  // The clock does not advance: otherwise the lease of a node could expire on a slow machine.
  const at = Date.now()
  const urls = (await nodesOver('reads of three', 3, () => at)).map(({ url }) => url)
  const admitted = (await spread(urls, 3 * READS, read))[200] ?? 0
  assert.ok(admitted <= READS && admitted >= 0.9 * READS, `${admitted} of ${READS}`)
})

test('a killed, restarted or new node resets no limit', options, async t => {
  const DATABASE_URL = await databaseWithTables('refill')
  const directory = makeDirectory()
  t.after(() => directory.remove())
  const env = { DATABASE_URL, ...limits }
  const first = await startServer(`${directory.path}/first`, { env })
  assert.deepEqual(await spread([first.url], WRITES, write), { 201: WRITES })
  await spread([first.url], 2 * READS, read)
  first.kill('SIGKILL')
  await first.ended
  const [again, another] = await Promise.all([
    startServer(`${directory.path}/first`, { env }),
    startServer(`${directory.path}/another`, { env }),
  ])
  for (const { url } of [again, another]) {
    assert.equal((await write(url)).status, 429)
    assert.equal((await read(url)).status, 429)
  }
})

test('a charge whose answer was lost was charged once', options, async t => {
  const name = 'lost charges'
  await nodesOver(name, 1)
  const url = new URL(await databaseWithTables(name))
  const proxy = await startCuttingProxy(Number(url.port))
  url.port = String(proxy.port)
  const limiter = new PostgresLimiter(url.href)
  t.after(async () => {
    await limiter.close()
    await proxy.close()
  })
  const at = Date.now()
  const admit = () => limiter.admit([{ policy: 'write-origin', key: 'write 192.0.2.1', quota: WRITES }], at)
  for (let n = 1; n <= WRITES; n++) {
    const cut = proxy.cut('commit')
    const { admitted, limits } = await admit()
    await cut
    assert.deepEqual([admitted, limits[0]?.remaining], [true, WRITES - n])
  }
  assert.equal((await admit()).admitted, false)
})

/** More than may wait. */
const CROWD = 6_000

test('while the database is away no request waits longer than the first', async t => {
  const limiter = new PostgresLimiter(`postgres://unknown@127.0.0.1:${await freePort()}/nothing`)
  t.after(() => limiter.close())
  const began = performance.now()
  const times = await Promise.all(
    Array.from({ length: CROWD }, async (_, n) => {
      await assert.rejects(async () =>
        limiter.admit([{ policy: 'read-origin', key: `read ${n}`, quota: READS }], Date.now()),
      )
      return performance.now() - began
    }),
  )
  const [first, last] = [Math.min(...times.slice(0, 1)), Math.max(...times)]
  assert.ok(last < 3 * first, `refused after ${Math.round(first)} ms, the last after ${Math.round(last)} ms`)
})
