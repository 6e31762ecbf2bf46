import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import {
  MIRRORED_ENV,
  type Mirrored,
  readOwnWrites,
  NO_HAPROXY as skip,
  startBalancer,
  startGate,
  startMirrored,
} from '../support/mirrored.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory, spawnService } from '../support/process.ts'

let served: Mirrored
before(async () => {
  if (skip === false) served = await startMirrored(2)
})
after(() => served?.close())

test('clients that write and read through one address never miss their own writes, and mirrors answer them', {
  skip,
}, async context => {
  const { reads, repeated, stale } = await readOwnWrites(served.url, 4, 4)
  assert.deepEqual(stale, [])
  assert.equal(reads - repeated, 32)
  const { answered, writer, mirrors } = served
  for (const mirror of mirrors) assert.ok((await answered(mirror, 'readEntry')) > 0)
  assert.equal(await answered(writer, 'readEntry'), 0)
  context.diagnostic(`${reads} reads, ${repeated} of them repeated after 503`)
})

test('a write, a page with a form and a read with a token go to the writer', { skip }, async () => {
  const { url, writer, answered } = served
  const { token } = await newActor(url)
  const { slug } = await newEntry(url, token)
  const before = await answered(writer, 'readEntry')
  expectStatus(await call(url, 'GET', `/api/entries/${slug}`, { token }), 200)
  assert.equal(await answered(writer, 'readEntry'), before + 1)
  const page = await fetch(`${url}/publish`, { redirect: 'manual' })
  assert.equal(page.status, 200)
})

const PATIENCE = 60_000

test('a mirror is not ready before its first complete copy and while it lags, and gets no reader', {
  skip,
}, async context => {
  const { writer } = served
  const { slug } = await newEntry(writer.url, (await newActor(writer.url)).token)
  const [gate, port, { path: directory, remove }] = [await startGate(writer.url), await freePort(), makeDirectory()]
  const url = `http://127.0.0.1:${port}`
  const mirror = spawnService(['mirror', gate.url, '--serve', '--data-dir', directory], {
    env: { ...MIRRORED_ENV, PORT: String(port), METRICS_PORT: String(port + 1), MIRROR_LAG_SECONDS: '10' },
  })
  const balancer = await startBalancer(writer.url, [url])
  context.after(async () => {
    balancer.kill()
    mirror.child.kill('SIGTERM')
    await mirror.ended
    gate.close()
    remove()
  })
  const isReady = (expected: number) => async () =>
    (await call(url, 'GET', '/ready').catch(() => undefined))?.status === expected || undefined
  const metric = async (name: string): Promise<number> => {
    const { text } = await call(`http://127.0.0.1:${port + 1}`, 'GET', '/metrics')
    return Number(new RegExp(`^palimpsest_${name} (.*)$`, 'm').exec(text)?.[1])
  }
  const read = async (): Promise<void> => {
    for (let n = 0; n < 4; n++) expectStatus(await call(balancer.url, 'GET', `/api/entries/${slug}`), 200)
  }
  await eventually('the mirror that copies is not ready', PATIENCE, isReady(503))
  expectStatus(await call(url, 'GET', `/api/entries/${slug}`), 404)
  await read()
  assert.ok((await metric('mirror_lag_seconds')) > 0)
  assert.doesNotMatch(mirror.output.stdout, /ready at/)

  gate.open()
  await eventually('the mirror is ready', PATIENCE, isReady(200))
  assert.ok((await metric('mirror_sequence')) > 0)
  assert.equal(await metric('mirror_sequence'), await metric('mirror_original_sequence'))
  await read()

  gate.shut()
  await eventually('the mirror that lags is not ready', PATIENCE, isReady(503))
  assert.ok((await metric('mirror_lag_seconds')) > 10)
  await newEntry(writer.url, (await newActor(writer.url)).token)
  gate.open()
  await eventually('the mirror is ready again', PATIENCE, isReady(200))
})

test('without mirrors the writer answers reads', { skip }, async () => {
  const { url, mirrors } = served
  for (const mirror of mirrors.splice(0)) {
    mirror.kill('SIGKILL')
    await mirror.ended
  }
  const { reads, stale } = await readOwnWrites(url, 1, 2)
  assert.ok(reads >= 4)
  assert.deepEqual(stale, [])
})
