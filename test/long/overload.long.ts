import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { compileShim } from '../faults/tools.ts'
import { newActor, newEntry } from '../support/client.ts'
import { COSTLY_CONTENTS } from '../support/costly.ts'
import { createClient } from '../support/load.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { percentile } from '../support/times.ts'

/** The outcome of a request: its status, or undefined if no answer arrived in time, and the time in milliseconds. */
type Ending = { status: number | undefined; retryAfter: boolean; after: number; at: number }

const TICK = 10
/**
 * Number of connections that are opened in advance and reused, like those of a proxy. A request without a free connection counts as
 * unanswered.
 */
const CONNECTIONS = 1_500

/**
 * Sends a request `rate` times per second for `milliseconds`, independent of the answers, like many independent clients. Each request waits
 * for `patience` milliseconds.
 */
async function sendAtRate(
  url: string,
  requestOf: (n: number) => string,
  { rate, milliseconds, patience }: { rate: number; milliseconds: number; patience: number },
): Promise<Ending[]> {
  const { port } = new URL(url)
  const endings: Ending[] = []
  const idle: Socket[] = []
  let sent = 0
  for (let n = 0; n < CONNECTIONS; n++) idle.push(await connected(Number(port)))
  const send = (text: string): void => {
    const at = performance.now()
    let socket = idle.pop()
    // A connection that was closed while idle is opened again.
    if (socket?.writable === false || socket?.destroyed) socket = connect(Number(port), '127.0.0.1')
    const end = (status: number | undefined, retryAfter = false): void => {
      endings.push({ status, retryAfter, after: performance.now() - at, at })
    }
    if (socket === undefined) {
      end(undefined)
      return
    }
    let answer = ''
    const leave = (): void => {
      clearTimeout(late)
      socket.removeAllListeners()
      socket.on('error', () => {})
      socket.destroy()
    }
    const late = setTimeout(() => {
      leave()
      end(undefined)
    }, patience)
    socket.once('error', () => {
      leave()
      end(undefined)
    })
    socket.once('close', () => {
      leave()
      end(undefined)
    })
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (!isWhole(answer)) return
      end(Number(answer.slice(9, 12)), /^retry-after: /im.test(answer))
      if (/^connection: close/im.test(answer)) return leave()
      clearTimeout(late)
      socket.removeAllListeners()
      socket.once('error', leave)
      socket.once('close', leave)
      idle.push(socket)
    })
    socket.write(text)
  }
  const began = performance.now()
  for (let now = began; now - began < milliseconds; now = performance.now()) {
    for (; sent < ((now - began) * rate) / 1_000; sent++) send(requestOf(sent))
    await pause(TICK)
  }
  while (endings.length < sent) await pause(TICK)
  for (const socket of idle) socket.destroy()
  return endings
}

const connected = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.removeListener('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })

/** Whether an answer with a Content-Length is complete. */
function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return false
  const length = Number(/^content-length: (\d+)/im.exec(answer.slice(0, head))?.[1] ?? 0)
  return answer.length >= head + 4 + length
}

const TIMES = 10
const LASTS = Number(process.env.OVERLOAD_MS ?? 30_000)
/** How long clients wait for an answer, in milliseconds. */
const PATIENCE = 5_000
const GOODPUT = 0.7
/** The longest time of /health in 99 of 100 cases, in milliseconds; on a busy machine this many times its time at the peak. */
const HEALTH_WITHIN = 1_000
const HEALTH_SLOWER = 6
const RECOVERED_WITHIN = 2_000
const PEAK_LASTS = 5_000
/** More texts than the caches can store, so that each page in turn is rendered again. A page from memory costs little more than a refusal. */
const TEXTS = 1_500

const directory = makeDirectory()
const shim = compileShim(directory.path)
const servers: ServerProcess[] = []
after(async () => {
  for (const server of servers) {
    await server.stop()
  }
  directory.remove()
})

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

/** The rate of the service per second under independent clients, each with one request at a time. */
async function peakOf(url: string, requestOf: (n: number) => string, clients: number): Promise<number> {
  let done = 0
  let n = 0
  const client = createClient(url, clients)
  const until = performance.now() + PEAK_LASTS
  const drive = async (): Promise<void> => {
    while (performance.now() < until) {
      const text = requestOf(n++)
      const [, method = '', path = ''] = /^(\w+) (\S+)/.exec(text) ?? []
      const token = /x-actor-token: (\S+)/i.exec(text)?.[1]
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      const answer = await client.send(method, path, body === '' ? undefined : JSON.parse(body), token)
      if (answer.status < 300) done++
    }
  }
  await Promise.all(Array.from({ length: clients }, drive))
  client.close()
  return done / (PEAK_LASTS / 1_000)
}

/** Performs work. Returns the time of /health during it in 99 of 100 cases, in milliseconds. */
async function watchingHealth<T>(url: string, work: () => Promise<T>): Promise<[T, number]> {
  const times: number[] = []
  let over = false
  const client = createClient(url, 1)
  const watch = async (): Promise<void> => {
    while (!over) {
      const began = performance.now()
      assert.equal((await client.send('GET', '/health')).status, 200)
      times.push(performance.now() - began)
      await pause(50)
    }
  }
  const watching = watch()
  const result = await work()
  over = true
  await watching
  client.close()
  return [result, percentile(times, 99)]
}

/** Sends ten times its capacity to a service and asserts that it continues to serve. Returns the figures. */
async function overload(url: string, requestOf: (n: number) => string, clients: number): Promise<string> {
  const [peak, before] = await watchingHealth(url, () => peakOf(url, requestOf, clients))
  const asked = { rate: peak * TIMES, milliseconds: LASTS, patience: PATIENCE }
  const [endings, health] = await watchingHealth(url, () => sendAtRate(url, requestOf, asked))
  const again = await sendAtRate(url, requestOf, {
    rate: peak / 4,
    milliseconds: RECOVERED_WITHIN * 2,
    patience: PATIENCE,
  })
  const tally = new Map<string, number>()
  for (const { status } of endings) tally.set(String(status), (tally.get(String(status)) ?? 0) + 1)
  const good = endings.filter(({ status }) => status !== undefined && status < 300).length / (LASTS / 1_000)
  const summary = `peak ${peak.toFixed(0)}/s, goodput ${good.toFixed(0)}/s of ${(endings.length / (LASTS / 1_000)).toFixed(0)}/s asked, ${JSON.stringify(Object.fromEntries(tally))}, /health p99 ${health.toFixed(0)} ms (at the peak ${before.toFixed(0)} ms)`
  assert.ok(good >= GOODPUT * peak, summary)
  assertExcess(endings, summary)
  assert.ok(health < Math.max(HEALTH_WITHIN, HEALTH_SLOWER * before), summary)
  const late = again.filter(({ at }) => at - (again[0]?.at ?? 0) > RECOVERED_WITHIN)
  assert.ok(
    late.every(({ status }) => status !== undefined && status < 300),
    `not recovered: ${summary}`,
  )
  return summary
}

/** Requests past the capacity are refused at once, with Retry-After. */
function assertExcess(endings: readonly Ending[], summary: string): void {
  const refused = endings.filter(({ status }) => status === 503 || status === 429)
  assert.ok(
    refused.every(({ retryAfter }) => retryAfter),
    summary,
  )
  const unanswered = endings.filter(
    ({ status }) => status === undefined || (status >= 300 && status !== 503 && status !== 429),
  )
  assert.ok(unanswered.length < endings.length / 100, `${unanswered.length} unanswered, ${summary}`)
}

async function startWithActor(name: string, env: Record<string, string> = {}) {
  const server = await startServer(join(directory.path, name), { env })
  servers.push(server)
  const { token } = await newActor(server.url)
  return { url: server.url, token }
}

test('a service that gets ten times its capacity of pages answers at capacity, and recovers', async context => {
  const { url, token } = await startWithActor('pages')
  const costly = String(COSTLY_CONTENTS['emphasis, strong and struck through'])
  const slugs: string[] = []
  for (let n = 0; n < TEXTS; n++) {
    const content = `${n} ${costly.slice(0, -5)}`
    slugs.push((await newEntry(url, token, { content, summary: 'word' })).slug)
  }
  context.diagnostic(await overload(url, n => get(`/entries/${slugs[n % TEXTS]}`, 'Accept: text/html\r\n'), 16))
})

test('a service that gets ten times its capacity of searches answers at capacity, and recovers', async context => {
  const { url, token } = await startWithActor('searches')
  const content = Array.from({ length: 3_000 }, (_, word) => `w${word % 50}`).join(' ')
  for (let n = 0; n < 3_000; n++) await newEntry(url, token, { content: `${content} n${n}` })
  const path = '/api/search?q=w1+w2+w3+w4+w5+w6+w7+w8&sort=relevance&limit=1'
  context.diagnostic(await overload(url, () => get(path), 16))
})

test('a service on a slow disk that gets ten times its capacity of writes answers at capacity, and recovers', {
  skip: shim === false && 'syncs cannot be made slow here',
}, async context => {
  const { url, token } = await startWithActor('writes', { LD_PRELOAD: String(shim), SHIM_DELAY_MS: '1000' })
  const post = (n: number): string => {
    const body = JSON.stringify({ title: 'A note', summary: 'A summary', content: `Content ${n}` })
    const fields = `Content-Type: application/json\r\nX-Actor-Token: ${token}\r\nContent-Length: ${body.length}`
    return `POST /api/entries HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n${body}`
  }
  context.diagnostic(await overload(url, post, 600))
})
