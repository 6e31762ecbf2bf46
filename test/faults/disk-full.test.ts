import assert from 'node:assert/strict'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, expectProblem, expectStatus, newActor } from '../support/client.ts'
import { assertWhole, inspect } from '../support/integrity.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { mountSmallDisk } from './tools.ts'

const directory = makeDirectory()
const disk = join(directory.path, 'disk')
const ballast = join(disk, 'ballast')
const unmount = mountSmallDisk(disk, '16m')

const bodyOf = (n: number) => ({
  title: `Note ${n}`,
  summary: 'A note',
  content: `walrus ${n} ${'word '.repeat(3_000)}`,
})

/** Takes all the space that is left. */
function fill(): void {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize), 1))
}

async function untilFull(server: ServerProcess, token: string): Promise<number> {
  for (let n = 0; n < 2_000; n++) {
    const answer = await call(server.url, 'POST', '/api/entries', { body: bodyOf(n), token })
    if (answer.status === 201) continue
    expectProblem(answer, 503, 'STORE_UNAVAILABLE')
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    return n
  }
  throw new Error('The disk never filled.')
}

test('on a full disk writes are refused and reads go on; with space again it recovers by itself', {
  skip: unmount === false && 'no small disk can be mounted',
}, async () => {
  const server = await startServer(join(disk, 'data'))
  try {
    const { token } = await newActor(server.url)
    for (let round = 0; round < 2; round++) {
      fill()
      const kept = await untilFull(server, token)
      for (let again = 0; again < 5; again++) {
        const body = { title: 'Refused', summary: 'Refused', content: `${'refused '.repeat(2_000)}` }
        expectProblem(await call(server.url, 'POST', '/api/entries', { body, token }), 503, 'STORE_UNAVAILABLE')
      }
      expectProblem(await call(server.url, 'GET', '/ready'), 503, 'NOT_READY')
      expectStatus(await call(server.url, 'GET', '/health'), 200)
      for (const path of [
        '/api/entries',
        '/api/entries?sort=evolution',
        '/api/activity',
        '/api/stats',
        '/api/discovery',
      ]) {
        expectStatus(await call(server.url, 'GET', path), 200)
      }
      const found = await call<{ items: unknown[] }>(server.url, 'GET', '/api/entries?q=refused')
      if (found.status === 200) assert.deepEqual(found.body.items, [])
      else expectProblem(found, 503, 'NOT_READY')

      rmSync(ballast)
      await eventually('ready again', 5_000, async () =>
        (await call(server.url, 'GET', '/ready')).status === 200 ? true : undefined,
      )
      const body = { title: `Back ${round}`, summary: 'Back', content: `recovered${round} after ${kept}` }
      expectStatus(await call(server.url, 'POST', '/api/entries', { body, token }), 201)
      const search = await call<{ items: { title: string }[] }>(server.url, 'GET', `/api/entries?q=recovered${round}`)
      assert.deepEqual(
        expectStatus(search, 200).items.map(({ title }) => title),
        [`Back ${round}`],
      )
    }
    await inspect(server.dataDir, assertWhole)
  } finally {
    server.kill('SIGTERM')
    await server.ended
  }
  assert.equal((await server.ended).code, 0)
})

process.on('exit', () => {
  if (unmount !== false) unmount()
  directory.remove()
})
