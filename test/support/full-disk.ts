import assert from 'node:assert/strict'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, callPatiently, columnOf, expectProblem, expectStatus } from './client.ts'
import { eventually, type ServerProcess } from './process.ts'

/** Words that no other entry contains, so that the search index grows as fast as the store. */
const wordsOf = (n: number): string =>
  Array.from({ length: 2_000 }, (_, word) => `w${(n * 2_000 + word).toString(36)}`).join(' ')
const bodyOf = (n: number) => ({ title: `Note ${n}`, summary: 'A note', content: wordsOf(n) })

/** Free space of a round, in bytes: none, enough only for the store, enough for store and search index to compete for it. */
export const SLACKS = [0, 100_000, 300_000]

/** Fills a disk except for `slack` bytes. Returns the file that fills it. */
export function fill(disk: string, slack: number): string {
  const ballast = join(disk, 'ballast')
  const { bavail, bsize } = statfsSync(disk)
  try {
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - slack), 1))
  } catch (error) {
    // Other writers may have filled the disk first.
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  }
  return ballast
}

let made = 0
async function untilFull(server: ServerProcess, token: string): Promise<number> {
  for (let n = 0; n < 2_000; n++) {
    const answer = await call(server.url, 'POST', '/api/entries', { body: bodyOf(made++), token })
    if (answer.status === 201) continue
    expectProblem(answer, 503, 'STORE_UNAVAILABLE')
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    return n
  }
  throw new Error('The disk never filled.')
}

/** Maximum time to wait for a condition, in milliseconds. */
const PATIENCE = 60_000
/** How long a service on a full disk is watched, in milliseconds: several attempts of the service to write. */
const STILL_MS = 3_500

/**
 * Fills the disk of a service, checks its answers, frees space, and asserts that the service recovers by itself. Returns the milliseconds
 * from freeing the space until the service was ready.
 */
export async function fullDiskRound(
  server: ServerProcess,
  disk: string,
  slack: number,
  token: string,
): Promise<number> {
  const round = made
  const ballast = fill(disk, slack)
  const isReady = async () => (await call(server.url, 'GET', '/ready')).status === 200
  assert.equal(await isReady(), false, 'a full disk is not ready before any write is refused')
  const kept = await untilFull(server, token)
  for (let again = 0; again < 5; again++) {
    const body = { title: 'Refused', summary: 'Refused', content: `${'refused '.repeat(2_000)}` }
    expectProblem(await call(server.url, 'POST', '/api/entries', { body, token }), 503, 'STORE_UNAVAILABLE')
  }
  // Small writes of the service itself may find space, and do not make it ready.
  for (const until = performance.now() + STILL_MS; performance.now() < until; ) assert.equal(await isReady(), false)
  const ready = await call(server.url, 'GET', '/ready', { headers: { accept: 'text/html' } })
  assert.equal(expectProblem(ready, 503, 'NOT_READY').headers.get('reason'), 'the disk is full')
  await eventually('the reason is logged', PATIENCE, async () =>
    server.stderr().includes('"code":"NOT_READY","reason":"the disk is full"') ? true : undefined,
  )
  expectStatus(await call(server.url, 'GET', '/health'), 200)
  for (const path of ['/api/entries', '/api/entries?sort=evolution', '/api/activity', '/api/stats', '/api/discovery']) {
    expectStatus(await call(server.url, 'GET', path), 200)
  }
  const found = await call<{ items: unknown[] }>(server.url, 'GET', '/api/entries?q=refused')
  if (found.status === 200) assert.deepEqual(found.body.items, [])
  else expectProblem(found, 503, 'NOT_READY')

  rmSync(ballast)
  const began = performance.now()
  await eventually('ready again', PATIENCE, async () => (await isReady()) || undefined)
  const recovered = performance.now() - began
  const body = { title: `Back ${round}`, summary: 'Back', content: `recovered${round} after ${kept}` }
  expectStatus(await call(server.url, 'POST', '/api/entries', { body, token }), 201)
  const search = await callPatiently<{ items: { title: string }[] }>(
    server.url,
    'GET',
    `/api/entries?q=recovered${round}`,
  )
  assert.deepEqual(columnOf(expectStatus(search, 200).items, 'title'), [`Back ${round}`])
  return recovered
}
