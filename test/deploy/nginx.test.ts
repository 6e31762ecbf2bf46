import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { call, expectStatus } from '../support/client.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'
import { selfSigned } from '../support/self-signed.ts'

const NGINX = pathOf('nginx')
const skip = missing('nginx')
const PATIENCE = 10_000

let app: TestApp
let directory: ReturnType<typeof makeDirectory>
let plain: string
let port: number
let args: string[]
const endings: (() => unknown)[] = []
before(async () => {
  if (skip !== false) return
  app = await startApp({ TRUSTED_PROXIES: '127.0.0.1', READ_LIMIT_PER_MINUTE: '100' })
  directory = makeDirectory()
  const { path } = directory
  const http = await freePort()
  port = await freePort()
  plain = `http://127.0.0.1:${http}`
  for (const folder of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(path, folder))
  const { key, cert } = selfSigned()
  writeFileSync(join(path, 'privkey.pem'), key)
  writeFileSync(join(path, 'fullchain.pem'), cert)
  // The file of deploy/, with the addresses and paths of this test.
  let site = readFileSync(join(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
  for (const [text, value] of [
    ['server 127.0.0.1:8080;', `server ${new URL(app.url).host};`],
    ['listen 80;', `listen 127.0.0.1:${http};`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['/var/www/acme;', `${path}/acme;`],
    ['/etc/letsencrypt/live/memory.example/fullchain.pem', join(path, 'fullchain.pem')],
    ['/etc/letsencrypt/live/memory.example/privkey.pem', join(path, 'privkey.pem')],
  ] as const) {
    assert.equal(site.split(text).length, 2, text)
    site = site.replace(text, value)
  }
  writeFileSync(join(path, 'site.conf'), site)
  const whole = `daemon off; master_process off; user root root; pid ${path}/pid; worker_processes 1;
events { worker_connections 64; }
http { access_log off; client_body_temp_path ${path}/body; proxy_temp_path ${path}/proxy; fastcgi_temp_path ${path}/fastcgi;
uwsgi_temp_path ${path}/uwsgi; scgi_temp_path ${path}/scgi; include ${path}/site.conf; }
`
  writeFileSync(join(path, 'nginx.conf'), whole)
  args = ['-p', path, '-e', join(path, 'error.log'), '-c', join(path, 'nginx.conf')]
})
after(async () => {
  for (const end of endings) end()
  await app?.close()
  directory?.remove()
})

test('nginx accepts its example, without a warning', { skip }, () => {
  const { status, stderr } = spawnSync(String(NGINX), ['-t', ...args], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /\[(?:warn|error|emerg)\]/)
})

/** Requests a path over TLS, as a public client does. */
const get = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, headers: { host: 'memory.example', ...headers }, rejectUnauthorized: false },
      async response =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }),
    )
    asked.on('error', reject)
    asked.end()
  })

test('nginx serves over TLS, answers the challenge, hides moderation and trusts no stated address', {
  skip,
}, async () => {
  const child = spawn(String(NGINX), args, { stdio: 'ignore' })
  endings.push(() => child.kill('SIGTERM'))
  await eventually('nginx listens', PATIENCE, () => get('/health').catch(() => undefined))
  const found = await get('/api/discovery')
  assert.equal(found.status, 200)
  assert.equal(JSON.parse(found.text).name, 'Palimpsest')
  assert.match(String(found.headers['strict-transport-security']), /^max-age=/)

  mkdirSync(join(directory.path, 'acme/.well-known/acme-challenge'), { recursive: true })
  writeFileSync(join(directory.path, 'acme/.well-known/acme-challenge/one'), 'challenge')
  assert.equal(expectText(await call(plain, 'GET', '/.well-known/acme-challenge/one')), 'challenge')
  const moved = await fetch(`${plain}/entries?limit=1`, { redirect: 'manual', headers: { host: 'memory.example' } })
  assert.equal(moved.status, 301)
  assert.match(moved.headers.get('location') ?? '', /^https:\/\/[^/]+\/entries\?limit=1$/)

  for (const path of ['/admin', '/admin/', '//api/admin/snapshot', '/api/%61dmin/snapshot', '/API/ADMIN/x', '/metrics'])
    assert.equal((await get(path)).status, 404, path)
  assert.equal((await get('/administration')).status, 404, 'the service has no such page')

  const left = async (from: string): Promise<number> =>
    Number(/;r=(\d+)/.exec(String((await get('/api/stats', { 'x-forwarded-for': from })).headers.ratelimit))?.[1])
  const first = await left('198.51.100.1')
  assert.equal(await left('203.0.113.9'), first - 1, 'both count for the address of the connection')
})

test('an event of a stream arrives through nginx at once', { skip }, async () => {
  const chunk = await new Promise<string>((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/api/activity/stream?after=0', rejectUnauthorized: false },
      response => {
        response.once('data', data => {
          resolve(String(data))
          asked.destroy()
        })
        response.once('error', () => {})
      },
    )
    asked.on('error', reject)
    asked.setTimeout(PATIENCE, () => reject(new Error('No event arrived.')))
    asked.end()
  })
  assert.match(chunk, /^(?:id|event|data|retry|:)/m)
})

function expectText(answer: Awaited<ReturnType<typeof call>>): string {
  expectStatus(answer, 200)
  return answer.text
}
