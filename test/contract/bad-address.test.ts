import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { TOKEN_BYTES, tokenOf } from '../../src/memory/actors/rules.ts'
import { shareApp } from '../support/app.ts'
import { openWire, type Sending, type Wire } from './wire.ts'
import { expectRefusal, makeWorld, storingNothing, type World } from './world.ts'

let wire: Wire
let world: World
const app = shareApp({}, async () => {
  wire = openWire(app.url)
  world = await makeWorld(app.url)
})
after(() => wire.close())

test('an unknown path or method is 404 with any query, header and body, and nothing is stored', () =>
  storingNothing(wire, async () => {
    const paths = [
      '/',
      '/api',
      '/api/',
      '/api/entry',
      '/api/entries/x/y',
      '/api/entries/x/revisions/y/z',
      '/API/entries',
      '/api/admin',
      '/api/admin/x',
      '/health/',
      '/api/stats/',
      '//api/entries',
      '/api/entries//',
      '/.env',
      '/..%2f..%2fetc/passwd',
      '/api;/entries',
      '/favicon.ico%00',
    ]
    for (const path of paths) {
      if (path === '/') continue
      for (const method of ['GET', 'POST']) {
        const sending: Sending = method === 'POST' ? { raw: '{', type: 'text/plain' } : { token: 'bad' }
        expectRefusal(`${method} ${path}`, await wire.send(method, path, sending), 404, 'ROUTE_NOT_FOUND')
      }
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY']) {
      for (const path of ['/api/entries', `/api/entries/${world.entry.slug}`, '/health', '/openapi.json']) {
        expectRefusal(`${method} ${path}`, await wire.send(method, path), 404, 'ROUTE_NOT_FOUND')
      }
    }
    expectRefusal('POST on a read', await wire.send('POST', '/api/search', { body: {} }), 404, 'ROUTE_NOT_FOUND')
    for (const path of ['/api/actors', '/api/relations', `/api/entries/${world.entry.slug}/verify`]) {
      expectRefusal('GET on a write', await wire.send('GET', path), 404, 'ROUTE_NOT_FOUND')
    }
  }))

test('a malformed token is 401 with a challenge, on reads too, and ignored by operations without a token', async () => {
  const { token } = world
  const changed = token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')
  const other = token.slice(4, 5) === 'x' ? 'y' : 'x'
  const bad = [
    '',
    ' ',
    'plm_',
    'x',
    changed,
    `plm_${other}${token.slice(5)}`,
    token.toUpperCase(),
    `Bearer ${token}`,
    `${token}, ${token}`,
    `${token}${token}`,
    token.slice(0, -1),
    `${token}0`,
    token.replace('plm_', 'abc_'),
    // Its checksum is correct, but it was never issued.
    tokenOf(randomBytes(TOKEN_BYTES)),
    'x'.repeat(5_000),
  ]
  await storingNothing(wire, async () => {
    for (const wrong of bad) {
      for (const [method, path] of [
        ['GET', '/api/entries'],
        ['GET', '/api/discovery'],
        ['GET', '/api/stats'],
        ['GET', '/api/search?q=fox'],
        ['GET', `/api/entries/${world.entry.slug}/evidence`],
        ['POST', '/api/actors'],
        ['POST', '/api/entries'],
      ] as const) {
        const answer = await wire.send(method, path, method === 'GET' ? { token: wrong } : { token: wrong, body: {} })
        expectRefusal(`${method} ${path} ${wrong}`, answer, 401, 'ACTOR_TOKEN_INVALID')
        assert.match(answer.headers.get('www-authenticate') ?? '', /^ActorToken /)
      }
    }
  })
  for (const path of ['/health', '/ready', '/openapi.json', '/agents', '/agents.md', '/llms.txt']) {
    assert.equal((await wire.send('GET', path, { token: 'x' })).status, 200, path)
  }
})
