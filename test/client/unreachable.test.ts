import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type ClientError, type ClientSettings, createClient } from '../../src/client/index.ts'
import { unreachable } from '../../src/client/unreachable.ts'
import { freePort } from '../support/ports.ts'
import { selfSigned } from '../support/self-signed.ts'

const TEXT = { title: 'Once', summary: 'Once.', content: 'Only once.' }

async function listening(t: TestContext, server: Server & { closeAllConnections(): void }): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** How a read and a write fail, and how often the client waited to try again. */
async function failing(baseUrl: string, settings: Partial<ClientSettings> = {}) {
  let waits = 0
  const clock = {
    now: () => Date.now(),
    sleep: async () => {
      waits += 1
    },
  }
  const client = createClient({ baseUrl, token: 'token', clock, ...settings })
  const thrown = (call: Promise<unknown>): Promise<ClientError> =>
    call.then(
      () => assert.fail('it was answered'),
      (error: unknown) => error as ClientError,
    )
  const read = await thrown(client.readStats())
  const readWaits = waits
  const write = await thrown(client.createEntry(TEXT))
  return { read, write, readWaits }
}

test('a refused connection to this machine fails at once, suggests that the service is not running, and sent nothing', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `http://${host}:${await freePort()}`
    const { read, write, readWaits } = await failing(url)
    const sentence = `got no answer from ${url}: the connection is refused; is the service running, and on this port?`
    assert.equal(read.message, `NO_ANSWER: GET /api/stats ${sentence}`)
    assert.equal(write.message, `NO_ANSWER: POST /api/entries ${sentence}`)
    assert.deepEqual([readWaits, write.mayHaveHappened, write.idempotencyKey], [0, false, null])
  }
})

test('a certificate that is not accepted is named, and not retried', async t => {
  const port = await listening(
    t,
    createTlsServer(selfSigned(), (_, answer) => void answer.end('{}')),
  )
  const { read, readWaits } = await failing(`https://127.0.0.1:${port}`)
  assert.match(
    read.message,
    /: the certificate of 127\.0\.0\.1 is not accepted \([A-Z_]*CERT[A-Z_]*\); .*NODE_EXTRA_CA_CERTS\.$/,
  )
  assert.equal(readWaits, 0)
})

test('TLS on a port without it is named, and not retried', async t => {
  const port = await listening(
    t,
    createServer((_, answer) => void answer.end('{}')),
  )
  const { read, write, readWaits } = await failing(`https://127.0.0.1:${port}`)
  assert.match(read.message, new RegExp(`: this port does not speak TLS; try http://127\\.0\\.0\\.1:${port} if`))
  assert.deepEqual([readWaits, write.mayHaveHappened], [0, false])
})

test('an unknown host is named, and not retried', async () => {
  const fetch = async (): Promise<Response> => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) })
  }
  const { read, readWaits } = await failing('https://memory.invalid', { fetch })
  assert.match(read.message, /: the host name memory\.invalid is unknown; check its spelling\.$/)
  assert.equal(readWaits, 0)
})

test('temporary failures are retried: another machine that refuses, a name server or a connection that fails', async () => {
  const thrown = (cause: object) => new TypeError('fetch failed', { cause })
  const passing = [
    thrown({ code: 'ECONNREFUSED', address: '192.0.2.1' }),
    thrown({ code: 'ECONNREFUSED', errors: [{ address: '127.0.0.1' }, { address: '192.0.2.1' }] }),
    thrown({ code: 'EAI_AGAIN' }),
    thrown({ code: 'UND_ERR_SOCKET' }),
    new TypeError('Load failed'),
    undefined,
  ]
  for (const failure of passing) assert.equal(unreachable(failure, 'https://memory.example').passes, true)
  const lost = unreachable(passing[3], 'https://memory.example')
  assert.deepEqual(lost, {
    why: 'the connection failed (UND_ERR_SOCKET); check the address and the network.',
    sent: true,
    passes: true,
  })
  const both = thrown({ code: 'ECONNREFUSED', errors: [{ address: '::1' }, { address: '127.0.0.1' }] })
  assert.equal(unreachable(both, 'http://localhost:1').passes, false)
})

test('a service that was reached before and then refuses connections is retried', async () => {
  let tries = 0
  const fetch = async (): Promise<Response> => {
    tries += 1
    if (tries === 1) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
    if (tries === 2) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED', address: '127.0.0.1' } })
    return Response.json({ status: 'fine' })
  }
  const clock = { now: () => Date.now(), sleep: async () => {} }
  await createClient({ baseUrl: 'http://127.0.0.1', clock, fetch }).readStats()
  assert.equal(tries, 3)
})
