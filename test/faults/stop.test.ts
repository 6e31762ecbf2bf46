import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { stopRounds } from '../support/fault-rounds.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

test('a stop under 20 writers answers everything received, and the exit is clean', async () => {
  const { acknowledged } = await stopRounds(2, seededRandom('stop'))
  assert.ok(acknowledged > 80, `only ${acknowledged} writes were acknowledged`)
})

test('a stop closes a connection that sends nothing, and answers a request in progress after that', async t => {
  const directory = makeDirectory()
  t.after(() => directory.remove())
  const server = await startServer(directory.path)
  const { hostname, port } = new URL(server.url)
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname)
    t.after(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const silent = await open()
  const busy = await open()
  const answer = Promise.race([once(busy, 'data'), once(busy, 'close')])
  busy.write('POST /api/actors HTTP/1.1\r\nHost: a\r\n')
  // An answer to a later connection shows that the service accepted the two.
  await fetch(`${server.url}/health`)
  server.kill('SIGTERM')
  await once(silent.resume(), 'close')
  busy.write('Content-Length: 0\r\n\r\n')
  assert.match(String((await answer)[0]), /^HTTP\/1\.1 4\d\d /)
  assert.equal((await server.ended).code, 0)
})
