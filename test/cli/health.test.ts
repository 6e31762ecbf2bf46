import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { shareApp } from '../support/app.ts'
import { expectDone, expectRefusal, palimpsest } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess } = commandLine()
const app = shareApp()

/** Asserts that the service at a port is said not to be ready, in one sentence. */
async function expectNotReady(port: string, sentence: RegExp): Promise<void> {
  const { code, stdout, stderr } = await inProcess(['health'], { env: { PORT: port } })
  assert.deepEqual({ code, stderr, lines: stdout.split('\n').length }, { code: 1, stderr: '', lines: 2 })
  assert.match(stdout, sentence)
}

/** A server on a free port with configurable answers. */
async function answering(status: number, context: { after(work: () => void): void }, fields = {}): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/ready' ? status : 404, fields).end()
  })
  context.after(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return String((server.address() as AddressInfo).port)
}

test('a ready service is reported as ready, on any listening address', async () => {
  const { port } = new URL(app.url)
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0']) {
    const said = expectDone(await inProcess(['health'], { env: { HOST: host, PORT: port } }))
    assert.match(said, new RegExp(`^Ready at http://\\S+:${port}/ready\\.\n$`))
  }
  expectDone(await palimpsest(['health', '--port', port], { env: { PORT: '1' } }))
})

test('settings and secrets of the server are not read', async () => {
  const env = { PORT: new URL(app.url).port, ADMIN_TOKEN_FILE: '/nowhere', DATABASE_URL: 'nonsense' }
  expectDone(await inProcess(['health'], { env }))
})

test('an unreachable service is distinguished from one that is not ready', async context => {
  await expectNotReady(await answering(503, context), /^Not ready at \S+\/ready: it answers 503\.$/m)
  const full = await answering(503, context, { reason: 'the disk is full' })
  await expectNotReady(full, /: it answers 503: the disk is full\.$/m)
  await expectNotReady(await answering(302, context), /it answers 302\./)
  await expectNotReady(
    '1',
    /^Not ready at http:\/\/127\.0\.0\.1:1\/ready: the connection is refused; start the service, or name its port\.$/m,
  )
})

test('a service that does not answer is not ready', async context => {
  const silent = createServer(() => {})
  context.after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  await expectNotReady(String((silent.address() as AddressInfo).port), /: no answer in 3000 ms\./)
})

test('a port that the system chooses at every start cannot be checked', async () => {
  expectRefusal(await inProcess(['health'], { env: { PORT: '0' } }), 2, /^PORT is 0, .* set it to /)
})
