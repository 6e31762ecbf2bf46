import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startApp } from '../support/app.ts'
import { newActor, newEntry } from '../support/client.ts'

const READERS = 40
/** Slow clients are disconnected within this many milliseconds. */
const CLOSED_WITHIN = 20_000

test('clients that do not read are disconnected, and others are served', async () => {
  const app = await startApp()
  const sockets: Socket[] = []
  try {
    const { token } = await newActor(app.url)
    for (let n = 0; n < 50; n++) await newEntry(app.url, token, { content: 'x'.repeat(20_000) })
    const { port } = new URL(app.url)
    let closed = 0
    for (let n = 0; n < READERS; n++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.pause()
      socket.on('error', () => {})
      socket.once('close', () => {
        closed++
      })
      socket.write('GET /api/entries?limit=50 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8))
      sockets.push(socket)
    }
    const deadline = performance.now() + CLOSED_WITHIN
    let open = READERS
    while (open > 1 && performance.now() < deadline) {
      const began = performance.now()
      assert.equal((await fetch(`${app.url}/health`)).status, 200)
      assert.ok(performance.now() - began < 1_000)
      await setTimeout(250)
      // A paused socket notices its end only when it reads again, so connections are counted at the server; one is that of /health.
      open = await connectionsOf(app.url)
    }
    assert.ok(open <= 1, `${open} connections are still open after ${CLOSED_WITHIN} ms, ${closed} closed`)
  } finally {
    for (const socket of sockets) socket.destroy()
    await app.close()
  }
})

/** The number of connections to the address on the server side of this process. */
async function connectionsOf(url: string): Promise<number> {
  const { port } = new URL(url)
  const { readFile } = await import('node:fs/promises')
  const wanted = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')} `
  const established = '01'
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n').map(row => row.trim().split(/\s+/))
  return rows.filter(row => `${row[1]} `.endsWith(wanted) && row[3] === established).length
}
