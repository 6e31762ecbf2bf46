import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, issueToken } from '../support/load.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { percentile } from '../support/times.ts'

const COUNT = 2_000
/** Slow clients are disconnected within this many milliseconds. */
const CLOSED_WITHIN = 20_000
/**
 * The longest wait of a normal client in 99 of 100 cases, in milliseconds; on a busy machine this many times its wait without slow clients.
 */
const PROMPT = 100
const SLOWER = 4
const TRICKLE = 1_000

/** The first data of a slow client, and the data that it sends every second. */
const KINDS: Record<string, { first: string; again: string }> = {
  'that send their header fields a letter a second': {
    first: 'GET /api/entries HTTP/1.1\r\nHost: x\r\nX-A: ',
    again: 'a',
  },
  'that send their body a letter a second': {
    first:
      'POST /api/actors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"declaredName":"',
    again: 'a',
  },
  'that say nothing at all': { first: '', again: '' },
  'that say nothing after their first request': { first: 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', again: '' },
}

const directory = makeDirectory()
let server: ServerProcess
let undisturbed = 0
before(async () => {
  server = await startServer(directory.path)
  undisturbed = percentile(await healthy(server.url, () => Promise.resolve(), 3_000), 99)
})
after(async () => {
  await server.stop()
  directory.remove()
})

/** The times of a client that reads and writes, in milliseconds, for some milliseconds and until `done` is. */
async function healthy(url: string, begin: () => Promise<unknown>, least: number): Promise<number[]> {
  const client = createClient(url, 1)
  const token = await issueToken(client)
  const times: number[] = []
  let over = false
  const done = Promise.all([begin(), pause(least)]).finally(() => {
    over = true
  })
  for (let n = 0; !over; n++) {
    const began = performance.now()
    const body = { title: 'A note', summary: 'A summary', content: `Content ${n}` }
    const answer =
      n % 4 === 0
        ? await client.send('POST', '/api/entries', body, token)
        : await client.send('GET', n % 4 === 1 ? '/api/entries?limit=5' : '/health')
    assert.ok(answer.status === 200 || answer.status === 201, answer.text)
    times.push(performance.now() - began)
    await pause(5)
  }
  client.close()
  await done
  return times
}

/** Connects as many slow clients; resolves with how long the last of them was let be, in milliseconds. */
async function beSlow(url: string, { first, again }: { first: string; again: string }): Promise<number> {
  const { port } = new URL(url)
  const sockets: Socket[] = []
  const began = performance.now()
  const closed = Array.from({ length: COUNT }, () => {
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    socket.resume()
    if (first !== '') socket.write(first)
    return new Promise<number>(resolve => socket.once('close', () => resolve(performance.now() - began)))
  })
  const trickle = setInterval(() => {
    for (const socket of sockets) if (again !== '' && socket.writable) socket.write(again)
  }, TRICKLE)
  try {
    const all = Promise.all(closed).then(times => Math.max(...times))
    const last = await Promise.race([all, pause(CLOSED_WITHIN + 10_000, undefined, { ref: false })])
    const open = sockets.filter(socket => !socket.closed).length
    assert.ok(last !== undefined, `${open} of ${COUNT} are still open`)
    return last
  } finally {
    clearInterval(trickle)
    for (const socket of sockets) socket.destroy()
  }
}

for (const [what, kind] of Object.entries(KINDS)) {
  test(`${COUNT} clients ${what} are disconnected, and a normal one sees no delay`, async context => {
    let last = 0
    const slow = async (): Promise<void> => {
      last = await beSlow(server.url, kind)
    }
    const p99 = percentile(await healthy(server.url, slow, 0), 99)
    context.diagnostic(
      `the last was closed after ${(last / 1_000).toFixed(1)} s; p99 of the healthy one ${p99.toFixed(1)} ms, undisturbed ${undisturbed.toFixed(1)} ms`,
    )
    assert.ok(last < CLOSED_WITHIN, `the last was closed after ${last} ms`)
    assert.ok(p99 < Math.max(PROMPT, SLOWER * undisturbed), `p99 ${p99} ms, undisturbed ${undisturbed} ms`)
  })
}
