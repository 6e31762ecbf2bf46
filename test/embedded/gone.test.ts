import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, IncomingMessage, Server, ServerResponse, request as send } from 'node:http'
import { connect, Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { STREAMS } from '../../src/contract/limits.ts'
import type { Admitted } from '../../src/http/check.ts'
import { Streams } from '../../src/http/events.ts'
import { Exchange } from '../../src/http/exchange.ts'
import { startApp } from '../support/app.ts'
import { call, columnOf, expectProblem, newActor, newEntry } from '../support/client.ts'
import { moderate, snapshot } from '../support/moderation.ts'

const TRIES = 30

test('a blocked network writes nothing over a connection that was reset at once', async () => {
  await using app = await startApp({}, { engine: 'embedded' })
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, { title: 'Before' })
  const [row] = (await snapshot(app.url)).entries
  await moderate(app.url, 'ORIGIN', String(row?.originId), 'BLOCK')
  const body = JSON.stringify({
    title: 'Unheard',
    summary: 'The client does not wait for the answer',
    content: 'It is gone.',
  })
  expectProblem(await call(app.url, 'POST', '/api/entries', { token, body: JSON.parse(body) }), 403, 'ORIGIN_BLOCKED')

  const { hostname, port } = new URL(app.url)
  const fields = [`Host: ${hostname}`, `X-Actor-Token: ${token}`, 'Content-Type: application/json']
  const head = ['POST /api/entries HTTP/1.1', ...fields, `Content-Length: ${Buffer.byteLength(body)}`]
  for (let n = 0; n < TRIES; n++) {
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    socket.resetAndDestroy()
    await setTimeout(10)
  }
  const { body: list } = await call<{ items: { title: string }[] }>(app.url, 'GET', '/api/entries')
  assert.deepEqual(columnOf(list.items, 'title'), ['Before'])
})

test('a client that disconnected before it was admitted does not count as a stream', async () => {
  await using app = await startApp({}, { engine: 'embedded' })
  const streams = new Streams(app.store, pino({ level: 'silent' }))
  const open = async (gone: boolean): Promise<void> => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET' })
    const response = new ServerResponse(request)
    if (gone) {
      response.destroy()
      await once(response, 'close')
    }
    const caller = { origin: { networkKey: 'somebody' } }
    const admitted = { name: 'streamActivity', caller, query: {} } as unknown as Admitted
    await streams.open(admitted, new Exchange(request, response, () => {}))
  }
  for (let n = 0; n < 3 * STREAMS.perOrigin; n++) await open(true)
  await open(false)
  streams.close()
})

test('a stop does not wait for a connection whose request was abandoned', async t => {
  const app = await startApp({}, { engine: 'embedded' })
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const { token } = await newActor(app.url)
  const body = JSON.stringify({ title: 'Under way', summary: 'While it stops', content: 'It is let end.' })
  const headers = {
    'x-actor-token': token,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  const request = send(`${app.url}/api/entries`, { method: 'POST', agent, headers })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  request.write(body.slice(0, 10))
  await setTimeout(200)
  // A stop does this when it has waited too long for connections.
  const gaveUp = t.mock.method(Server.prototype, 'closeAllConnections')
  const closed = app.close()
  await setTimeout(200)
  request.end(body.slice(10))
  const [answer] = await answered
  let text = ''
  for await (const piece of answer) text += piece
  assert.equal(answer.statusCode, 201, text)
  await closed
  assert.equal(gaveUp.mock.callCount(), 0)
})
