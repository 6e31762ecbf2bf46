import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { makeDirectory, startServer } from '../support/process.ts'

/** Writes a line to standard error for each module that the thread that answers loads. */
const HOOK = `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const load = (url, context, next) => (writeSync(2, 'loaded ' + url + '\\n'), next(url, context))
if (isMainThread) registerHooks({ load })
`

test('neither a page nor a message to /mcp loads a module after the service is ready', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const hook = join(directory.path, 'hook.mjs')
  writeFileSync(hook, HOOK)
  const env = { NODE_OPTIONS: `--import=${hook}`, LOG_LEVEL: 'info' }
  const server = await startServer(join(directory.path, 'data'), { env })
  const end = () => {
    server.kill('SIGTERM')
    return server.ended
  }
  t.after(end)
  const { token } = await newActor(server.url)
  const { slug } = await newEntry(server.url, token, { content: 'A *text*.' })
  for (const path of ['/', '/search?q=text', '/activity', '/stats', `/entries/${slug}`, `/entries/${slug}/layers`])
    expectStatus(await call(server.url, 'GET', path, { headers: { accept: 'text/html' } }), 200)
  const host = { name: 'host', version: '1.0.0' }
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: host } },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'work', arguments: {} } },
  ]
  const headers = { accept: 'application/json, text/event-stream' }
  for (const message of messages)
    expectStatus(await call(server.url, 'POST', '/mcp', { body: { jsonrpc: '2.0', ...message }, headers }), 200)

  const { stderr } = await end()
  const [before = '', after] = stderr.split(/^.*"msg":"ready".*$/m)
  assert.match(before, /^loaded .*modelcontextprotocol/m)
  assert.ok(after !== undefined, stderr)
  assert.deepEqual(after.match(/^loaded .*$/gm) ?? [], [])
})
