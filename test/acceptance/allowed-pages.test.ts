import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { ADMIN_TOKEN, shareApp, startApp, type TestApp, useApp } from '../support/app.ts'
import { expectProblem } from '../support/client.ts'

const PAGE = 'https://page.example'
const EVIL = 'http://evil.example'
const open = shareApp()
const closed = useApp({
  ALLOWED_HOSTS: '127.0.0.1, LocalHost, [::1]',
  ALLOWED_ORIGINS: PAGE,
  PUBLIC_URL: 'https://memory.example',
})

type Fields = Record<string, string | undefined>
type Answer = { status: number; headers: Headers; body: Record<string, unknown>; text: string }

/** Sends a request with exactly these fields; `fetch` allows neither Host nor Origin. */
const send = (
  app: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  fields: Fields = {},
  body?: object,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { ...type, ...Object.fromEntries(given) } as Record<string, string>
    const sent = request(`${app.url}${path}`, { method, headers }, async response => {
      let text = ''
      for await (const piece of response) text += piece
      const own = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
      const json = response.headers['content-type']?.startsWith('application/json') && text !== ''
      resolve({
        ...{ status: response.statusCode ?? 0, text, headers: new Headers(own) },
        body: json ? JSON.parse(text) : {},
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

const originOf = ({ headers }: Answer) => headers.get('access-control-allow-origin')
const MCP = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const ACCEPT = 'application/json, text/event-stream'
/** A request for each face of the service. */
const FACES: [method: string, path: string, fields: Fields, body?: object][] = [
  ['GET', '/api/entries', {}],
  ['POST', '/api/actors', {}, {}],
  ['GET', '/', { accept: 'text/html' }],
  ['GET', '/agents.md', {}],
  ['GET', '/nowhere', {}],
  ['GET', '/api/admin/snapshot', { authorization: `Bearer ${ADMIN_TOKEN}` }],
  ['POST', '/mcp', { accept: ACCEPT }, MCP],
]

test('without the settings, every host and every web page may use the public interface', async () => {
  for (const [method, path, fields, body] of FACES.slice(0, 4)) {
    const answer = await send(open, method, path, { ...fields, host: 'evil.example', origin: EVIL }, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status}`)
    assert.equal(originOf(answer), '*')
  }
})

test('without the settings, /mcp answers pages of this machine only', async () => {
  const ask = (origin: string, host?: string) => send(open, 'POST', '/mcp', { accept: ACCEPT, origin, host }, MCP)
  for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:8080']) {
    assert.equal((await ask(origin)).status, 200, origin)
  }
  for (const host of [undefined, 'evil.example']) assert.equal((await ask(EVIL, host)).status, 403)
})

test('a Host that is not allowed is 403 on every path except /health and /ready', async () => {
  for (const host of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '[::2]', '127.0.0.2']) {
    for (const [method, path, fields, body] of FACES) {
      const answer = await send(closed, method, path, { ...fields, host }, body)
      assert.equal(answer.status, 403, `${method} ${path} at ${host}`)
      if (path.startsWith('/api/')) expectProblem(answer, 403, 'HOST_NOT_ALLOWED')
      assert.equal(originOf(answer), null)
      assert.match(answer.text, /HOST_NOT_ALLOWED/)
    }
    for (const path of ['/health', '/ready']) assert.equal((await send(closed, 'GET', path, { host })).status, 200)
  }
  for (const host of ['127.0.0.1', 'LOCALHOST:1234', '[::1]:80', 'memory.example', undefined]) {
    assert.equal((await send(closed, 'GET', '/api/entries', { host })).status, 200, host)
  }
})

test('a web page of an origin that is not allowed is 403, may not even ask, and reads nothing', async () => {
  const before = (await send(closed, 'GET', '/api/stats')).body.observedActors
  const asking = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
  for (const origin of [
    EVIL,
    'null',
    'https://page.example:444',
    'http://page.example',
    'http://localhost:6274',
    'x',
  ]) {
    for (const [method, path, fields, body] of FACES) {
      const answer = await send(closed, method, path, { ...fields, origin }, body)
      assert.equal(answer.status, 403, `${method} ${path} from ${origin}`)
      if (path.startsWith('/api/')) expectProblem(answer, 403, 'ORIGIN_NOT_ALLOWED')
      assert.equal(originOf(answer), null)
      assert.match(answer.text, /ORIGIN_NOT_ALLOWED/)
    }
    const asked = await send(closed, 'OPTIONS', '/api/entries', { origin, ...asking })
    assert.deepEqual([asked.status, originOf(asked)], [403, null])
  }
  assert.equal((await send(closed, 'GET', '/api/stats')).body.observedActors, before)
})

test('an allowed page and the pages of the service read and write; other programs send no Origin', async () => {
  const { host } = new URL(closed.url)
  const { port } = new URL(closed.url)
  const own: [origin: string, host: string][] = [
    [PAGE, host],
    ['https://memory.example', host],
    [closed.url, host],
    [`http://localhost:${port}`, `localhost:${port}`],
  ]
  for (const [origin, at] of own) {
    for (const [method, path, fields, body] of FACES.filter(([, where]) => where !== '/nowhere')) {
      const answer = await send(closed, method, path, { ...fields, origin, host: at }, body)
      assert.ok(answer.status < 300, `${method} ${path} from ${origin}: ${answer.status}`)
      assert.equal(originOf(answer), path.startsWith('/api/admin') ? null : origin)
      assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/)
    }
    const asked = await send(closed, 'OPTIONS', '/api/entries', { origin, host: at })
    assert.deepEqual([asked.status, originOf(asked)], [204, origin])
  }
  const answer = await send(closed, 'POST', '/api/actors', {}, {})
  assert.deepEqual([answer.status, originOf(answer)], [201, null])
})

test('ALLOWED_ORIGINS=* allows every page, at /mcp too', async () => {
  await using every = await startApp({ ALLOWED_ORIGINS: '*' })
  for (const [method, path, fields, body] of FACES.filter(([, where]) => where !== '/nowhere')) {
    const answer = await send(every, method, path, { ...fields, origin: EVIL }, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status}`)
    assert.equal(originOf(answer), path.startsWith('/api/admin') ? null : '*')
  }
})
