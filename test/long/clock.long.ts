import assert from 'node:assert/strict'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from '../../src/contract/resources.ts'
import { sql } from '../../src/engine/database.ts'
import { type Answer, call, newActor, newEntry, revisionOf } from '../support/client.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { inspect } from '../support/reader.ts'

const LIMIT = 20
const WINDOW = 60_000
const HOUR = 3_600
const YEAR = 365 * 24 * HOUR
const POLL = 250
/** Between the moment that counts, in the service, and those that can be seen from outside, in milliseconds. */
const TOLERANCE = 500

const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]
if (library === undefined)
  process.stderr.write("\n!!! NOT TESTED HERE: false clocks need Debian's package faketime\n\n")
const skip = library === undefined && 'clocks cannot be set here'

const directory = makeDirectory()
const clock = join(directory.path, 'clock')
const dataDir = join(directory.path, 'data')
let server: ServerProcess | undefined
after(async () => {
  server?.kill('SIGKILL')
  await server?.ended
  directory.remove()
})

/** Sets how many seconds the clock of the service goes before that of the machine. */
const setClock = (seconds: number): void => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${Math.round(seconds)}\n`)

const start = (): Promise<ServerProcess> =>
  startServer(dataDir, {
    env: {
      LD_PRELOAD: String(library),
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      TRUSTED_PROXIES: '127.0.0.0/8',
      READ_LIMIT_PER_MINUTE: String(LIMIT),
    },
  })

/** Spellings of one network each. They are one origin; addresses to their left are forged. */
const SPELLINGS: Record<string, readonly string[]> = {
  'IPv4, mapped, with a port and behind forged ones': [
    '203.0.113.9',
    '::ffff:203.0.113.9',
    '203.0.113.9:4711',
    '8.8.8.8, 203.0.113.9',
  ],
  'addresses of one /64': [
    '2001:db8:1:2::1',
    '2001:db8:1:2:ffff::9',
    '[2001:db8:1:2::3]:4711',
    'fe80::1, 2001:db8:1:2:a:b:c:d',
  ],
}

/** Sends requests under all spellings in turn for some milliseconds. Records the admissions, and returns the last Retry-After. */
async function ask(spellings: readonly string[], milliseconds: number, admitted: number[]): Promise<number> {
  let waits = 0
  const until = performance.now() + milliseconds
  for (let n = 0; performance.now() < until; n++) {
    const headers = { 'x-forwarded-for': String(spellings[n % spellings.length]) }
    const { status, headers: fields } = await call(String(server?.url), 'GET', '/api/discovery', { headers })
    if (status === 200) admitted.push(performance.now())
    else {
      assert.equal(status, 429)
      waits = Number(fields.get('retry-after'))
      assert.ok(waits >= 1 && waits <= 60, `Retry-After ${waits}`)
      await pause(POLL)
    }
  }
  return waits
}

function assertWithinLimit(admitted: readonly number[]): void {
  for (const [index, at] of admitted.entries()) {
    const within = admitted.slice(index).filter(other => other < at + WINDOW - TOLERANCE).length
    assert.ok(within <= LIMIT, `${within} within a minute`)
  }
}

const clockOf = async (): Promise<string> => String((await fetch(`${server?.url}/health`)).headers.get('date'))

test('in any minute around midnight and over restarts an origin is admitted up to its limit, for any forged address', {
  skip,
}, async context => {
  const now = Date.now() / 1_000
  setClock(Math.ceil(now / 86_400) * 86_400 - 25 - now)
  server = await start()
  assert.match(await clockOf(), / 23:59:\d\d GMT$/)
  const kinds = Object.values(SPELLINGS).map(spellings => ({ spellings, admitted: [] as number[] }))
  const askAll = (milliseconds: number): Promise<unknown> =>
    Promise.all(kinds.map(({ spellings, admitted }) => ask(spellings, milliseconds, admitted)))
  await askAll(8_000)
  server.kill('SIGKILL')
  await server.ended
  server = await start()
  await askAll(25_000)
  assert.match(await clockOf(), / 00:00:\d\d GMT$/)
  await server.stop()
  server = await start()
  await askAll(65_000)
  for (const { admitted } of kinds) {
    assertWithinLimit(admitted)
    assert.ok(admitted.length > LIMIT, 'after a minute it is admitted again')
  }
  context.diagnostic(`admitted ${kinds.map(({ admitted }) => admitted.length).join(' and ')} times in about 100 s`)
})

test('a clock that is set back or ahead by an hour excludes no caller for longer than a minute, and times never decrease', {
  skip,
}, async () => {
  assert.ok(server)
  setClock(0)
  const { url } = server
  const { token } = await newActor(url)
  let entry = await newEntry(url, token)
  for (const [n, step] of [-HOUR, HOUR].entries()) {
    const origin = [`198.51.100.${n}`]
    const admitted: number[] = []
    await ask(origin, 3_000, admitted)
    assert.equal(admitted.length, LIMIT)
    setClock(step)
    const stepped = performance.now()
    const again: number[] = []
    await ask(origin, WINDOW + 3_000, again)
    assert.ok(again.length > 0 && (again[0] ?? 0) - stepped < WINDOW + 1_000, 'it is admitted again within a minute')
    const body = revisionOf(entry)
    const revised = await call<Entry>(url, 'POST', `/api/entries/${entry.id}/revisions`, { token, body })
    assert.equal(revised.status, 201, revised.text)
    assert.ok(revised.body.updatedAt >= entry.updatedAt, `${revised.body.updatedAt} after ${entry.updatedAt}`)
    entry = revised.body
    assert.equal((await fetch(`${url}/ready`)).status, 200)
  }
})

/** When housekeeping last ran, by the clock of the service, in milliseconds since 1970. */
const lastSweep = async (): Promise<number> =>
  inspect(dataDir, async store => (await store.one<{ at: number }>(sql`SELECT served_at AS at FROM head`))?.at ?? 0)

test('after a jump of a year ahead and back, with a restart in between, writes have the time of the clock and a keyed write is recognised', {
  skip,
}, async () => {
  setClock(0)
  server ??= await start()
  const { token } = await newActor(server.url)
  const body = { title: 'Written once', content: 'Content', summary: 'Summary' }
  const headers = { 'idempotency-key': 'once' }
  const write = (): Promise<Answer> => call(String(server?.url), 'POST', '/api/entries', { token, body, headers })
  const first = await write()
  assert.equal(first.status, 201, first.text)
  setClock(YEAR)
  const ahead = Date.now() + (YEAR - HOUR) * 1_000
  await eventually('housekeeping a year ahead', 2 * WINDOW, async () => (await lastSweep()) > ahead || undefined)
  assert.equal((await write()).text, first.text)
  await server.stop()
  server = await start()
  await newEntry(server.url, token)
  setClock(0)
  assert.equal((await write()).text, first.text)
  const { createdAt } = await newEntry(server.url, token)
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < WINDOW, createdAt)
})
