import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, expectStatus } from '../support/client.ts'
import { makeDirectory, startServer } from '../support/process.ts'

/** Writes a line to standard error for each module that any thread loads. */
const HOOK = `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load: (url, context, next) => (writeSync(2, 'loaded ' + url + '\\n'), next(url, context)) })
`

test('the first message to /mcp loads no module, so no other request waits', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const hook = join(directory.path, 'hook.mjs')
  writeFileSync(hook, HOOK)
  const server = await startServer(join(directory.path, 'data'), { env: { NODE_OPTIONS: `--import=${hook}` } })
  const loaded = (): string[] => server.stderr().match(/^loaded .*$/gm) ?? []
  const before = new Set(loaded())
  assert.ok(before.size > 100, `${before.size} modules`)
  const host = { name: 'host', version: '1.0.0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: host }
  const messages = [
    { id: 1, method: 'initialize', params },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'work', arguments: {} } },
  ]
  for (const message of messages) {
    const headers = { accept: 'application/json, text/event-stream' }
    expectStatus(await call(server.url, 'POST', '/mcp', { body: { jsonrpc: '2.0', ...message }, headers }), 200)
  }
  server.kill('SIGTERM')
  await server.ended
  const wanted = loaded().filter(line => !before.has(line) && /modelcontextprotocol|zod|src\/mcp/.test(line))
  assert.deepEqual(wanted, [])
})
