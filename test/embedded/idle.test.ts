import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ADMIN_TOKEN } from '../support/app.ts'
import { call, expectStatus, newActor } from '../support/client.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'

/** How long wake-ups are counted, in milliseconds, and how long the service may take until it is idle. */
const WINDOW = 3_000
const PATIENCE = 60_000
/** The timers of an idle service: once a second the times of connections, the files, the disk, the clock and the public log. */
const WAKE_UPS = 10
const options = { skip: process.platform !== 'linux' && 'needs /proc' }

const directory = makeDirectory()
let server: ServerProcess
before(async () => {
  if (options.skip === false) server = await startServer(`${directory.path}/data`, { env: { LOG_LEVEL: 'info' } })
})
after(async () => {
  await server?.stop()
  directory.remove()
})

/** How often each thread of a process has waited for something, by thread. A thread that a busy core interrupts does not wait. */
function waitsOf(pid: number): Map<string, number> {
  const tasks = `/proc/${pid}/task`
  const counted = readdirSync(tasks).flatMap((thread): [string, number][] => {
    try {
      const status = readFileSync(`${tasks}/${thread}/status`, 'utf8')
      return [[thread, Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1])]]
    } catch {
      // The thread has ended.
      return []
    }
  })
  return new Map(counted)
}

/** The wake-ups of all threads in a second. */
async function wakeUpsOf(pid: number): Promise<number> {
  const began = performance.now()
  const before = waitsOf(pid)
  await setTimeout(WINDOW)
  const seconds = (performance.now() - began) / 1_000
  return [...waitsOf(pid)].reduce((sum, [thread, waits]) => sum + waits - (before.get(thread) ?? waits), 0) / seconds
}

/** Waits until the service wakes up at most so often. */
async function assertIdle(most: number): Promise<void> {
  const seen: number[] = []
  await eventually(`at most ${most} wake-ups in a second`, PATIENCE, async () => {
    seen.push(Math.round(await wakeUpsOf(server.pid)))
    return (seen.at(-1) as number) <= most || undefined
  }).catch(error => assert.fail(`${(error as Error).message} Counted: ${seen.join(', ')}`))
}

test(
  'a service without requests wakes up a few times a second, also after requests of every kind',
  options,
  async () => {
    await assertIdle(WAKE_UPS)
    const { token } = await newActor(server.url)
    const body = { title: 'Tea', summary: 'Green.', content: 'Steep it at 80 degrees.' }
    expectStatus(await call(server.url, 'POST', '/api/entries', { token, body }), 201)
    expectStatus(await call(server.url, 'GET', '/api/find?q=degrees'), 200)
    expectStatus(await call(server.url, 'GET', '/api/search?q=nothing+of+it'), 200)
    expectStatus(await call(server.url, 'GET', '/api/entries/none'), 404)
    await assertIdle(WAKE_UPS)
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    expectStatus(await call(server.url, 'GET', '/metrics', { headers }), 200)
    await assertIdle(WAKE_UPS)
  },
)
