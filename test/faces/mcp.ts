import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { Client, type Transport } from '@modelcontextprotocol/client'
import { runMcp } from '../../src/cli/mcp.ts'
import { callerOf, done, ERAS, fenceOf, openSession, type Result } from '../mcp/session.ts'
import type { Face, OpenFace, Row } from './face.ts'

/** The tools at /mcp, with the official client in the stateless revision; the token goes along with each call. */
export const openMcp: OpenFace = async base => {
  const { client } = await openSession(base, { options: ERAS['2026-07-28'] ?? {} })
  return faceOf(client, false)
}

/** `palimpsest mcp --url` over its standard streams, with the official client in the handshake that hosts open with. */
export const openMcpOverStdio: OpenFace = async url => {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const ended = runMcp({ flags: { url }, env: {} }, streams)
  const client = new Client({ name: 'host', version: '1.0.0' }, ERAS['2025-11-25'])
  await client.connect(transportOver(streams))
  const face = faceOf(client, true)
  return {
    ...face,
    async close() {
      await face.close()
      assert.equal(await ended, 0)
    },
  }
}

/** The client's end of the streams of a program in this process. */
function transportOver({ stdin, stdout }: { stdin: PassThrough; stdout: PassThrough }): Transport {
  const transport: Transport = {
    async start() {
      createInterface({ input: stdout }).on('line', line => transport.onmessage?.(JSON.parse(line)))
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      stdin.end()
      transport.onclose?.()
    },
  }
  return transport
}

type Line = Record<string, string>
const linesOf = ({ text }: Result): Line[] =>
  fenceOf(text)
    .inside.split('\n')
    .map(line => JSON.parse(line) as Line)

/** The tools. With `remembers` the other side stores the actor's token. */
function faceOf(client: Client, remembers: boolean): Face {
  const cost = { calls: 0, bytes: 0 }
  const count = <T>(sent: object, answer: T): T => {
    cost.calls += 1
    cost.bytes += Buffer.byteLength(JSON.stringify(sent)) + Buffer.byteLength(JSON.stringify(answer))
    return answer
  }
  const call = callerOf(client)
  const callTool: typeof call = async (tool, args = {}) => count({ tool, args }, await call(tool, args))
  let name = ''
  let acting: Record<string, string> = {}
  const write = async (tool: string, args: object): Promise<Line> =>
    done(await callTool(tool, { ...args, ...acting })).structured
  const read = async (entry: string): Promise<string> => fenceOf(done(await callTool('read', { entry })).text).inside
  return {
    inOrder: false,
    cost: () => cost,
    async discover() {
      const { tools } = count({ instructions: client.getInstructions() }, await client.listTools())
      return [client.getInstructions(), ...tools.map(tool => `${tool.name}: ${tool.description}`)].join('\n')
    },
    async search(q) {
      const found = done(await callTool('find', { q }))
      if (found.text.startsWith('No entry matches')) return []
      const slugs = [...fenceOf(found.text).inside.matchAll(/ · ([a-z0-9-]+)@/g)].map(([, slug = '']) => slug)
      return Promise.all(slugs.map(async slug => JSON.parse((await read(slug)).split('\n')[0] ?? '').entryId))
    },
    async createActor(declaredName) {
      name = declaredName
    },
    async publish(text) {
      const actor = { actorType: 'AGENT', declaredName: name }
      const { entryId = '', revisionId = '', actorToken = '' } = await write('publish', { ...text, actor })
      assert.match(actorToken, remembers ? /^$/ : /^plm_/)
      if (!remembers) acting = { actorToken }
      return { entryId, revisionId }
    },
    async read(entryId) {
      const [lines = '', content = ''] = (await read(entryId)).split(/\ncontent:\n/)
      return { revisionId: JSON.parse(lines.split('\n')[0] ?? '').currentRevisionId, content }
    },
    async revise({ entryId, revisionId: previousRevisionId }, text, rationale) {
      const args = { entry: entryId, previousRevisionId, ...text, changeType: 'CORRECT', rationale, ...acting }
      const { isError, text: refusal, structured } = await callTool('revise', args)
      return isError ? { refused: refusal.split(':')[0] ?? '' } : { revisionId: structured.revisionId ?? '' }
    },
    async verify({ entryId, revisionId }, rationale) {
      await write('verify', { entry: entryId, revisionId, result: 'SUPPORTED', confidence: 0.75, rationale })
    },
    async contradict({ entryId, revisionId }, rationale) {
      await write('contradict', { entry: entryId, revisionId, rationale })
    },
    async relate(sourceEntryId, targetEntryId, rationale) {
      await write('relate', { source: sourceEntryId, target: targetEntryId, relationType: 'CONNECT', rationale })
    },
    // The tools have no stream: who watches an entry looks at its history and evidence again.
    async watch({ entryId: entry }, take) {
      const seen = new Set<string>()
      for (;;) {
        const history = linesOf(done(await callTool('history', { entry }))).map(revisionRow)
        const evidence = (await read(entry)).split('\ncontent:\n')[0]?.split('\n').slice(1) ?? []
        const fresh = [...history, ...evidence.map(line => evidenceRow(JSON.parse(line)))].filter(
          row => !seen.has(JSON.stringify(row)),
        )
        for (const row of fresh) {
          seen.add(JSON.stringify(row))
          if (await take(row)) return
        }
        assert.ok(fresh.length > 0, 'a second look shows what happened since the first')
      }
    },
    close: () => client.close(),
  }
}

const revisionRow = ({ actorId = '', changeType = '', revisionId = '' }: Line): Row => ({
  actorId,
  action: changeType,
  revisionId,
})

function evidenceRow({ actorId = '', relation, verifies, contradicts }: Line): Row {
  if (relation !== undefined) return { actorId, action: relation, revisionId: null }
  return verifies !== undefined
    ? { actorId, action: 'VERIFY', revisionId: verifies }
    : { actorId, action: 'CONTRADICT', revisionId: contradicts ?? '' }
}
