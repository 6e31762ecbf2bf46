import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { seededRandom } from '../support/random.ts'
import { actorFrom, assertRefused, callerFrom, expectOk, left, list, standings } from './rate-limits.ts'

const READS = 6
const WRITES = 4
const MINUTE = 60_000
const DAY = 86_400_000

/** The clock advances only by a test, so that no quota is restored in between. */
const at = Date.now()

let app: TestApp
before(async () => {
  app = await startApp(
    {
      READ_LIMIT_PER_MINUTE: String(READS),
      WRITE_LIMIT_PER_MINUTE: String(WRITES),
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
    { now: () => at },
  )
})
after(() => app.close())

let made = 0
const address = (): string => `203.0.113.${++made}`
const from = (origin: string) => callerFrom(app, origin)
const entryBody = () => ({ title: `Limit ${++made}`, content: 'c', summary: 's' })

test('a burst of the whole quota is admitted, the next request is refused, and waiting Retry-After suffices', async () => {
  const visit = from(address())
  for (let n = 1; n <= READS; n++) {
    const answer = await list(visit)
    expectStatus(answer, 200)
    assert.equal(answer.headers.get('ratelimit-policy'), `"read-origin";q=${READS};w=60`)
    assert.deepEqual(Object.keys(standings(answer)), ['read-origin'])
    assert.equal(left(answer, 'read-origin'), READS - n)
    if (n === 1) app.advance(20_000)
  }
  const refused = await list(visit)
  const wait = assertRefused(refused)
  assert.equal(wait, 40)
  assert.equal(standings(refused)['read-origin']?.r, 0)
  assert.equal(refused.headers.get('ratelimit-policy'), `"read-origin";q=${READS};w=60`)
  app.advance(wait * 1_000 - 1)
  assert.equal(assertRefused(await list(visit)), 1)
  app.advance(1)
  expectStatus(await list(visit), 200)
  assertRefused(await list(visit))
})

test('no 60 seconds have more than the quota, for any pattern of requests', async () => {
  const random = seededRandom('arrivals over HTTP')
  const visit = from(address())
  const admitted: number[] = []
  let now = 0
  for (let step = 0; step < 120; step++) {
    const gap = random.pick([0, 0, 0, 10, 5_000, 12_000, 30_000, 59_000, 61_000])
    app.advance(gap)
    now += gap
    const answer = await list(visit)
    if (answer.status === 200) admitted.push(now)
    else assertRefused(answer)
  }
  assert.ok(admitted.length > READS * 2)
  for (const [index, first] of admitted.entries()) {
    const within = (admitted[index + READS] ?? Number.POSITIVE_INFINITY) - first
    assert.ok(within >= MINUTE, `${READS + 1} requests within ${within} ms`)
  }
})

test('of many simultaneous requests exactly the quota is admitted', async () => {
  const visit = from(address())
  const answers = await Promise.all(Array.from({ length: 40 }, () => list(visit)))
  assert.equal(answers.filter(({ status }) => status === 200).length, READS)
  for (const answer of answers) if (answer.status !== 200) assertRefused(answer)
})

test('origin and token are limited independently, and so are reads and writes', async () => {
  const [home, away, third] = [from(address()), from(address()), from(address())]
  const token = await actorFrom(home)
  for (let n = 1; n <= READS; n++) {
    const answer = await list(n % 2 ? home : away, { token })
    assert.equal(left(answer, 'read-token'), READS - n)
    assert.equal(left(answer, 'read-origin'), READS - Math.ceil(n / 2))
    const policy = `"read-origin";q=${READS};w=60, "read-token";q=${READS};w=60`
    assert.equal(answer.headers.get('ratelimit-policy'), policy)
  }
  assertRefused(await list(third, { token }))
  // The refusal of the token was not charged to the origin, and origins without the token go on.
  assert.equal(left(expectOk(await list(third)), 'read-origin'), READS - 1)
  assert.equal(left(expectOk(await list(home)), 'read-origin'), READS / 2 - 1)
  const written = await third('POST', '/api/entries', { token, body: entryBody() })
  expectStatus(written, 201)
  assert.equal(left(written, 'write-token'), WRITES - 1)

  // One origin, many tokens.
  const crowd = from(address())
  const tokens = [await actorFrom(crowd), await actorFrom(crowd), await actorFrom(crowd)]
  expectStatus(await crowd('POST', '/api/entries', { token: tokens[0] ?? '', body: entryBody() }), 201)
  assertRefused(await crowd('POST', '/api/entries', { token: tokens[1] ?? '', body: entryBody() }))
  const elsewhere = await from(address())('POST', '/api/entries', { token: tokens[1] ?? '', body: entryBody() })
  assert.equal(left(elsewhere, 'write-token'), WRITES - 1)
})

test('health, readiness and the guides are not charged', async () => {
  const visit = from(address())
  for (let n = 0; n < READS; n++) await list(visit)
  assertRefused(await list(visit))
  for (const path of ['/health', '/ready', '/openapi.json', '/agents', '/agents.md', '/skill.md', '/llms.txt']) {
    for (let n = 0; n < 3; n++) {
      const answer = expectOk(await visit('GET', path))
      assert.deepEqual([answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')], [null, null])
    }
  }
})

test('a restart does not reset the limits', async () => {
  const [visit, writer] = [from(address()), from(address())]
  const token = await actorFrom(writer)
  for (let n = 0; n < READS; n++) expectOk(await list(visit))
  for (let n = 1; n < WRITES; n++) {
    expectStatus(await writer('POST', '/api/entries', { token, body: entryBody() }), 201)
  }
  await app.restart()
  assertRefused(await list(visit))
  assertRefused(await writer('POST', '/api/entries', { token, body: entryBody() }))
  assertRefused(await writer('POST', '/api/actors', { body: {} }))
  app.advance(MINUTE)
  assert.equal(left(expectOk(await list(visit)), 'read-origin'), READS - 1)
})

test('midnight does not reset the limits', async () => {
  const visit = from(address())
  const token = await actorFrom(visit)
  const born = await visit('POST', '/api/entries', { token, body: entryBody() })
  const at = Date.parse((expectStatus(born, 201) as unknown as Entry).createdAt)
  app.advance(DAY - (at % DAY) - 20_000)
  for (let n = 0; n < READS; n++) expectOk(await list(visit, { token }))
  app.advance(30_000)
  assertRefused(await list(visit))
  assertRefused(await list(from(address()), { token }))
  const next = await visit('POST', '/api/entries', { token, body: entryBody() })
  const after = (expectStatus(next, 201) as unknown as Entry).createdAt
  assert.notEqual(after.slice(0, 10), new Date(at).toISOString().slice(0, 10))
})

test('X-Forwarded-For of a trusted proxy is read from the right; /64 networks and mapped addresses are one origin', async () => {
  const own = address()
  const spellings = [
    own,
    `::ffff:${own}`,
    `192.0.2.1, ${own}`,
    `192.0.2.2, ${own}, 127.0.0.9`,
    ` ${own} `,
    `bad, ${own}`,
  ]
  for (const [n, spelling] of spellings.entries()) {
    assert.equal(left(expectOk(await list(from(spelling))), 'read-origin'), READS - n - 1, spelling)
  }
  assertRefused(await list(from(own)))
  const block = (++made).toString(16)
  for (let n = 1; n <= READS; n++) {
    assert.equal(left(expectOk(await list(from(`2001:db8:${block}:1::${n}`))), 'read-origin'), READS - n)
  }
  assertRefused(await list(from(`2001:db8:${block}:1:ffff::1`)))
  assert.equal(left(expectOk(await list(from(`2001:db8:${block}:2::1`))), 'read-origin'), READS - 1)
})

test('all /64 networks of one /48 together have sixteen times the limit of one', async () => {
  const block = (++made).toString(16)
  const visit = (network: number) => list(from(`2001:db8:${block}:${network.toString(16)}::1`))
  for (let n = 1; n <= READS * 16; n++) {
    const answer = expectOk(await visit(n))
    assert.equal(left(answer, 'read-origin'), READS - 1)
    assert.equal(left(answer, 'read-network'), READS * 16 - n)
  }
  assertRefused(await visit(1_000))
  expectOk(await list(from(`2001:db9:${block}:1000::1`)))
  const writes = Array.from({ length: WRITES * 16 + 1 }, (_, n) =>
    from(`2001:db8:${block}:${n.toString(16)}::2`)('POST', '/api/actors', { body: {} }),
  )
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [...Array.from({ length: WRITES * 16 }, () => 201), 429],
  )
})

test('without trusted proxies a forged X-Forwarded-For changes nothing', async () => {
  await using plain = await startApp({ READ_LIMIT_PER_MINUTE: String(READS) })
  for (let n = 1; n <= READS; n++) {
    const headers = { 'x-forwarded-for': address(), forwarded: `for=${address()}`, 'x-real-ip': address() }
    assert.equal(left(await call(plain.url, 'GET', '/api/stats', { headers }), 'read-origin'), READS - n)
  }
  assertRefused(await call(plain.url, 'GET', '/api/stats', { headers: { 'x-forwarded-for': address() } }))
  // Writes have a quota of their own, here out of the way.
  const { token } = await newActor(plain.url)
  await newEntry(plain.url, token)
})
