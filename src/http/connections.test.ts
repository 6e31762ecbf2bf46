import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { Connections } from './connections.ts'

const PIPELINED = 5_000
/** The maximum number of requests in the bytes that are parsed at once. */
const PARSED_MAX = 40
const LONG = 200_000
const PATIENCE = 60_000

/** A server over `handle` and a client of it, with the received bytes and the number of requests. */
async function start(t: TestContext, handle: RequestListener, timeouts: ServerOptions = {}) {
  const connections = new Connections(pino({ level: 'silent' }))
  const server = createServer(timeouts, connections.oneByOne(handle))
  server.on('connection', connections.add)
  server.on('clientError', (error, socket) => connections.handleClientError(error, socket as Socket))
  let received = 0
  server.on('request', () => {
    received += 1
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
  return { client, text: () => text, received: () => received }
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`Not within ${PATIENCE} ms: ${what}.`)
    await new Promise(setImmediate)
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('an answer that has begun before the second request arrives is sent in full', async t => {
  const handled: ServerResponse[] = []
  const { client, text, received } = await start(t, (_request, response) => {
    handled.push(response)
    response.writeHead(200, { 'content-length': 2 * LONG }).write('y'.repeat(LONG))
  })
  client.write(GET)
  await until('the first answer begins', () => text().length > LONG)
  client.write(GET)
  await until('the second request', () => received() === 2)
  handled[0]?.end('y'.repeat(LONG))
  await once(client, 'close')
  assert.equal(handled.length, 1)
  assert.ok(text().endsWith('y'.repeat(2 * LONG)))
})

test('a request that arrives after the answer to the previous one is handled, also after a long body', async t => {
  const { client, text } = await start(t, async (request, response) => {
    response.end(String((await request.toArray()).join('').length))
  })
  for (let n = 1; n <= 20; n++) {
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${LONG}\r\n\r\n${'a'.repeat(LONG)}`)
    await until(`answer ${n}`, () => text().split(`\r\n\r\n${LONG}`).length === n + 1)
  }
})

test('of thousands of pipelined requests few are parsed, and the first gets its answer', async t => {
  const handled: ServerResponse[] = []
  const { client, text, received } = await start(t, (_request, response) => void handled.push(response))
  client.on('error', () => {})
  client.write(GET.repeat(PIPELINED))
  await until('the second request', () => received() > 1)
  await setTimeout(100)
  handled[0]?.end('first')
  await until('the client is disconnected', () => client.closed)
  assert.equal(handled.length, 1)
  assert.ok(received() <= PARSED_MAX, `${received()} parsed`)
  assert.match(text(), /^HTTP\/1\.1 200 [\s\S]*first$/)
})

test('a body that is not read occupies little memory, and arrives complete when it is read', async t => {
  const handled: IncomingMessage[] = []
  const { client } = await start(t, request => void handled.push(request))
  const length = 20_000_000
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`)
  client.write(Buffer.alloc(length))
  await until('the request', () => handled.length === 1)
  const [request] = handled
  assert.ok(request)
  await setTimeout(200)
  assert.ok(request.readableLength < LONG, `${request.readableLength} bytes`)
  let size = 0
  for await (const piece of request) size += piece.length
  assert.equal(size, length)
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
