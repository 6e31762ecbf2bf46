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

test('the SDK of /mcp is loaded before the service is ready, and no message loads more', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const hook = join(directory.path, 'hook.mjs')
  writeFileSync(hook, HOOK)
  const server = await startServer(join(directory.path, 'data'), { env: { NODE_OPTIONS: `--import=${hook}` } })
  const countIn = (output: string): number =>
    output.match(/^loaded .*(?:modelcontextprotocol|zod|src\/mcp\/server).*$/gm)?.length ?? 0
  const count = countIn(server.stderr().slice(0, server.stderr().indexOf('"msg":"ready"')))
  assert.ok(count > 50, `${count} modules were loaded before the service was ready`)
  const host = { name: 'host', version: '1.0.0' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: host }
  const messages = [
    { id: 1, method: 'initialize', params },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'work', arguments: {} } },
  ]
  const counts: number[] = []
  for (const message of messages) {
    const headers = { accept: 'application/json, text/event-stream' }
    expectStatus(await call(server.url, 'POST', '/mcp', { body: { jsonrpc: '2.0', ...message }, headers }), 200)
    counts.push(countIn(server.stderr()))
  }
  server.kill('SIGTERM')
  await server.ended
  assert.deepEqual([...counts, countIn(server.stderr())], [count, count, count, count])
})
