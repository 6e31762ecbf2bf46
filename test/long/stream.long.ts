import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { STREAMS } from '../../src/contract/limits.ts'
import type { Activity } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { allPages, columnOf, newActor, newEntry } from '../support/client.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { withNodes, writeThrough } from '../support/nodes.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { assertInOrder, openStream, type Stream } from '../support/streams.ts'

const WRITERS = 4
const CONSUMER = join(import.meta.dirname, 'stream-consumer.ts')
const CAUGHT_UP_WITHIN = 30_000

type Followed = { rows: number; kills: number; slowest: number }

/**
 * Kills a consumer `kills` times, at each node in turn, while writers write through all nodes. Asserts that it stored the feed, each row
 * once and in order. `slowest` is the longest time in milliseconds until it stored a row that existed at its start.
 */
async function consumerRounds(
  urls: readonly string[],
  kills: number,
  random: ReturnType<typeof seededRandom>,
): Promise<Followed> {
  const directory = makeDirectory()
  const file = join(directory.path, 'feed')
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [])
  let consumer: ChildProcess | undefined
  const start = (round: number): void => {
    consumer = spawn(process.execPath, [CONSUMER, urls[round % urls.length] ?? '', file], { stdio: 'ignore' })
  }
  const kill = async (): Promise<void> => {
    if (consumer === undefined || consumer.exitCode !== null || consumer.signalCode !== null) return
    consumer.kill('SIGKILL')
    await once(consumer, 'exit')
  }
  const writing = writeThrough(urls, WRITERS, 'stream')
  let slowest = 0
  try {
    for (let round = 0; round < kills; round += 1) {
      const before = lines().length
      const began = performance.now()
      start(round)
      await eventually('the consumer goes on', CAUGHT_UP_WITHIN, async () =>
        lines().length > before ? true : undefined,
      )
      slowest = Math.max(slowest, performance.now() - began)
      await setTimeout(random.below(300))
      assert.equal(consumer?.exitCode, null, 'the consumer lives until it is killed')
      await kill()
    }
    await writing.stop()
    const feed = (await allPages<Activity>(String(urls[0]), '/api/activity')).reverse()
    start(kills)
    await eventually('the consumer has all', CAUGHT_UP_WITHIN, async () =>
      lines().length >= feed.length ? true : undefined,
    )
    assert.deepEqual(
      lines(),
      feed.map(({ sequence, id }) => `${sequence} ${id}`),
    )
    return { rows: feed.length, kills, slowest }
  } finally {
    await writing.stop()
    await kill()
    directory.remove()
  }
}

const KILLS = 50

const report = (t: TestContext, { rows, kills, slowest }: Followed): void =>
  t.diagnostic(`${rows} rows, ${kills} kills, nothing missed or repeated; slowest to go on ${Math.round(slowest)} ms`)

test('a consumer that is killed 50 times under load misses nothing and repeats nothing', async t => {
  const directory = makeDirectory()
  t.after(() => directory.remove())
  const server = await startServer(directory.path)
  t.after(() => server.kill('SIGKILL'))
  report(t, await consumerRounds([server.url], KILLS, seededRandom('stream')))
})

test('a consumer that is killed 50 times misses nothing at three nodes in turn', { skip: NO_POSTGRES }, t =>
  withNodes({ count: 3 }, async ({ urls }) =>
    report(t, await consumerRounds(urls, KILLS, seededRandom('stream over nodes'))),
  ),
)

test('a consumer that is killed 50 times misses nothing with a standby', { skip: NO_POSTGRES }, t =>
  withNodes({ count: 3, standby: true }, async ({ urls }) =>
    report(t, await consumerRounds(urls, KILLS, seededRandom('stream from a standby'))),
  ),
)

test('a stream continues when the database is back, and showed only durable rows', { skip: NO_POSTGRES }, () =>
  withNodes({ count: 2 }, async ({ cluster, urls }) => {
    const [url = '', other = ''] = urls
    const stream = await openStream(url, { after: '0' })
    const writing = writeThrough(urls, 2, 'before')
    await stream.until('something is written', events => events.length > 20)
    await cluster.stop('immediate')
    await cluster.start()
    await eventually('the node is ready', 10_000, async () =>
      (await fetch(`${url}/ready`)).status === 200 ? true : undefined,
    )
    await writing.stop()
    const { token } = await newActor(other)
    const { id } = await newEntry(other, token)
    let events = stream.events
    const last = events.at(-1)?.id ?? ''
    const resumed = await openStream(other, { lastEventId: last })
    await resumed.until('the last entry is seen', seen => seen.at(-1)?.data.entryId === id)
    events = events.slice(0, events.findIndex(event => event.id === last) + 1).concat(resumed.events)
    const feed = (await allPages<Activity>(url, '/api/activity')).reverse()
    assert.deepEqual(columnOf(events, 'data'), feed)
    await stream.until('the stream that was open has seen it too', seen => seen.at(-1)?.data.entryId === id)
    stream.close()
    resumed.close()
  }),
)

/** More data than a socket buffers: rows with long titles. */
const LONG_TITLE = '𝄞'.repeat(180)
const ROWS = 12_000
const SILENT = 8
/** Clients that do not read are disconnected within this many milliseconds. */
const CLOSED_WITHIN = 40_000
/** Bytes of memory for each of them: the data buffered in the process, with a margin. */
const BYTES_EACH = 4_000_000

test('clients that never read are disconnected, and take little memory until then', async t => {
  const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
  const sockets: Socket[] = []
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
  const { token } = await newActor(app.url)
  for (let made = 0; made < ROWS; made += 50) {
    await Promise.all(Array.from({ length: 50 }, () => newEntry(app.url, token, { title: LONG_TITLE })))
  }
  const before = process.memoryUsage().rss
  const { port } = new URL(app.url)
  for (let n = 0; n < SILENT; n += 1) {
    const socket = connect(Number(port), '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write('GET /api/activity/stream?after=0 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n')
    sockets.push(socket)
  }
  const place = (): Promise<Stream> => openStream(app.url, { from: '192.0.2.9' })
  await eventually('all places are taken', 5_000, async () => {
    const one = await place()
    one.close()
    return one.status === 429 ? true : undefined
  })
  let most = 0
  const began = performance.now()
  await eventually('a place is free again', CLOSED_WITHIN, async () => {
    most = Math.max(most, process.memoryUsage().rss - before)
    await setTimeout(200)
    const one = await place()
    one.close()
    return one.status === 200 ? true : undefined
  })
  t.diagnostic(`closed after ${Math.round(performance.now() - began)} ms; ${Math.round(most / SILENT / 1_000)} kB each`)
  assert.ok(most < SILENT * BYTES_EACH, `${most} bytes`)
})

test('the maximum number of streams gets every row, one more is refused with a wait, and a silent one gets comments', async t => {
  const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
  const streams: Stream[] = []
  t.after(async () => {
    for (const stream of streams) stream.close()
    await app.close()
  })
  const from = (n: number): string => `10.1.${n >> 8}.${n & 255}`
  for (let n = 0; n < STREAMS.perProcess; n += 50) {
    streams.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, (_, k) =>
          openStream(app.url, { from: from(Math.floor((n + k) / STREAMS.perOrigin)) }),
        ),
      )),
    )
  }
  assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200])
  const full = await openStream(app.url, { from: '10.2.0.1' })
  streams.push(full)
  assert.equal(full.status, 503)
  assert.ok(Number(full.headers['retry-after']) > 0)
  const { token } = await newActor(app.url)
  const made: string[] = []
  for (let n = 0; n < 20; n += 1) made.push((await newEntry(app.url, token)).id)
  const handed = streams.filter(({ status }) => status === 200)
  for (const stream of handed) {
    await stream.until('every row', events => events.length >= made.length)
    assertInOrder(stream.events)
    assert.deepEqual(
      stream.events.map(({ data }) => data.entryId),
      made,
    )
  }
  await handed[0]?.until('a sign of life', () => (handed[0]?.comments() ?? 0) > 0)
  const began = performance.now()
  await app.close()
  t.diagnostic(`${handed.length} streams ended in ${Math.round(performance.now() - began)} ms`)
  for (const stream of handed) assert.equal(await stream.ended, true)
})
