import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { newActor, newEntry } from '../support/client.ts'
import { COSTLY_CONTENTS } from '../support/costly.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'

const CLIENTS = 24
/** The most costly answers that /health may wait for: those of the turn of the event loop in which it arrives, and of the one before. */
const FIRST = CLIENTS / 2

const directory = makeDirectory()
let server: ServerProcess
before(async () => {
  server = await startServer(directory.path)
})
after(async () => {
  await server.stop()
  directory.remove()
})

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n`
const statusOf = (head: Buffer): string => head.toString('latin1', 9, 12)

/** Requests each of the paths over a new connection, then /health. Returns how many of them were answered before it. */
async function answeredBefore(context: TestContext, paths: readonly string[]): Promise<number> {
  const others = await Promise.all(paths.map(open))
  const health = await open()
  context.after(() => {
    for (const socket of [...others, health]) socket.destroy()
  })
  let answered = 0
  const ends = others.map(async (socket, at) => {
    socket.write(get(String(paths[at])))
    const [head] = (await once(socket, 'data')) as [Buffer]
    answered += 1
    return statusOf(head)
  })
  health.write(get('/health'))
  const [head] = (await once(health, 'data')) as [Buffer]
  const before = answered
  const statuses = new Set(await Promise.all(ends))
  assert.equal(statusOf(head), '200')
  assert.deepEqual(
    [...statuses].filter(status => status !== '200' && status !== '503'),
    [],
  )
  return before
}

test('/health is answered before most of the costly requests that were sent before it', async context => {
  const { token } = await newActor(server.url)
  const costly = String(COSTLY_CONTENTS['emphasis, strong and struck through'])
  const slugs: string[] = []
  // A content that was shown before is not rendered again.
  for (let n = 0; n < CLIENTS; n++) {
    const { slug } = await newEntry(server.url, token, { title: `Costly ${n}`, content: `${n} ${costly.slice(0, -4)}` })
    slugs.push(slug)
  }
  const kinds = {
    pages: slugs.map(slug => `/entries/${slug}`),
    finds: slugs.map((_, n) => `/api/find?q=${'costly+text+'.repeat(100)}${n}&limit=20`),
    searches: slugs.map((_, n) => `/search?q=costly+text+${n}`),
  }
  for (const [kind, paths] of Object.entries(kinds)) {
    const before = await answeredBefore(context, paths)
    assert.ok(before <= FIRST, `${before} of ${CLIENTS} ${kind} were answered before /health`)
  }
})
