import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { StoreFault } from '../engine/database.ts'
import { createHttpServer } from './connections.ts'
import { Dispatcher } from './dispatcher.ts'
import { createRouter, type Exchange, READING, type Route } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import { Overload } from './overload.ts'

/** A server with one route, `/api/it`, over a store whose queue may be full. */
function serverWith(answer: Route['answer'], { full = false, turn }: { full?: boolean; turn?: Promise<void> } = {}) {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const router = createRouter()
  router.add({ name: 'it', methods: [...READING, 'POST'], path: '/api/it', answer })
  const overload = new Overload(logger, { full: () => full })
  if (turn !== undefined) overload.waitToBegin = () => turn
  const dispatcher = new Dispatcher({
    tracing: undefined,
    config: readConfig({}),
    logger,
    metrics: { answered: new Map(), failed() {} } as unknown as Metrics,
    router,
    overload,
    store: { noteRead() {} },
  })
  return { dispatcher, server: createHttpServer(dispatcher, logger), lines }
}

test('a refusal has no fields of the answer that it replaces', async () => {
  const { server } = serverWith((exchange: Exchange) => {
    exchange.set({
      etag: '"1"',
      'cdn-cache-control': 'max-age=600',
      'content-encoding': 'br',
      ratelimit: '"r";r=1;t=1',
    })
    throw new StoreFault('unavailable', new Error('the database is away'))
  })
  const { statusCode, headers, body } = await server.inject({ url: '/api/it' })
  assert.equal(statusCode, 503)
  assert.match(body, /"STORE_UNAVAILABLE"/)
  for (const name of ['etag', 'cdn-cache-control', 'content-encoding']) assert.equal(headers[name], undefined, name)
  assert.equal(headers.ratelimit, '"r";r=1;t=1')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
})

test('a request within the process is answered while requests of connections are shed', async () => {
  const { server } = serverWith(exchange => exchange.send(201, 'made'), { full: true })
  const { statusCode, body } = await server.inject({ method: 'POST', url: '/api/it' })
  assert.deepEqual([statusCode, body], [201, 'made'])
})

test('a request whose client has left while it waited for its turn is not answered', async () => {
  const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
  let answered = 0
  const { dispatcher } = serverWith(() => void answered++, { turn })
  const headers = { headers: { host: 'x' }, rawHeaders: ['Host', 'x'], httpVersion: '1.1' }
  const request = { method: 'GET', url: '/api/it', ...headers } as unknown as IncomingMessage
  const [stays, leaves] = [{ destroyed: false }, { destroyed: false }] as unknown as [ServerResponse, ServerResponse]
  for (const response of [stays, leaves]) dispatcher.answer(request, response, { channel: 'process' })
  await nextTurn()
  assert.equal(answered, 0)
  Object.assign(leaves, { destroyed: true })
  begin()
  await nextTurn()
  assert.equal(answered, 1)
})

test('a failure before the first byte is an answer, and one after it is logged', async () => {
  const failing = (...pieces: string[]) =>
    async function* () {
      yield* pieces
      throw new Error('the disk is gone')
    }
  const early = serverWith(exchange => exchange.stream(200, Readable.from(failing()())))
  assert.equal((await early.server.inject({ url: '/api/it' })).statusCode, 503)
  const late = serverWith(exchange => exchange.stream(200, Readable.from(failing('first')())))
  await late.server.inject({ url: '/api/it' }).catch(() => {})
  assert.match(late.lines.join(''), /an answer ended before its last byte/)
})
