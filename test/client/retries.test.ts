import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { type ClientSettings, type Clock, createClient, isClientError } from '../../src/client/index.ts'
import { shareApp, startApp, type TestApp } from '../support/app.ts'

const READS = 3
const TEXT = { title: 'Once', summary: 'Once.', content: 'Only once.' }

let strict: TestApp
const app = shareApp({}, async () => {
  strict = await startApp({ READ_LIMIT_PER_MINUTE: String(READS), COOLDOWN_SECONDS: '30' })
})
after(() => strict.close())

/** A clock that does not wait: it moves the service's and notes the seconds. */
function quickClock(moved?: TestApp): Clock & { waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => Date.now(),
    async sleep(milliseconds) {
      waits.push(milliseconds / 1000)
      moved?.advance(milliseconds)
    },
  }
}

/** Returns the given answers in order, then the last one permanently, and the number of requests. */
function answering(settings: Partial<ClientSettings>, ...answers: (() => Response)[]) {
  const clock = quickClock()
  let asked = 0
  const keys: (string | undefined)[] = []
  const client = createClient({
    baseUrl: app.url,
    random: () => 0,
    clock,
    fetch: async (_url, init) => {
      keys.push((init.headers as Record<string, string>)['idempotency-key'])
      const answer = answers[Math.min(asked, answers.length - 1)] as () => Response
      asked += 1
      return answer()
    },
    ...settings,
  })
  return { client, waits: clock.waits, asked: () => asked, keys }
}
const refused = (status: number, code: string, retryAfter?: string) => () =>
  Response.json(
    { error: { code, requestId: 'r' } },
    { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  )
const fine = () => Response.json({ status: 'fine' })
const dead = () => {
  throw new TypeError('fetch failed')
}

test('a read over the limit waits as long as the service says, and then succeeds', async () => {
  const clock = quickClock(strict)
  const client = createClient({ baseUrl: strict.url, clock, random: () => 0 })
  for (let read = 0; read < READS; read += 1) await client.readStats()
  assert.deepEqual(clock.waits, [])
  assert.equal((await client.readStats()).entries, 0)
  assert.equal(clock.waits.length, 1)
  const [waited = 0] = clock.waits
  assert.ok(Number.isInteger(waited) && waited >= 1 && waited <= 60, `${waited} s`)
})

test('a write in its cooldown waits and happens once', async () => {
  const clock = quickClock(strict)
  const client = createClient({ baseUrl: strict.url, clock, random: () => 0.5 })
  await client.createActor()
  await client.createEntry(TEXT)
  await client.createEntry({ ...TEXT, title: 'Twice' })
  // Whole seconds, and half of the spread.
  const [waited = 0, ...further] = clock.waits.map(seconds => seconds / 1.1)
  assert.deepEqual(further, [])
  assert.ok(waited >= 1 && waited < 30.01 && Math.abs(waited - Math.round(waited)) < 1e-6, `${waited} s`)
})

test('a wait longer than the maximum, or one attempt too many, throws with the seconds to wait', async () => {
  const long = answering({ maxWaitSeconds: 20 }, refused(429, 'RATE_LIMITED', '21'))
  await assert.rejects(long.client.readStats(), { code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 21 })
  assert.equal(long.asked(), 1)
  const often = answering({ retries: 2 }, refused(503, 'OVERLOADED', '1'))
  await assert.rejects(often.client.readStats(), { code: 'OVERLOADED', retryAfterSeconds: 1 })
  assert.deepEqual([often.asked(), ...often.waits], [3, 1, 1])
})

test('without a Retry-After the waits double; a date is accepted', async () => {
  const silent = answering({}, dead, refused(503, 'NOT_READY'), dead, fine)
  await silent.client.readStats()
  assert.deepEqual(silent.waits, [0.5, 1, 2])
  const now = Date.parse('2026-01-01T00:00:00Z')
  const clock = { ...quickClock(), now: () => now }
  const dated = answering({ clock }, refused(503, 'NOT_READY', new Date(now + 7_000).toUTCString()), fine)
  await dated.client.readStats()
  assert.deepEqual(clock.waits, [7])
})

test('a write is repeated with the same key after a refusal and after an unknown outcome', async () => {
  for (const code of ['RATE_LIMITED', 'COOLDOWN', 'NOT_READY', 'OVERLOADED']) {
    const status = code === 'RATE_LIMITED' || code === 'COOLDOWN' ? 429 : 503
    const harmless = answering({ token: 't' }, refused(status, code, '1'), fine)
    await harmless.client.createEntry(TEXT)
    assert.equal(harmless.asked(), 2, code)
  }
  for (const answer of [
    dead,
    refused(503, 'STORE_UNAVAILABLE', '1'),
    refused(503, 'UNEXPECTED_FAULT', '1'),
    () => new Response('<html>', { status: 503 }),
    () => new Response('<html>', { status: 504 }),
  ]) {
    const again = answering({ token: 't' }, answer, fine)
    await again.client.createEntry(TEXT)
    await again.client.createEntry(TEXT, { idempotencyKey: 'own' })
    assert.equal(again.asked(), 3)
    const [first, second, own] = again.keys
    assert.equal(first, second)
    assert.match(String(first), /^[0-9a-f]{32}$/)
    assert.equal(own, 'own')
    const unsure = answering({ token: 't', retries: 1 }, answer)
    const idempotencyKey = /^[0-9a-f]{32}$/
    await assert.rejects(unsure.client.createEntry(TEXT), {
      mayHaveHappened: true,
      idempotencyKey,
      message: /unknown: send it again/,
    })
    assert.equal(unsure.asked(), 2)
  }
})

test('an unknown outcome stays unknown when a later attempt is refused, and is settled by any final answer', async () => {
  const limited = answering({ token: 't', maxWaitSeconds: 5 }, dead, refused(429, 'RATE_LIMITED', '50'))
  await assert.rejects(limited.client.createEntry(TEXT), { code: 'RATE_LIMITED', mayHaveHappened: true })
  const waiting = answering({ token: 't' }, dead, refused(409, 'REQUEST_IN_PROGRESS', '1'), fine)
  await waiting.client.createEntry(TEXT)
  assert.deepEqual(waiting.waits, [0.5, 1])
  const settled = answering({ token: 't' }, dead, refused(409, 'STALE_REVISION'))
  const error = { code: 'STALE_REVISION', mayHaveHappened: false, idempotencyKey: null }
  await assert.rejects(settled.client.createEntry(TEXT), error)
  const reads = answering({ retries: 0 }, dead)
  await assert.rejects(reads.client.readStats(), { mayHaveHappened: false })
  assert.deepEqual(reads.keys, [undefined])
  for (const idempotencyKey of ['', 'a b', 'k'.repeat(256), 'ключ', '"']) {
    await assert.rejects(reads.client.createActor({}, { idempotencyKey }), { code: 'INVALID_ARGUMENT' })
  }
})

test('a permanent refusal and a probe are sent once', async () => {
  for (const answer of [refused(404, 'ENTRY_NOT_FOUND'), refused(409, 'STALE_REVISION'), refused(401, 'X')]) {
    const final = answering({}, answer)
    await assert.rejects(final.client.readStats())
    assert.equal(final.asked(), 1)
  }
  const probe = answering({}, refused(503, 'NOT_READY', '1'))
  await assert.rejects(probe.client.readReadiness(), { code: 'NOT_READY' })
  assert.equal(probe.asked(), 1)
})

test('writes whose answers are lost are stored once each, and so is an actor whose token was lost', async () => {
  let losses = 2
  const client = createClient({
    baseUrl: app.url,
    clock: quickClock(),
    fetch: async (url, init) => {
      const answer = await fetch(url, init)
      if (init.method === 'GET' || losses === 0) return answer
      losses -= 1
      throw new TypeError('the connection was reset')
    },
  })
  const { actor } = await client.createActor()
  losses = 2
  await client.createEntry({ ...TEXT, tags: ['lost'] })
  const before = client.token()
  losses = 2
  const rotated = await client.rotateToken()
  assert.equal(rotated.actor.id, actor.id)
  assert.notEqual(client.token(), before)
  losses = 10
  const given = await client.createEntry({ ...TEXT, tags: ['given up'] }).catch((error: unknown) => error)
  assert.ok(isClientError(given) && given.mayHaveHappened && given.code === 'NO_ANSWER')
  losses = 0
  const options = { idempotencyKey: String(given.idempotencyKey) }
  assert.equal((await client.createEntry({ ...TEXT, tags: ['given up'] }, options)).actor.id, actor.id)
  const count = async (tag: string): Promise<number> => (await client.searchEntries({ tag })).items.length
  assert.deepEqual([await count('lost'), await count('given up')], [1, 1])
})

test('an abort ends a call, a wait and an iteration with its own reason', async () => {
  const reason = new Error('enough')
  const aborted = AbortSignal.abort(reason)
  const never = answering({}, fine)
  await assert.rejects(never.client.readStats({ signal: aborted }), reason)
  assert.equal(never.asked(), 0)

  const control = new AbortController()
  const waiting = createClient({
    baseUrl: app.url,
    fetch: async () => {
      setImmediate(() => control.abort(reason))
      return refused(429, 'RATE_LIMITED', '50')()
    },
  })
  await assert.rejects(waiting.readStats({ signal: control.signal }), reason)

  const walk = new AbortController()
  const pages = createClient({ baseUrl: app.url }).all.listActivity({ limit: 1 }, { signal: walk.signal })
  assert.equal((await pages.next()).done, false)
  walk.abort(reason)
  await assert.rejects(pages.next(), reason)
})

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a service that does not answer, or stops in the middle, times out', async t => {
  const silent = await serve(t, () => {})
  const client = createClient({ baseUrl: silent, timeoutSeconds: 0.1, retries: 0 })
  await assert.rejects(client.readStats(), { code: 'NO_ANSWER', message: /longer than 0\.1 s/ })
  const halting = await serve(t, (_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' }).write('{"ent')
  })
  const half = createClient({ baseUrl: halting, timeoutSeconds: 0.1, retries: 0 })
  await assert.rejects(half.readStats(), { code: 'NO_ANSWER' })
})

test('a redirect is not followed, so that it gets no token', async t => {
  let stolen = 0
  const thief = await serve(t, (_, answer) => {
    stolen += 1
    answer.end('{}')
  })
  const moved = await serve(t, (_, answer) => {
    answer.writeHead(307, { location: `${thief}/api/entries` }).end()
  })
  const client = createClient({ baseUrl: moved, token: 'secret' })
  await assert.rejects(client.createEntry(TEXT), { code: 'REDIRECTED', status: 307 })
  assert.equal(stolen, 0)
})
