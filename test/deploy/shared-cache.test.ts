import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { spawn } from '../support/children.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { freePort } from '../support/ports.ts'
import { eventually, makeDirectory } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'

const NGINX = pathOf('nginx')
const skip = missing('nginx')
const PATIENCE = 10_000

/** Starts nginx as a shared cache in front of the service. It ends with this file. Returns its address. */
async function startCache(upstream: string): Promise<string> {
  const port = await freePort()
  const { path, remove } = makeDirectory()
  after(remove)
  for (const folder of ['cache', 'body', 'proxy']) mkdirSync(join(path, folder))
  const configuration = `daemon off; user root root; pid ${path}/pid; error_log ${path}/error.log; worker_processes 1;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${path}/body; proxy_temp_path ${path}/proxy;
  proxy_cache_path ${path}/cache keys_zone=shared:1m use_temp_path=off;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_cache shared;
      proxy_cache_revalidate on;
      add_header x-cache $upstream_cache_status always;
    }
  }
}
`
  const file = join(path, 'nginx.conf')
  writeFileSync(file, configuration)
  const child = spawn(String(NGINX), ['-p', path, '-e', join(path, 'error.log'), '-c', file], { stdio: 'ignore' })
  after(() => child.kill('SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  await eventually('the cache listens', PATIENCE, () => call(url, 'GET', '/health').catch(() => undefined))
  return url
}

test('a shared cache serves no text of an entry that was hidden after a read', { skip }, async () => {
  const app = await startApp()
  after(() => app.close())
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'Zebrafish', content: 'Zebrafish content' })
  const cache = await startCache(app.url)
  const revision = `/entries/${entry.slug}/revisions/${entry.currentRevisionId}`
  const paths = [`/api/entries/${entry.slug}`, `/api${revision}`, `/entries/${entry.slug}`, revision]
  for (const path of [...paths, ...paths]) {
    assert.match(expectTextOf(await call(cache, 'GET', path, { headers: { accept: 'text/html' } })), /Zebrafish/, path)
  }
  const style = /\/assets\/[\w-]+\/style\.css/.exec((await call(cache, 'GET', '/')).text)?.[0] ?? ''
  await call(cache, 'GET', style)
  assert.equal((await call(cache, 'GET', style)).headers.get('x-cache'), 'HIT', 'the cache stores what is immutable')
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  for (const path of paths) {
    const answer = await call(cache, 'GET', path, { headers: { accept: 'text/html' } })
    assert.equal(answer.status, 410, path)
    assert.doesNotMatch(answer.text, /Zebrafish/, path)
  }
})

function expectTextOf(answer: Awaited<ReturnType<typeof call>>): string {
  expectStatus(answer, 200)
  return answer.text
}
