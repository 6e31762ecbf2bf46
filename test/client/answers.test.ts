import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  ArgumentError,
  AuthenticationError,
  ClientError,
  ConflictError,
  ConnectionError,
  createClient,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  RefusalError,
  type ResponseMetadata,
  type RetryNotice,
  UnavailableError,
} from '../../src/client/index.ts'
import { shareApp } from '../support/app.ts'

const app = shareApp()

const TEXT = { title: 'Answers', summary: 'S', content: 'C' }
const VERSION = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

test('each kind of failure has its own class, and all are ClientErrors', async () => {
  const client = createClient({ baseUrl: app.url })
  await assert.rejects(client.createEntry(TEXT), AuthenticationError)
  await client.createActor()
  const entry = await client.createEntry(TEXT)
  const change = { ...TEXT, changeType: 'EXPAND', rationale: 'R' } as const
  await client.reviseEntry(entry.id, { ...change, previousRevisionId: entry.currentRevisionId })
  const stale = client.reviseEntry(entry.id, { ...change, content: 'D', previousRevisionId: entry.currentRevisionId })
  await assert.rejects(stale, ConflictError)
  await assert.rejects(client.createEntry({ ...TEXT, title: '' }), InvalidRequestError)
  await assert.rejects(client.readEntry('none'), NotFoundError)
  await assert.rejects(client.readEntry(''), ArgumentError)
  const of = (status: number, body: string, code: typeof ClientError) => {
    const answering = createClient({ baseUrl: app.url, retries: 0, fetch: async () => new Response(body, { status }) })
    return assert.rejects(
      answering.readStats(),
      (error: unknown) => error instanceof code && error instanceof ClientError,
    )
  }
  await of(429, '{"error":{"code":"RATE_LIMITED"}}', RateLimitError)
  await of(503, '{"error":{"code":"OVERLOADED"}}', UnavailableError)
  await of(502, '<html>', ConnectionError)
  await of(422, '{"error":{"code":"A_CODE_OF_LATER"}}', ConnectionError)
  const refusal = await client.readEntry('none').catch((error: unknown) => error)
  assert.ok(refusal instanceof RefusalError && !(refusal instanceof ConnectionError))
  assert.equal(refusal.name, 'NotFoundError')
})

test('an answer without an end is refused after 16 MiB, whatever its status, and its connection is closed', async t => {
  const piece = Buffer.alloc(65_536, ' ')
  let sent = 0
  let status = 200
  const closed: Promise<unknown>[] = []
  const hostile = createServer((request, answer) => {
    closed.push(new Promise(resolve => request.socket.once('close', resolve)))
    answer.writeHead(status, { 'content-type': 'application/json' })
    const write = (): void => {
      while (!answer.destroyed) {
        sent += piece.length
        if (!answer.write(piece)) return
      }
    }
    answer.on('drain', write)
    write()
  })
  t.after(() => {
    hostile.closeAllConnections()
    hostile.close()
  })
  await new Promise<void>(resolve => hostile.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`
  const client = createClient({ baseUrl, token: 'plm_stub' })
  const tooLong = (error: unknown) =>
    error instanceof ConnectionError &&
    error.code === 'UNREADABLE_ANSWER' &&
    /more than 16777216 bytes/.test(error.message)
  for (status of [200, 404, 503]) await assert.rejects(client.readStats(), tooLong)
  await assert.rejects(client.createEntry(TEXT), (error: ClientError) => tooLong(error) && error.mayHaveHappened)
  await assert.rejects(client.verifyLog({ keys: ['x'] }), tooLong)
  await assert.rejects(client.watchActivity().next(), tooLong)
  await Promise.all(closed)
  assert.equal(closed.length, 6, 'no request is repeated')
  assert.ok(sent < 6 * 32 * 1_048_576, `${sent} bytes were sent`)
})

test('an error names the member and the rule that it broke', async () => {
  const client = createClient({ baseUrl: app.url })
  await client.createActor()
  const refused = await client.createEntry({ ...TEXT, tags: ['node.js'] }).catch((error: unknown) => error)
  assert.ok(refused instanceof InvalidRequestError)
  assert.deepEqual([refused.code, refused.member], ['INVALID_TAGS', 'tags.0'])
  assert.match(refused.message, /^INVALID_TAGS: tags\.0: tags is a list of at most 8 items, .*hyphens only\. \(POST /)
  const missing = await client.createEntry({ title: 'T' } as never).catch((error: unknown) => error)
  assert.ok(missing instanceof InvalidRequestError)
  assert.match(missing.message, /^MISSING_MEMBER: content: The body lacks a member/)
  await assert.rejects(client.readEntry('none'), { member: null })
})

test('onResponse receives status, request, version, replay and limits of every answer', async () => {
  const seen: ResponseMetadata[] = []
  const own: ResponseMetadata[] = []
  const client = createClient({ baseUrl: app.url, onResponse: metadata => seen.push(metadata) })
  await client.createActor()
  const key = { idempotencyKey: 'answers-1', onResponse: (metadata: ResponseMetadata) => own.push(metadata) }
  const entry = await client.createEntry(TEXT, key)
  await client.createEntry(TEXT, key)
  await client.readEntry(entry.slug)
  await client.readEntry('none').catch(() => {})
  assert.deepEqual(
    seen.map(({ method, status, attempt, replayed }) => [method, status, attempt, replayed]),
    [
      ['POST', 201, 1, false],
      ['POST', 201, 1, false],
      ['POST', 201, 1, true],
      ['GET', 200, 1, false],
      ['GET', 404, 1, false],
    ],
  )
  assert.deepEqual(own, seen.slice(1, 3))
  const read = seen[3]
  assert.equal(read?.path, `/api/entries/${entry.slug}`)
  assert.match(read?.requestId ?? '', /^[0-9a-f-]{36}$/)
  assert.ok((read?.etag ?? '').length > 10)
  const [limit] = read?.limits ?? []
  assert.equal(limit?.policy, 'read-origin')
  assert.ok(Number(limit?.remaining) > 0 && Number(limit?.resetSeconds) > 0)
})

test('onRetry receives each failed attempt, with its number, error and wait', async () => {
  const notices: RetryNotice[] = []
  let asked = 0
  const client = createClient({
    baseUrl: app.url,
    random: () => 0,
    clock: { now: () => 0, sleep: async () => {} },
    onRetry: notice => notices.push(notice),
    fetch: async (url, init) => {
      asked += 1
      if (asked > 2) return fetch(url, init)
      return Response.json(
        { error: { code: 'OVERLOADED', requestId: 'r' } },
        { status: 503, headers: { 'retry-after': '3' } },
      )
    },
  })
  await client.readStats()
  assert.deepEqual(
    notices.map(({ method, path, attempt, waitSeconds, error }) => [method, path, attempt, waitSeconds, error.name]),
    [
      ['GET', '/api/stats', 1, 3, 'UnavailableError'],
      ['GET', '/api/stats', 2, 3, 'UnavailableError'],
    ],
  )
})

test('requests name the client and its version, or what the caller sets', async t => {
  const agents: (string | undefined)[] = []
  const server = createServer((request, answer) => {
    agents.push(request.headers['user-agent'])
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await createClient({ baseUrl }).readStats()
  await createClient({ baseUrl, userAgent: 'my-agent/2' }).readStats()
  await createClient({ baseUrl, userAgent: '' }).readStats()
  assert.deepEqual(agents, [`palimpsest-client/${VERSION}`, 'my-agent/2', 'node'])
})
