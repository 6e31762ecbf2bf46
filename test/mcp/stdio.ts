import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { COMMANDS } from '../../src/cli/commands.ts'
import { runMcp } from '../../src/cli/mcp.ts'
import type { Evidence } from '../../src/contract/resources.ts'
import { LAUNCHER, temporaryDirectory } from '../cli/command.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, columnOf, expectStatus, newActor, newEntry } from '../support/client.ts'
import { takePart } from './scenario.ts'
import { type CallTool, callerOf, done, ERAS, PATIENCE, refused } from './session.ts'

const HOST = { name: 'host', version: '1.0.0' }

/** Starts `palimpsest mcp` as a host does. */
async function start(t: TestContext, args: readonly string[], era: keyof typeof ERAS) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, 'mcp', ...args],
    env: { PATH: process.env.PATH ?? '' },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', chunk => {
    said += chunk
  })
  const client = new Client(HOST, ERAS[era])
  t.after(() => client.close())
  await client.connect(transport, PATIENCE)
  return { client, callTool: callerOf(client), said: () => said }
}

/** After a restart the entries exist and no further actor is created; standard output has only messages. */
async function expectKept(place: string): Promise<void> {
  const { stdout, stderr } = await talk({ 'data-dir': place }, [
    '{"plm_secret":1}',
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: HOST } },
    { id: 2, method: 'tools/call', params: { name: 'publish', arguments: { title: 'T', summary: 'S', content: 'C' } } },
    { id: 3, method: 'tools/call', params: { name: 'find', arguments: { q: 'what they eat' } } },
  ])
  assert.deepEqual(columnOf(stdout, 'id'), [1, 2, 3])
  const [, published, found] = stdout.map(({ result }) => result)
  assert.match(published?.structuredContent?.entryId ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(published?.structuredContent?.actorToken, undefined)
  assert.match(found?.content?.[0]?.text ?? '', /What they eat/)
  assert.match(stderr, /a message is invalid/)
  assert.ok(!stderr.includes('plm_secret'), 'a message was logged')
}

type Message = {
  id: number
  result?: {
    content?: { text: string }[]
    isError?: true
    structuredContent?: Record<string, string>
    protocolVersion?: string
  }
  error?: { code: number }
}

/** Runs the command in this process, sends each line after the answer to the previous one, and ends its input. */
async function talk(flags: Record<string, string>, lines: readonly (string | object)[], env: NodeJS.ProcessEnv = {}) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const ended = runMcp({ flags, env }, streams)
  const answers = createInterface({ input: streams.stdout })[Symbol.asyncIterator]()
  const stdout: Message[] = []
  for (const line of lines) {
    streams.stdin.write(typeof line === 'string' ? `${line}\n` : `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
    if (typeof line !== 'string') stdout.push(JSON.parse((await answers.next()).value ?? 'null'))
  }
  streams.stdin.end()
  assert.equal(await ended, 0)
  streams.stderr.end()
  return { stdout, stderr: await text(streams.stderr) }
}

const ROOT = join(import.meta.dirname, '../..')
const json = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))

/** `palimpsest mcp` as hosts start it. */
export function testStdio(app: TestApp): void {
  test('palimpsest mcp --url uses a service and never shows the stored token to the model', async t => {
    const { client, callTool, said } = await start(t, ['--url', app.url], '2025-11-25')
    await takePart(callTool, true)
    const { tools } = await client.listTools()
    assert.ok(tools.every(({ annotations }) => annotations?.openWorldHint ?? true))
    assert.ok(!JSON.stringify(tools).includes('actorToken'))
    await client.close()
    assert.equal(said(), '')
  })

  test('on default limits a session calls 60 tools a minute, each of which reads as one read', async () => {
    const at = Date.now()
    const limits = { READ_LIMIT_PER_MINUTE: '120', WRITE_LIMIT_PER_MINUTE: '10', COOLDOWN_SECONDS: '3' }
    await using strict = await startApp(limits, { now: () => at })
    const { token } = await newActor(strict.url)
    const { id: entry, currentRevisionId: revisionId } = await newEntry(strict.url, token)
    const open = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: HOST } }
    const calls = [
      { name: 'find', arguments: { q: 'title' } },
      { name: 'read', arguments: { entry } },
      { name: 'history', arguments: { entry } },
      { name: 'check_pins', arguments: { pins: [{ entry, revisionId }] } },
      { name: 'work', arguments: {} },
    ]
    const lines = Array.from({ length: 60 }, (_, n) => ({ id: n + 2, method: 'tools/call', params: calls[n % 5] }))
    const { stdout } = await talk({ url: strict.url }, [{ id: 1, ...open }, ...lines])
    assert.equal(stdout.length, 61)
    for (const { result } of stdout.slice(1)) assert.equal(result?.isError, undefined, result?.content?.[0]?.text)
    const { headers } = await call(strict.url, 'GET', '/api/entries')
    assert.match(headers.get('ratelimit') ?? '', /^"read-origin";r=59;/)
  })

  test('a refusal of a read that ends within 20 s is waited for, and a longer one is reported', async t => {
    const waits = [5, 21]
    const busy = createServer((request, response) => {
      const seconds = waits.shift()
      if (seconds === undefined) return response.end(JSON.stringify({ items: [], nextCursor: null }))
      request.resume()
      response.writeHead(429, { 'retry-after': String(seconds), 'content-type': 'application/json' })
      return response.end(JSON.stringify({ error: { code: 'RATE_LIMITED', requestId: randomUUID() } }))
    })
    busy.listen(0, '127.0.0.1')
    await once(busy, 'listening')
    t.after(() => busy.close())
    const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
    const open = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: HOST } }
    const history = (id: number) => ({
      ...{ id, method: 'tools/call' },
      params: { name: 'history', arguments: { entry: 'x' } },
    })
    const { stdout } = await talk({ url }, [{ id: 1, ...open }, history(2)])
    // The second refusal follows the wait for the first.
    assert.match(stdout[1]?.result?.content?.[0]?.text ?? '', /^RATE_LIMITED: .*Wait 21 seconds/)
    const { stdout: later } = await talk({ url }, [{ id: 1, ...open }, history(2)])
    assert.match(later[1]?.result?.content?.[0]?.text ?? '', /^0 revisions/)
  })

  test('a session sends its environment with judgements and questions only if it was asked to', async () => {
    const { token } = await newActor(app.url)
    const text = { title: 'Vetiver smells of earth', summary: 'The vetiver smells.', content: 'Smell the vetiver.' }
    const { id: entry, currentRevisionId: revisionId } = await newEntry(app.url, token, text)
    const open = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: HOST } }
    const judged = { entry, revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Smelt it.' }
    const verify = { id: 2, method: 'tools/call', params: { name: 'verify', arguments: judged } }
    await talk({ url: app.url, env: 'nodejs@22.14,debian@12' }, [{ id: 1, ...open }, verify])
    await talk({ url: app.url }, [{ id: 1, ...open }, verify])
    const { verifications } = expectStatus(await call<Evidence>(app.url, 'GET', `/api/entries/${entry}/evidence`), 200)
    const observed = [
      { name: 'nodejs', version: '22.14' },
      { name: 'debian', version: '12' },
    ]
    assert.deepEqual(columnOf(verifications, 'observedOn'), [undefined, observed])
    // A confirmation counts only from another network than that of the author.
    const { token: reader } = await newActor(app.url)
    const items = [{ ...judged, kind: 'VERIFY', observedOn: observed }]
    expectStatus(await call(app.url, 'POST', '/api/evidence', { token: reader, body: { items } }), 200)
    const find = { name: 'find', arguments: { q: 'vetiver smells of earth' } }
    const ask = { id: 2, method: 'tools/call', params: find }
    const { stdout } = await talk({ url: app.url, env: 'nodejs@22' }, [{ id: 1, ...open }, ask])
    assert.match(
      stdout[1]?.result?.content?.[0]?.text ?? '',
      /Confirmed on your version of nodejs by 1, on others by 0/,
    )
    await assert.rejects(talk({ url: app.url, env: 'nodejs' }, []), /--env must be auto, or NAME@VERSION/)
  })

  test('an unknown token of the host is refused without mention of actorToken', async () => {
    const call = {
      method: 'tools/call',
      params: { name: 'publish', arguments: { title: 'T', summary: 'S', content: 'C' } },
    }
    const open = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: HOST } }
    const { stdout } = await talk(
      { url: app.url },
      [
        { id: 1, ...open },
        { id: 2, ...call },
      ],
      { PALIMPSEST_TOKEN: 'plm_x' },
    )
    const text = stdout[1]?.result?.content?.[0]?.text ?? ''
    assert.match(text, /^ACTOR_TOKEN_INVALID: .*PALIMPSEST_TOKEN/)
    assert.ok(!text.includes('actorToken'), text)
  })

  test('palimpsest mcp --data-dir is a permanent private memory with one actor', async t => {
    const directory = temporaryDirectory()
    t.after(directory.remove)
    const place = join(directory.path, 'memory')
    const { client, callTool, said } = await start(t, ['--data-dir', place], '2026-07-28')
    const answers: unknown[] = []
    const noted: CallTool = async (name, args) => {
      const result = await callTool(name, args)
      answers.push(result)
      return result
    }
    await takePart(noted, true)
    // The one author is also the one judge.
    const text = { title: 'Kestrel nests', summary: 'Where they nest.', content: 'The kestrel nests in trees.' }
    const nest = done(await noted('publish', text)).structured
    const judged = { entry: nest.entryId, revisionId: nest.revisionId }
    done(await noted('verify', { ...judged, result: 'SUPPORTED', confidence: 1, rationale: 'Saw it.' }))
    assert.match(
      done(await noted('read', { entry: nest.entryId })).text,
      /current text: SUPPORTED: 1 of 1 says it holds, unchanged since it was checked/,
    )
    done(await noted('contradict', { ...judged, rationale: 'It nests in towers.' }))
    assert.match(done(await noted('find', { q: 'where does the kestrel nest' })).text, /CONTRADICTED.*in towers/s)
    const { tools } = await client.listTools()
    assert.ok(tools.every(({ annotations }) => annotations?.openWorldHint === false))
    assert.ok(JSON.stringify({ tools }).length <= 12_000)
    const names = tools.map(({ name }) => name)
    assert.equal(names.length, 11)
    assert.ok(names.includes('forget') && !names.includes('report'), 'the person is the operator')
    const { entryId, slug } = done(await noted('publish', { title: 'Wrong', summary: 'S', content: 'C' })).structured
    done(await noted('forget', { entry: slug, reason: 'It was wrong.' }))
    refused(await noted('read', { entry: entryId }), /^ENTRY_WITHDRAWN/)
    refused(await noted('forget', { entry: 'no-such-entry', reason: 'R' }), /^TARGET_NOT_FOUND/)
    assert.doesNotMatch(JSON.stringify([client.getInstructions(), tools, answers]), /\bpublic|stranger|other people/i)
    await client.close()
    assert.equal(said(), '')
    const file = join(place, 'mcp-actor-token')
    assert.match(readFileSync(file, 'utf8'), /^plm_\w+\n$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await expectKept(place)
  })

  test('server.json names the package, the command and the variables', () => {
    const server = json('server.json')
    const { name, version, mcpName } = json('package.json')
    assert.deepEqual([server.name, server.version, server.packages.length], [mcpName, version, 2])
    assert.match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    assert.ok(server.description.length <= 100)
    const [own, remote] = server.packages
    for (const one of [own, remote]) assert.deepEqual([one.identifier, one.version], [name, version])
    // A private memory is the first choice.
    assert.deepEqual(
      own.packageArguments.map((one: { value?: string; name?: string }) => one.value ?? one.name),
      ['mcp', '--data-dir'],
    )
    const command = COMMANDS.find(one => one.name === remote.packageArguments[0].value)
    for (const variable of remote.environmentVariables)
      assert.ok(command?.details?.includes(variable.name), variable.name)
    assert.ok(server.remotes[0].url.endsWith('/mcp'))
  })

  test('a command line with both or no memory is refused with one sentence', async () => {
    await assert.rejects(talk({ url: 'http://127.0.0.1:1', 'data-dir': 'x' }, []), /exclude each other/)
    await assert.rejects(talk({ url: 'ftp://x' }, []), /http or https address/)
    await assert.rejects(runMcp({ flags: {}, env: { LOG_LEVEL: 'loud' } }), /LOG_LEVEL must be one of .*, not "loud"/)
  })

  test('a line that is not a message is ignored, an invalid message is answered, and an endless line ends the session', async () => {
    const opening = { capabilities: {}, clientInfo: HOST }
    const long = { title: 'x'.repeat(181), summary: 'S', content: 'C' }
    const { stdout, stderr } = await talk({ url: 'http://127.0.0.1:1' }, [
      '{"jsonrpc":',
      '[]',
      '{"jsonrpc":"1.0","id":7,"method":"tools/list"}',
      { id: 1, method: 'initialize', params: { ...opening, protocolVersion: '1999-01-01' } },
      { id: 2, method: 'tools/drop' },
      { id: 3, method: 'tools/call', params: { name: 'drop', arguments: {} } },
      { id: 4, method: 'tools/call', params: { name: 'publish', arguments: long } },
      'x'.repeat(2 ** 20 + 1),
    ])
    assert.deepEqual(
      stdout.map(({ id, result, error }) => [id, result?.protocolVersion ?? error?.code ?? result?.content?.[0]?.text]),
      [
        [1, '2025-11-25'],
        [2, -32_601],
        [3, -32_602],
        [
          4,
          'The arguments of publish are invalid: title must be a text of 1 to 180 characters. Correct them and call again; the call had no effect.',
        ],
      ],
    )
    assert.equal(stderr.match(/a message is invalid/g)?.length, 3)
    assert.ok(stderr.length < 1_000, stderr)
  })

  test('an unreachable service is reported in every answer, and the session continues', async () => {
    const find = { method: 'tools/call', params: { name: 'find', arguments: { q: 'x' } } }
    const open = { method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: HOST } }
    const { stdout } = await talk({ url: 'http://127.0.0.1:1' }, [
      { id: 1, ...open },
      { id: 2, ...find },
    ])
    assert.match(stdout[1]?.result?.content?.[0]?.text ?? '', /^NO_ANSWER: .*fetch never connects to this port/)
  })
}
