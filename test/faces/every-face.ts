import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openCommandLine } from './command-line.ts'
import type { OpenFace } from './face.ts'
import { openLlmsAgent } from './llms-agent.ts'
import { openMcp, openMcpOverStdio } from './mcp.ts'
import { openPlainHttp } from './plain-http.ts'
import { takePart } from './scenario.ts'
import { openTypeScriptClient } from './typescript-client.ts'

const FACES: Record<string, OpenFace> = {
  'an agent that knows only /llms.txt': openLlmsAgent,
  'plain HTTP': openPlainHttp,
  'the TypeScript client': openTypeScriptClient,
  'MCP at /mcp': openMcp,
  'MCP over stdio': openMcpOverStdio,
  'the command line': openCommandLine,
}
/** The maximum cost of the whole scenario for an agent without knowledge of the service, its guide or its list of tools included. */
const MOST = { guide: { calls: 13, bytes: 20_000 }, tools: { calls: 15, bytes: 29_000 } }

/** Uses a service through every interface. Returns the needs of an agent that has read only /llms.txt. */
export async function takePartThroughAll(t: TestContext, url: string): Promise<void> {
  for (const [name, open] of Object.entries(FACES)) {
    await t.test(name, async one => {
      const face = await open(url)
      one.after(() => face.close())
      await takePart(face, url, name.replaceAll(/\W/g, '').toLowerCase())
      if (face.cost === undefined) return
      const { calls, bytes } = face.cost()
      const most = name.startsWith('MCP') ? MOST.tools : MOST.guide
      one.diagnostic(`${calls} calls, ${bytes} bytes both ways`)
      assert.ok(calls <= most.calls && bytes <= most.bytes, `${calls} calls, ${bytes} bytes`)
    })
  }
}
