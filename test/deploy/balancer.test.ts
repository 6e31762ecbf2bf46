import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { STREAMS } from '../../src/contract/limits.ts'
import { ADMIN_TOKEN, startApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { newActor, newEntry } from '../support/client.ts'
import { freePort } from '../support/ports.ts'
import { eventually } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'
import { openStream, openStreams } from '../support/streams.ts'
import { ROOT } from './unit.ts'

const HAPROXY = pathOf('haproxy')
const skip = missing('haproxy')
const CONFIGURATION = join(ROOT, 'deploy/haproxy.cfg')
const PATIENCE = 60_000
const UNREACHABLE = '127.0.0.1:1'
/** Whom the balancer takes for an operator by default, and another caller. */
const OPERATOR = '127.0.0.1'
const STRANGER = '127.0.0.2'
const TRUSTING = { TRUSTED_PROXIES: OPERATOR, READ_LIMIT_PER_MINUTE: '5' }

type Said = { status: number; headers: Record<string, unknown>; text: string }
type Balancer = { port: number; get(path: string, from?: string, headers?: Record<string, string>): Promise<Said> }

/** Starts HAProxy with the unchanged configuration, in front of nodes named by host and port. It ends with this file. */
async function startBalancer(...nodes: string[]): Promise<Balancer> {
  const port = await freePort()
  const [node1 = UNREACHABLE, node2 = UNREACHABLE, node3 = UNREACHABLE] = nodes
  const child = spawn(String(HAPROXY), ['-db', '-f', CONFIGURATION], {
    stdio: 'ignore',
    env: {
      PALIMPSEST_BIND: `127.0.0.1:${port}`,
      PALIMPSEST_NODE1: node1,
      PALIMPSEST_NODE2: node2,
      PALIMPSEST_NODE3: node3,
    },
  })
  after(() => child.kill('SIGKILL'))
  const get: Balancer['get'] = (path, from = OPERATOR, headers = {}) =>
    new Promise((resolve, reject) => {
      const call = request({ port, path, headers, localAddress: from, host: '127.0.0.1', agent: false }, response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      })
      call.on('error', reject).end()
    })
  await eventually('the balancer listens', PATIENCE, () => get('/').catch(() => undefined))
  return { port, get }
}

/** After this many answers in a row every node that the balancer uses is healthy: each gets every third request. */
const IN_A_ROW = 12

/** Waits until the balancer has checked the state of every node, and sends requests to healthy ones only. */
const settled = (balancer: Balancer, status: number): Promise<Said> =>
  eventually(`the balancer answers ${status}`, PATIENCE, async () => {
    const said = await Promise.all(Array.from({ length: IN_A_ROW }, () => balancer.get('/health')))
    return said.every(one => one.status === status) ? said[0] : undefined
  })

/** Asserts an error of the balancer in the shape that the service's own errors have. */
function expectShape({ status, headers, text }: Said, expected: number, code: string): void {
  assert.equal(status, expected, text)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(text), { error: { code, requestId: headers['x-request-id'] } })
  assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
}

test('HAProxy accepts the configuration without a warning', { skip }, () => {
  const { status, stdout, stderr } = spawnSync(String(HAPROXY), ['-c', '-dW', '-f', CONFIGURATION], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
})

test('a stream passes the balancer unbuffered, and does not count as open once its client has disconnected', {
  skip,
}, async t => {
  const app = await startApp({ TRUSTED_PROXIES: OPERATOR })
  const balancer = await startBalancer(new URL(app.url).host)
  await settled(balancer, 200)
  const url = `http://127.0.0.1:${balancer.port}`
  const streams = await openStreams(url, STREAMS.perOrigin)
  t.after(() => {
    for (const stream of streams) stream.close()
  })
  const { id } = await newEntry(url, (await newActor(url)).token)
  for (const stream of streams) {
    await stream.until('the entry is shown', events => events.some(({ data }) => data.entryId === id))
    stream.close()
  }
  await eventually('a place is free', PATIENCE, async () => {
    const stream = await openStream(url)
    streams.push(stream)
    return stream.status === 200 ? true : undefined
  })
})

test('each caller has its own limits behind the balancer, and cannot escape them by a forged address', {
  skip,
}, async () => {
  const app = await startApp(TRUSTING)
  const balancer = await startBalancer(new URL(app.url).host)
  await settled(balancer, 200)
  const statuses: number[] = []
  for (let claimed = 1; claimed <= 6; claimed++) {
    const headers = { 'x-forwarded-for': `203.0.113.${claimed}` }
    statuses.push((await balancer.get('/api/entries', STRANGER, headers)).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
  assert.equal((await balancer.get('/api/entries', '127.0.0.3')).status, 200)
})

test('only operators reach moderation, in any spelling of its path', { skip }, async () => {
  const app = await startApp({ ...TRUSTING, READ_LIMIT_PER_MINUTE: '1000' })
  const balancer = await startBalancer(new URL(app.url).host)
  await settled(balancer, 200)
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  assert.equal((await balancer.get('/api/admin/snapshot', OPERATOR, headers)).status, 200)
  assert.equal((await balancer.get('/admin', OPERATOR)).status, 200)
  for (const path of [
    '/api/admin/snapshot',
    '/api/%61dmin/snapshot',
    '//api//admin/snapshot',
    '/API/Admin/snapshot',
    '/admin',
    '/%61dmin/',
  ]) {
    expectShape(await balancer.get(path, STRANGER, headers), 404, 'ROUTE_NOT_FOUND')
  }
  for (const path of ['/api/administration', '/search?q=/admin/', '/api/search?q=admin']) {
    const { headers: own } = await balancer.get(path, STRANGER)
    assert.ok('content-security-policy' in own, `${path} is answered by a node`)
  }
})

test('the balancer skips nodes that are not ready, and without a ready node answers with Retry-After', {
  skip,
}, async () => {
  const waiting = await startApp({ DATABASE_URL: `postgres://${UNREACHABLE}/none` }, { database: 'away' })
  const [first, second] = [await startApp(), await startApp()]
  const balancer = await startBalancer(...[waiting, first, second].map(({ url }) => new URL(url).host))
  await eventually('the node without a database is left out', PATIENCE, async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => balancer.get('/ready')))
    return answers.every(({ status }) => status === 200) || undefined
  })
  await first.close()
  for (let asked = 0; asked < 50; asked++) assert.equal((await balancer.get('/ready')).status, 200)
  await second.close()
  const said = await settled(balancer, 503)
  expectShape(said, 503, 'NOT_READY')
  assert.equal(said.headers['retry-after'], '1')
})

test('bytes that are not a request end the connection', { skip }, async context => {
  const balancer = await startBalancer()
  const socket = connect(balancer.port, '127.0.0.1')
  context.after(() => socket.destroy())
  const ended = once(socket.resume(), 'end', { signal: AbortSignal.timeout(PATIENCE) })
  let received = 0
  socket.on('data', chunk => {
    received += chunk.length
  })
  socket.write('NONSENSE\r\n\r\n')
  await ended
  assert.equal(received, 0)
})
