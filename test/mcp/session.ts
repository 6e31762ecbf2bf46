import assert from 'node:assert/strict'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export type Result = { text: string; structured: Record<string, string>; isError: boolean }
/** Calls a tool by its name. */
export type CallTool = (name: string, args?: Record<string, unknown>) => Promise<Result>

/** The opening of the official client: the stateless revision, or the earlier handshake. */
export const ERAS: Record<string, ClientOptions> = {
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  '2025-11-25': {},
}

/** How long a client waits for an answer, in milliseconds: on a busy machine the first one takes as long as the start of a process. */
export const PATIENCE = { timeout: 200_000 }

/** A client of the protocol at /mcp, and the tools it calls. */
export async function openSession(
  base: string,
  { headers = {}, options = {} }: { headers?: Record<string, string>; options?: ClientOptions } = {},
): Promise<{ client: Client; callTool: CallTool }> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers } })
  await client.connect(transport, PATIENCE)
  return { client, callTool: callerOf(client) }
}

export const callerOf =
  (client: Client): CallTool =>
  async (name, args = {}) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args }, PATIENCE)
    const text = content.map(block => (block.type === 'text' ? block.text : '')).join('\n')
    return { text, structured: (structuredContent ?? {}) as Record<string, string>, isError: isError === true }
  }

/** Asserts that a call succeeded. */
export function done(result: Result): Result {
  assert.equal(result.isError, false, result.text)
  return result
}

/** Asserts that a call was refused with this text. */
export function refused(result: Result, message: RegExp): Result {
  assert.equal(result.isError, true, result.text)
  assert.match(result.text, message)
  return result
}

/** Splits an answer into the fenced text and the sentences of the service. */
export function fenceOf(text: string): { inside: string; outside: string } {
  const found = /^([\s\S]*)\n<<<([0-9a-f]{24})\n([\s\S]*)\n\2>>>([\s\S]*)$/.exec(text)
  assert.ok(found, `no fence: ${text}`)
  // The marker occurs in the warning and in both lines of the fence, and nowhere else.
  assert.equal(text.split(found[2] ?? '').length, 4)
  return { inside: found[3] ?? '', outside: `${found[1]}${found[4]}` }
}
