import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stats } from '../../src/contract/resources.ts'
import type { TestApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'

/** The settings of the app under test. */
export const ORIGINS = { PUBLIC_URL: 'https://memory.example', ALLOWED_ORIGINS: 'https://host.example' }
const { PUBLIC_URL: SERVED, ALLOWED_ORIGINS: ALLOWED } = ORIGINS

type Said = {
  status: number
  type: string
  text: string
  body: { error?: { code: number; message: string }; result?: unknown }
}
type Sending = { headers?: Record<string, string>; body?: string | Uint8Array; method?: string }

const JSON_FIELDS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const request = (method: string, params: object = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const opening = (protocolVersion: string): string =>
  request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } })
const envelope = (version: string) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'new', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})
const modern = (method: string, version = '2026-07-28', name?: string) => ({
  'mcp-protocol-version': version,
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
})
const LIST = request('tools/list')

/** Sends bytes to /mcp, and reads the one message of the answer, be it JSON or a stream of events. */
async function sendTo(base: string, { headers = {}, body, method = 'POST' }: Sending): Promise<Said> {
  const fields = { ...JSON_FIELDS, ...headers }
  const response = await fetch(`${base}/mcp`, { method, headers: fields, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  const message = type.startsWith('text/event-stream') ? (text.split('data: ').at(-1) ?? '') : text
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  return { status: response.status, type, text, body: message === '' ? {} : JSON.parse(message) }
}

/** Invalid messages and requests over HTTP. Must run first: it asserts that they store nothing. */
export async function testBadInput(app: TestApp): Promise<void> {
  const send = (sending: Sending): Promise<Said> => sendTo(app.url, sending)
  const stats = async (): Promise<Stats> => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
  const nothing = await stats()

  test('a handshake is answered in its revision of the protocol if it is supported, otherwise in the newest', async () => {
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01', 'x'.repeat(1000)]) {
      const { status, body } = await send({ body: opening(version) })
      assert.equal(status, 200, version)
      const { protocolVersion } = body.result as { protocolVersion: string }
      assert.equal(protocolVersion, /^202[45]/.test(version) ? version : '2025-11-25')
    }
    const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.equal((await send({ body: initialized })).status, 202)
    // No session: a call needs no handshake before it.
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
      assert.equal((await send({ body: LIST, headers: { 'mcp-protocol-version': version } })).status, 200)
    }
  })

  test('pages of foreign origins are refused for any Host, and preflights list the fields', async () => {
    for (const origin of [
      'https://evil.example',
      `${SERVED}.evil.example`,
      'http://memory.example',
      'null',
      'x',
      'https://host.example:1',
      'http://localhost:6274',
    ]) {
      const { status, body } = await send({ body: LIST, headers: { origin } })
      assert.equal(status, 403, origin)
      assert.match(body.error?.message ?? '', /ALLOWED_ORIGINS/)
      const rebound = await send({ body: LIST, headers: { origin, host: 'evil.example' } })
      assert.equal(rebound.status, 403)
    }
    for (const origin of [SERVED, ALLOWED, undefined]) {
      const { status } = await send({ body: LIST, headers: origin === undefined ? {} : { origin } })
      assert.equal(status, 200, origin)
    }
    const asked = {
      origin: ALLOWED,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-method',
    }
    const preflight = await fetch(`${app.url}/mcp`, { method: 'OPTIONS', headers: asked })
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-Actor-Token.*Mcp-Method/)
  })

  test('a body that is not a message is refused without effect', async () => {
    const cases: [string, Sending, number, number][] = [
      ['malformed JSON', { body: '{"jsonrpc":' }, 400, -32_700],
      ['invalid UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, -32_700],
      ['nothing', { body: '' }, 400, -32_700],
      ['a batch', { body: `[${LIST},${LIST}]` }, 400, -32_600],
      ['an empty batch', { body: '[]' }, 400, -32_600],
      ['a number', { body: '7' }, 400, -32_600],
      ['an empty object', { body: '{}' }, 400, -32_600],
      ['another version of JSON-RPC', { body: LIST.replace('"2.0"', '"1.0"') }, 400, -32_600],
      ['no method', { body: '{"jsonrpc":"2.0","id":1}' }, 400, -32_600],
      ['an id that is an object', { body: request('tools/list', {}, {}) }, 400, -32_600],
      ['another type', { body: LIST, headers: { 'content-type': 'text/plain' } }, 415, -32_000],
      [
        'another character set',
        { body: LIST, headers: { 'content-type': 'application/json; charset=utf-16' } },
        415,
        -32_000,
      ],
      ['a compressed body', { body: LIST, headers: { 'content-encoding': 'gzip' } }, 415, -32_000],
      ['a body that is too large', { body: LIST.padEnd(32_769) }, 413, -32_000],
      ['no stream accepted', { body: LIST, headers: { accept: 'text/html' } }, 406, -32_000],
      [
        'an old revision that never existed',
        { body: LIST, headers: { 'mcp-protocol-version': '1999-01-01' } },
        400,
        -32_000,
      ],
      ['GET', { method: 'GET' }, 405, -32_000],
      ['DELETE', { method: 'DELETE' }, 405, -32_000],
    ]
    for (const [what, sending, status, code] of cases) {
      const said = await send(sending)
      assert.equal(said.status, status, `${what}: ${said.status} ${said.text}`)
      assert.equal(said.body.error?.code, code, `${what}: ${said.text}`)
      assert.ok((said.body.error?.message ?? '').length > 10, what)
    }
    assert.equal((await fetch(`${app.url}/mcp`, { method: 'PUT', body: LIST })).status, 404)
  })

  test('inconsistent messages of the stateless revision are refused', async () => {
    const list = request('tools/list', envelope('2026-07-28'))
    const cases: [string, Sending, number][] = [
      ['valid', { body: list, headers: modern('tools/list') }, 200],
      [
        'a future revision',
        { body: request('tools/list', envelope('2099-01-01')), headers: modern('tools/list', '2099-01-01') },
        400,
      ],
      ['no envelope', { body: LIST, headers: modern('tools/list') }, 400],
      ['another method in the header', { body: list, headers: modern('tools/call') }, 400],
      ['no header', { body: list }, 400],
      [
        'an envelope that is not an object',
        { body: request('tools/list', { _meta: 7 }), headers: modern('tools/list') },
        400,
      ],
      [
        'an unknown method',
        { body: request('tools/drop', envelope('2026-07-28')), headers: modern('tools/drop') },
        404,
      ],
    ]
    for (const [what, sending, status] of cases) {
      const said = await send(sending)
      assert.equal(said.status, status, `${what}: ${said.text}`)
      assert.equal(said.body.error === undefined, status === 200, `${what}: ${said.text}`)
    }
    // Nothing changes here: a listener is informed and released.
    const listening = request('subscriptions/listen', {
      ...envelope('2026-07-28'),
      notifications: { toolsListChanged: true },
    })
    const listened = await send({ body: listening, headers: modern('subscriptions/listen') })
    assert.equal(listened.status, 200, listened.text)
  })

  test('nothing was stored', async () => {
    assert.deepEqual(await stats(), nothing)
    assert.ok(!app.log().includes('"level":50'), 'a fault was logged')
  })
}
