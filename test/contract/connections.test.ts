import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { call, columnOf, expectStatus, newActor, newEntry } from '../support/client.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { exchange } from './raw-wire.ts'

const PATIENCE = 60_000
const CLIENTS = 40
/** Pipelined reads of a list of 1 MB: if all were answered, the answers of all clients would take 900 MB. */
const GREEDY = 16
const PIPELINED = 60
const GROWTH_MAX = 250e6
/** Connections that flood at the same time, and the requests that each sends at once. */
const FLOODS = 8
const FLOOD = 10_000
const FLOOD_ROUNDS = 3

const directory = makeDirectory()
let server: ServerProcess
let token: string
before(async () => {
  server = await startServer(directory.path)
  token = (await newActor(server.url)).token
})
after(async () => {
  await server.stop()
  directory.remove()
})

/** Descriptors of a service that are connections. */
function connections({ pid }: ServerProcess): number {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter(name => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

const memory = ({ pid }: ServerProcess): number =>
  1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** A client that sends bytes, reads nothing and never closes. */
function holdOn({ url }: ServerProcess, bytes: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.pause()
  socket.on('error', () => {})
  if (bytes !== '') socket.write(bytes)
  return socket
}

/** Reads on a connection of their own, so that none is left of them. */
const read = ({ url }: ServerProcess, path: string) => call(url, 'GET', path, { headers: { connection: 'close' } })

const HOST = 'Host: x\r\n'
const KINDS: Record<string, string> = {
  'sends no HTTP': 'NONSENSE\r\n\r\n',
  'sends no HTTP after a request': `GET /health HTTP/1.1\r\n${HOST}\r\nNONSENSE\r\n\r\n`,
  'sends half a request': `GET /health HTTP/1.1\r\n${HOST}`,
  'sends half a body': `POST /api/actors HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{`,
  'asks to close': `GET /health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'sends nothing': '',
}

// Each waits for a timeout of a service of its own.
suite('clients that do not read', { concurrency: true }, () => {
  test('a client that neither reads nor closes is disconnected, after any request', async t => {
    const sockets: Socket[] = []
    t.after(() => {
      for (const socket of sockets) socket.destroy()
    })
    await eventually('the connections of others end', PATIENCE, async () => connections(server) < 10 || undefined)
    const earlier = connections(server)
    for (const bytes of Object.values(KINDS)) {
      for (let n = 0; n < CLIENTS; n++) sockets.push(holdOn(server, bytes))
    }
    await eventually('all are connected', PATIENCE, async () => sockets.every(({ pending }) => !pending) || undefined)
    await eventually('the service has let go of them', PATIENCE, async () => {
      await pause(200)
      return connections(server) <= earlier + 1 || undefined
    })
    expectStatus(await read(server, '/health'), 200)
  })

  test('a client that pipelines reads of long lists and does not read takes the memory of one answer', async t => {
    const sockets: Socket[] = []
    const own = makeDirectory()
    const server = await startServer(own.path)
    t.after(async () => {
      for (const socket of sockets) socket.destroy()
      await server.stop()
      own.remove()
    })
    const { token } = await newActor(server.url)
    for (let n = 0; n < 130; n++) await newEntry(server.url, token, { content: 'x'.repeat(20_000) })
    const path = (n: number): string => `/api/entries?limit=50&offset=${n}`
    for (let n = 0; n < PIPELINED; n++) expectStatus(await read(server, path(n)), 200)
    const asked = Array.from({ length: PIPELINED }, (_, n) => `GET ${path(n)} HTTP/1.1\r\n${HOST}\r\n`).join('')
    const earlier = memory(server)
    for (let n = 0; n < GREEDY; n++) {
      sockets.push(holdOn(server, asked))
    }
    let most = 0
    await eventually('the service has let go of them', PATIENCE, async () => {
      most = Math.max(most, memory(server))
      expectStatus(await read(server, '/health'), 200)
      return connections(server) < GREEDY || undefined
    })
    assert.ok(most - earlier < GROWTH_MAX, `${Math.round((most - earlier) / 1e6)} MB more`)
  })
})

test('a connection that pipelines gets its first answer and is closed before the second', async () => {
  const body = JSON.stringify({ title: 'Sent twice', summary: 'On one connection', content: 'Only one is stored.' })
  const fields = `${HOST}Content-Type: application/json\r\nX-Actor-Token: ${token}\r\nContent-Length: ${body.length}\r\n`
  const request = `POST /api/entries HTTP/1.1\r\n${fields}\r\n${body}`
  const options = { expected: 2, patience: PATIENCE, bodiless: false }
  const { responses, closed, leftover } = await exchange(server.url, Buffer.from(request.repeat(2)), options)
  assert.deepEqual(
    responses.map(({ status, headers }) => [status, headers.get('connection')]),
    [[201, 'close']],
  )
  assert.ok(closed)
  assert.equal(leftover, '')
  const { items } = (await call<{ items: { title: string }[] }>(server.url, 'GET', '/api/entries?limit=50')).body
  assert.equal(items.filter(({ title }) => title === 'Sent twice').length, 1)
})

test('a flood of pipelined requests gets one answer for each connection, and /health is answered beside it', async () => {
  const flood = Buffer.from(`GET /api/entries?limit=50 HTTP/1.1\r\n${HOST}\r\n`.repeat(FLOOD))
  const { port } = new URL(server.url)
  const send = (): Promise<number> =>
    new Promise(resolve => {
      let text = ''
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(flood))
      socket.setEncoding('latin1').on('data', piece => {
        text += piece
      })
      // The service closes the connection while the client still sends.
      socket.on('error', () => {})
      socket.on('close', () => resolve(text.split('HTTP/1.1 ').length - 1))
    })
  for (let round = 0; round < FLOOD_ROUNDS; round++) {
    const floods = Promise.all(Array.from({ length: FLOODS }, send))
    for (let n = 0; n < FLOODS; n++) expectStatus(await read(server, '/health'), 200)
    const answers = await floods
    assert.deepEqual(
      answers.filter(count => count > 1),
      [],
    )
    assert.ok(answers.includes(1))
  }
})

test('bytes after a valid write that are not HTTP get no answer, and the write gets its own', async () => {
  const body = JSON.stringify({ title: 'Stored', summary: 'And said so', content: 'Before the rest is refused.' })
  const fields = `${HOST}Content-Type: application/json\r\nX-Actor-Token: ${token}\r\nContent-Length: ${body.length}\r\n`
  const bytes = `POST /api/entries HTTP/1.1\r\n${fields}\r\n${body}NONSENSE\r\n\r\n`
  for (let n = 0; n < 10; n++) {
    const options = { expected: 2, patience: PATIENCE, bodiless: false }
    const { responses, closed, leftover } = await exchange(server.url, Buffer.from(bytes), options)
    assert.deepEqual(columnOf(responses, 'status'), [201])
    assert.ok(closed)
    assert.equal(leftover, '')
  }
})
