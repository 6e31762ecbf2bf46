import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerOptions, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { Connections } from './connections.ts'

const PIPELINED = 5_000
/** The maximum number of requests that are parsed in advance: those that may wait, and those of one more piece. */
const PARSED_MAX = 40
const LONG = 200_000
const PATIENCE = 60_000

/** A server over `handle` and a client of it, with the received bytes and the number of parsed requests. */
async function start(t: TestContext, handle: RequestListener, timeouts: ServerOptions = {}) {
  const connections = new Connections(pino({ level: 'silent' }))
  const server = createServer(timeouts, connections.inOrder(handle))
  connections.readInPieces(server)
  server.on('clientError', (error, socket) => connections.handleClientError(error, socket as Socket))
  let parsed = 0
  server.on('request', () => {
    parsed += 1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  client.setEncoding('latin1').on('data', chunk => {
    text += chunk
  })
  t.after(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { client, text: () => text, parsed: () => parsed }
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`Not within ${PATIENCE} ms: ${what}.`)
    await new Promise(setImmediate)
  }
}

test('of thousands of pipelined requests few are parsed in advance, and all are answered in order', async t => {
  const handled: ServerResponse[] = []
  const { client, text, parsed } = await start(t, (_request, response) => void handled.push(response))
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(PIPELINED))
  for (let n = 0; n < PIPELINED; n++) {
    await until(`request ${n}`, () => handled.length > n)
    assert.equal(handled.length, n + 1)
    assert.ok(parsed() <= n + PARSED_MAX, `${parsed()} parsed, ${n} answered`)
    handled[n]?.writeHead(200, { 'content-length': 6 }).end(`${n};`.padStart(6))
  }
  await until('the last answer', () => text().endsWith(`${PIPELINED - 1};`))
  assert.deepEqual(
    [...text().matchAll(/ (\d+);/g)].map(([, n]) => Number(n)),
    Array.from({ length: PIPELINED }, (_, n) => n),
  )
})

test('bodies longer than a piece arrive complete, as do the requests after them', async t => {
  const bodies = ['a'.repeat(LONG), '\r\n\r\n'.repeat(10_000), 'x', 'b'.repeat(511), `${'c'.repeat(512)}\r\n\r\n`]
  const sent = Array.from({ length: 10 }, () => bodies).flat()
  const got: string[] = []
  const { client } = await start(t, async (request, response) => {
    got.push((await request.setEncoding('latin1').toArray()).join(''))
    response.end()
  })
  for (const body of sent) {
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  }
  await until('all bodies', () => got.length === sent.length)
  assert.deepEqual(got, sent)
})

test('a client that pipelines and reads late gets every answer', async t => {
  const count = 300
  const { client, text } = await start(t, (_request, response) => {
    response.writeHead(200, { 'content-length': LONG }).end('y'.repeat(LONG))
  })
  client.pause()
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n'.concat('z'.repeat(20)).repeat(count))
  for (let n = 0; n < 10; n++) {
    await setTimeout(20)
    client.resume()
    await setTimeout(1)
    client.pause()
  }
  client.resume()
  await until('all answers', () => text().length > count * LONG && text().split('HTTP/1.1 200').length === count + 1)
})

test('a connection that sends nothing is closed without an answer, which would be taken for that of a later request', async t => {
  const timeouts = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 }
  const { client, text } = await start(t, () => {}, timeouts)
  const { client: slow, text: answered } = await start(t, () => {}, timeouts)
  slow.write('GET / HTTP/1.1\r\nHo')
  await Promise.all([once(client, 'close'), once(slow, 'end')])
  assert.equal(text(), '')
  assert.match(answered(), /^HTTP\/1.1 400 /)
})
