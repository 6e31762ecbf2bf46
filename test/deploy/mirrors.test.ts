import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { type Mirrored, readOwnWrites, NO_HAPROXY as skip, startMirrored } from '../support/mirrored.ts'

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
