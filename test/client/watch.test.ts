import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Activity, type ClientSettings, createClient } from '../../src/client/index.ts'
import { shareApp } from '../support/app.ts'
import { columnOf, newActor, newEntry } from '../support/client.ts'

let token: string
const app = shareApp({}, async () => {
  ;({ token } = await newActor(app.url))
})

/** A client that does not wait, with its requests and its waits. */
function watcher(settings: Partial<ClientSettings> = {}) {
  const waits: number[] = []
  const sent: { url: string; headers: Headers }[] = []
  const client = createClient({
    baseUrl: app.url,
    random: () => 0,
    clock: {
      now: () => Date.now(),
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted()
        waits.push(milliseconds / 1000)
      },
    },
    ...settings,
    fetch: (url, init) => {
      sent.push({ url, headers: new Headers(init.headers) })
      return (settings.fetch ?? fetch)(url, init)
    },
  })
  return { client, waits, sent }
}

/** The rows of a feed of three new entries. */
async function makeThree(): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < 3; made += 1) ids.push((await newEntry(app.url, token)).id)
  return ids
}

async function take<Row>(count: number, watched: AsyncGenerator<Row>): Promise<Row[]> {
  const taken: Row[] = []
  for await (const activity of watched) {
    taken.push(activity)
    if (taken.length === count) break
  }
  return taken
}

/** The events of a body, the last one of `every` followed by an error, however they arrive in pieces. */
async function* cut(body: ReadableStream<Uint8Array>, every: number): AsyncGenerator<Uint8Array> {
  let text = ''
  let rows = 0
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end + 2)
      text = text.slice(end + 2)
      yield new TextEncoder().encode(event)
      if (/^data:/m.test(event)) rows += 1
      if (rows === every) throw new TypeError('terminated')
    }
  }
}

/** The stream of a service whose connections are cut after each `every` rows. */
const cutting =
  (every: number): NonNullable<ClientSettings['fetch']> =>
  async (url, init) => {
    const response = await fetch(url, init)
    assert.ok(response.body)
    return new Response(ReadableStream.from(cut(response.body, every)), response)
  }

/** A stream that is cut before its first row. */
const cutStream = (): Response => {
  const body = new ReadableStream({
    start: controller => controller.enqueue(new TextEncoder().encode(': open\n\n')),
    pull: controller => controller.error(new TypeError('terminated')),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const refusal = (status: number, code: string, retryAfter?: string) =>
  Response.json(
    { error: { code, requestId: 'r' } },
    { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} },
  )

test('rows after an id are returned in order, followed by new ones', async () => {
  const { client, sent } = watcher()
  const newest = (await client.listActivity({ limit: 1 })).items[0]?.sequence ?? '0'
  const known = await makeThree()
  const watched = client.watchActivity({ after: newest })
  const first = await watched.next()
  const later = await makeThree()
  const taken = [first.value as Activity, ...(await take(5, watched))]
  assert.deepEqual(columnOf(taken, 'entryId'), [...known, ...later])
  assert.ok(sent.at(-1)?.url.endsWith(`/api/activity/stream?after=${newest}`))
  assert.equal(sent.at(-1)?.headers.get('accept'), 'text/event-stream')
  assert.equal(sent.at(-1)?.headers.get('x-actor-token'), null)
})

test('a stream that is cut repeatedly continues after the last event, without loss or repetition', async () => {
  const { client, waits, sent } = watcher({ fetch: cutting(2) })
  const after = (await createClient({ baseUrl: app.url }).listActivity({ limit: 1 })).items[0]?.sequence ?? '0'
  const watched = client.watchActivity({ after })
  const wanted: string[] = []
  const taken: (string | null)[] = []
  for (let round = 0; round < 4; round += 1) {
    wanted.push(...(await makeThree()))
    while (taken.length < wanted.length) taken.push(((await watched.next()).value as Activity).entryId)
  }
  await watched.return()
  assert.deepEqual(taken, wanted)
  assert.equal(sent.length, 6)
  assert.equal(sent[0]?.headers.get('last-event-id'), null)
  for (const { headers } of sent.slice(1)) assert.match(headers.get('last-event-id') ?? '', /^\d+$/)
  assert.ok(
    waits.every(seconds => seconds === 2),
    `${waits}`,
  )
})

test('the wait is the one that the service requests, and grows with consecutive failures', async () => {
  let asked = 0
  const { client, waits } = watcher({
    fetch: async (url, init) => {
      asked += 1
      if (asked === 1) return refusal(429, 'TOO_MANY_STREAMS', '15')
      if (asked === 2) return cutStream()
      if (asked < 7) throw new TypeError('fetch failed')
      return asked === 7 ? refusal(503, 'OVERLOADED', '90') : fetch(url, init)
    },
  })
  const watched = client.watchActivity()
  const first = watched.next()
  // Whenever the stream is open, there is something new.
  while (asked < 8 || waits.length < 7) await newEntry(app.url, token)
  await newEntry(app.url, token)
  assert.equal((await first).value?.action, 'CREATE')
  await watched.return()
  assert.deepEqual(waits, [15, 2, 4, 8, 16, 32, 90])
})

test('changes of some entries are listed, iterated and watched', async () => {
  const { client } = watcher()
  const [one = '', , three = ''] = await makeThree()
  const { sequence } = await client.listChanges({ entry: one })
  const after = String(Number(sequence) - 3)
  const walked = await Array.fromAsync(client.all.listChanges({ after, limit: 1 }))
  const listed = await client.listChanges({ after, entry: `${one},${three}` })
  assert.deepEqual(columnOf(listed.items, 'entryId'), [one, three])
  assert.equal(walked.length, 3)
  const watched = client.watchChanges({ after, entry: `${one},${three}` })
  assert.deepEqual(await take(2, watched), listed.items)
})

test('permanent errors are thrown, and also temporary ones before the stream was open once', async () => {
  await assert.rejects(watcher().client.watchActivity({ after: 'x' }).next(), { code: 'INVALID_AFTER', status: 400 })
  const dead = watcher({ fetch: () => Promise.reject(new TypeError('fetch failed')), retries: 2 })
  await assert.rejects(dead.client.watchActivity().next(), { code: 'NO_ANSWER' })
  assert.deepEqual(dead.waits, [2, 4])
  const page = watcher({ fetch: async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }) })
  await assert.rejects(page.client.watchActivity().next(), { code: 'UNREADABLE_ANSWER' })
  const nonsense = watcher({
    fetch: async () => new Response('data: {\n\n', { headers: { 'content-type': 'text/event-stream' } }),
  })
  await assert.rejects(nonsense.client.watchActivity().next(), { code: 'UNREADABLE_ANSWER' })
})

test('a signal ends the stream with its own reason, a break closes its connection', async (t: TestContext) => {
  const ending = new AbortController()
  t.after(() => ending.abort())
  const waiting = watcher().client.watchActivity({}, { signal: ending.signal }).next()
  const reason = new Error('enough')
  setImmediate(() => ending.abort(reason))
  await assert.rejects(waiting, reason)
  // More of them than may be open at once.
  const { client } = watcher({ retries: 0 })
  for (let round = 0; round < 20; round += 1) {
    const [seen] = await take(1, client.watchActivity({ after: '0' }))
    assert.equal(seen?.sequence, '1')
  }
})
