import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { call, expectStatus } from '../support/client.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'

/** Writes a line to standard error for each module that any thread loads. */
const HOOK = `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({ load: (url, context, next) => (writeSync(2, 'loaded ' + url + '\\n'), next(url, context)) })
`

test('the SDK of /mcp is loaded once the service is ready, and no message loads more', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const hook = join(directory.path, 'hook.mjs')
  writeFileSync(hook, HOOK)
  const server = await startServer(join(directory.path, 'data'), { env: { NODE_OPTIONS: `--import=${hook}` } })
  const loaded = (): string[] => server.stderr().match(/^loaded .*$/gm) ?? []
  const ofSdk = (): string[] => loaded().filter(line => /modelcontextprotocol|zod|src\/mcp\/server/.test(line))
  const ready = server.stderr().indexOf('"msg":"ready"')
  assert.doesNotMatch(
    server.stderr().slice(0, ready),
    /^loaded .*modelcontextprotocol/m,
    'a start does not wait for it',
  )
  // The modules are loaded one after another; when a second passes without another one, all are.
  let count = 0
  await eventually('the SDK is loaded', 60_000, async () => {
    const before = count
    await setTimeout(1_000)
    count = ofSdk().length
    return (count > 50 && count === before) || undefined
  })
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
    counts.push(ofSdk().length)
  }
  server.kill('SIGTERM')
  await server.ended
  assert.deepEqual([...counts, ofSdk().length], [count, count, count, count])
})
