import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { closeSlowReaders } from './connections.ts'

/** Far more bytes than the system buffers for a client that does not read. */
const ANSWER = 16_000_000
const UNREAD_MAX = 40_000_000
const CLIENTS = 8
const WITHIN = 5_000

test('if the unread bytes of all clients exceed the maximum, clients that have not read for the longest time are closed', async t => {
  const sockets: Socket[] = []
  const server = createServer((_request, response) => response.end(Buffer.alloc(ANSWER)))
  closeSlowReaders(server, UNREAD_MAX)
  server.on('connection', socket => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const clients: Socket[] = []
  t.after(() => {
    for (const client of clients) client.destroy()
    server.closeAllConnections()
    server.close()
  })
  for (let n = 0; n < CLIENTS; n++) {
    const client = connect(port, '127.0.0.1').pause()
    clients.push(client)
    client.on('error', () => {})
    client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
    await setTimeout(300)
  }
  const unread = (): number => sockets.reduce((sum, socket) => sum + (socket.destroyed ? 0 : socket.writableLength), 0)
  const until = performance.now() + WITHIN
  while (unread() > UNREAD_MAX && performance.now() < until) await setTimeout(50)
  assert.ok(unread() <= UNREAD_MAX, `${unread()} bytes are unread`)
  assert.ok(unread() > 0, 'no client is left')
  const open = sockets.map(socket => !socket.destroyed)
  assert.deepEqual(open, [...open].sort(), 'an older one is open while a newer one was closed')
})
