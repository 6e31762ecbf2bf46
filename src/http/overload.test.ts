import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { Exchange } from './exchange.ts'
import { Overload } from './overload.ts'

/** The work of each request, in milliseconds. Four exceed the allowed time of the event loop. */
const WORK = 70
const CLIENTS = 12
/** How long no request arrives, in milliseconds: much longer than the interval of measurements. */
const REST = 500

function work(milliseconds: number): void {
  const { user, system } = process.threadCpuUsage()
  const used = (): number => {
    const now = process.threadCpuUsage()
    return (now.user + now.system - user - system) / 1_000
  }
  while (used() < milliseconds);
}

/** Sends a request on each of the connections and returns their answers in order. */
const ask = (sockets: readonly Socket[], path: string): Promise<string[]> =>
  Promise.all(
    sockets.map(
      socket =>
        new Promise<string>(resolve => {
          socket.once('data', bytes => resolve(bytes.toString()))
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        }),
    ),
  )
const statusesOf = (answers: readonly string[]): number[] => answers.map(answer => Number(answer.slice(9, 12)))

test('requests are refused with Retry-After while the event loop is busy, and accepted afterwards', async t => {
  let logged = ''
  const write = (line: string): void => {
    logged += line
  }
  const overload = new Overload(pino({ base: null }, { write }), { full: () => false })
  // The connections are idle while a busy machine starts the next step of the test.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (!overload.admit(new Exchange(request, response, () => {}))) return
    if (request.url === '/work') work(WORK)
    response.end('done')
    overload.endWith(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const sockets: Socket[] = []
  t.after(() => {
    overload.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  for (let n = 0; n < CLIENTS; n++) sockets.push(connect(port, '127.0.0.1'))
  assert.deepEqual(new Set(statusesOf(await ask(sockets, '/idle'))), new Set([200]))

  const health = sockets.splice(-1)
  const [answers, alive] = await Promise.all([ask(sockets, '/work'), ask(health, '/health')])
  const statuses = statusesOf(answers)
  const refused = answers.filter(answer => answer.startsWith('HTTP/1.1 503 '))
  assert.ok(statuses.filter(status => status === 200).length >= 2, statuses.join())
  assert.ok(refused.length >= 3, statuses.join())
  for (const answer of refused) {
    assert.match(answer, /^retry-after: 1\r$/im)
    assert.match(answer, /\r\n\r\n\{"error":\{"code":"OVERLOADED","requestId":"[0-9a-f-]{36}"\}\}$/)
  }
  assert.deepEqual(statusesOf(alive), [200], '/health is always answered')
  assert.deepEqual(statusesOf(await ask(sockets.slice(0, 1), '/work')), [200])
  assert.deepEqual(statusesOf(await ask(sockets.slice(0, 1), '/idle')), [200])
  assert.match(logged, new RegExp(`"refused":${refused.length},"msg":"requests were refused because`))
})

test('a refusal after a rest is logged, and the rest is no lag of the event loop', async t => {
  let logged = ''
  const write = (line: string): void => {
    logged += line
  }
  const overload = new Overload(pino({ base: null }, { write }), { full: () => false })
  t.after(() => overload.close())
  while (overload.lag.count === 0) await setTimeout(10)
  await setTimeout(REST)
  const before = overload.lag.sum
  const began = performance.now()
  overload.noteRefused()
  while (logged === '') await setTimeout(10)
  assert.match(logged, /"refused":1,/)
  assert.ok(overload.lag.sum - before <= performance.now() - began, `${overload.lag.sum - before} ms of lag`)
})

test('writes are refused before their bodies are read while the queue of the store is full; reads and tools are not', async t => {
  let full = true
  const overload = new Overload(pino({ enabled: false }), { full: () => full })
  const server = createServer((request, response) => {
    if (!overload.admit(new Exchange(request, response, () => {}))) return
    response.end('done')
    overload.endWith(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    overload.close()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const statusOf = async (method: string, path: string): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    await answer.text()
    return answer.status
  }
  assert.equal(await statusOf('POST', '/api/entries'), 503)
  assert.equal(await statusOf('POST', '/mcp'), 200)
  assert.equal(await statusOf('GET', '/api/entries'), 200)
  full = false
  assert.equal(await statusOf('POST', '/api/entries'), 200)
})
