import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { fill } from '../support/full-disk.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { mountSmallDisk, NO_MOUNT } from './tools.ts'

const PATIENCE = 60_000
const directory = makeDirectory()
const disk = join(directory.path, 'disk')
const unmount = mountSmallDisk(disk, '16m')
process.on('exit', () => {
  if (unmount !== false) unmount()
  directory.remove()
})

const DROPPED = 'palimpsest_log_lines_dropped_total'
async function droppedLines(server: ServerProcess): Promise<number> {
  const { text } = await call(server.url, 'GET', '/metrics', { headers: AS_ADMIN })
  return Number(new RegExp(`^${DROPPED} (\\d+)$`, 'm').exec(text)?.[1])
}

/** Starts a service whose standard error goes to a file, with a line for every request. */
const startLogging = (file: string): Promise<ServerProcess> =>
  startServer(join(disk, 'data'), {
    env: { LOG_LEVEL: 'debug' },
    wrap: ['sh', '-c', `exec "$@" 2>"${file}"`, 'sh'],
  })

test('with its log and its data on one full disk a service answers, drops and counts lines, and recovers with free space', {
  skip: NO_MOUNT,
}, async () => {
  const log = join(disk, 'log')
  const server = await startLogging(log)
  try {
    const { token } = await newActor(server.url)
    const { slug } = await newEntry(server.url, token)
    assert.equal(await droppedLines(server), 0)
    const ballast = fill(disk, 0)
    const body = { title: 'Refused', summary: 'Refused', content: 'refused '.repeat(2_000) }
    const lost = await eventually('lines are dropped and writes refused', PATIENCE, async () => {
      for (let n = 0; n < 50; n++) {
        expectStatus(await call(server.url, 'GET', '/health'), 200)
        expectStatus(await call(server.url, 'GET', `/api/entries/${slug}`), 200)
      }
      const refused = (await call(server.url, 'POST', '/api/entries', { body, token })).status === 503
      const dropped = await droppedLines(server)
      return refused && dropped > 0 ? dropped : undefined
    })
    expectProblem(await call(server.url, 'POST', '/api/entries', { body, token }), 503, 'STORE_UNAVAILABLE')

    rmSync(ballast)
    await eventually('writes again', PATIENCE, async () => {
      const { status } = await call(server.url, 'POST', '/api/entries', { body, token })
      return status === 201 || undefined
    })
    const logged = await eventually('the log says how much it lost', PATIENCE, async () => {
      expectStatus(await call(server.url, 'GET', '/health'), 200)
      return /^\{.*"dropped":(\d+).*"msg":"log lines were dropped/m.exec(readFileSync(log, 'utf8')) ?? undefined
    })
    assert.ok(Number(logged[1]) >= lost, `${logged[1]} logged, ${lost} counted`)
  } finally {
    await server.stop()
  }
  assert.equal((await server.ended).code, 0)
  // At most the line that the full disk cut off is no JSON.
  const torn = readFileSync(log, 'utf8')
    .split('\n')
    .filter(line => !/^(?:\{.*\})?$/.test(line))
  assert.ok(torn.length <= 1, torn.join('\n'))
})

test('a log that no process reads delays no request and no stop', async t => {
  const apart = makeDirectory()
  t.after(apart.remove)
  const pipe = join(apart.path, 'log')
  const server = await startServer(join(apart.path, 'data'), {
    env: { LOG_LEVEL: 'debug' },
    wrap: ['sh', '-c', `mkfifo "${pipe}" && exec 3<>"${pipe}" && exec "$@" 2>"${pipe}"`, 'sh'],
  })
  for (let n = 0; (await droppedLines(server)) === 0; n++) {
    assert.ok(n < 10_000)
    await Promise.all(Array.from({ length: 50 }, () => call(server.url, 'GET', '/health')))
  }
  assert.equal((await server.stop()).code, 0)
})
